"""Charts of scores, one module per mark: `bars`, `grid`, `lines` and `points`.

In each module, `draw…` returns a figure and `…table` the same data as a table. Both take plain data. Names and labels are text
and are never parsed as markup. `canvas.save` writes SVG, PDF or PNG files whose bytes depend only on the data. matplotlib is
imported when a chart is drawn; pyplot is never imported.
"""
