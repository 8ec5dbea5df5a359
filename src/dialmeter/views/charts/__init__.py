"""Pictures of scores: one small module per chart, each with `draw`, which gives a figure, and `table`, its data.

Plain data goes in. What stands in names and labels is text and is never read as markup. `canvas.save` writes SVG, PDF or
PNG whose bytes depend on the data alone. matplotlib is imported when something is drawn, pyplot never.
"""
