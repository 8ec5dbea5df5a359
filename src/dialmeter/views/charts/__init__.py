"""Charts of scores, one module for each family of marks: `bars`, `grid`, `lines` and `points`.

A mark draws the rows of a `Chart`. Names and labels are text and are never parsed as markup. `canvas.save` writes SVG, PDF or
PNG files whose bytes depend only on the data. matplotlib is imported when a chart is drawn; pyplot is never imported.
"""
