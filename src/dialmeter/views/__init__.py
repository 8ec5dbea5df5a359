"""Tables, charts and pages. The terminal, files, the report and the viewer show the same objects.

- ``tables.py`` has the class ``Table`` and renders it in every style; ``latex.py`` fits it to a paper.
- One module per subject or study (``tracker.py``, ``judge.py``, ``bias.py`` …) builds the tables and charts of its results.
- ``charts/`` draws; ``chart_files.py`` has the class ``Chart``, which is drawn on demand, and writes folders of charts.
- ``pages/`` reads runs from disk: ``kinds.py`` defines what a kind of run must implement, and each kind is one module.
- ``content.py`` builds the content of a report and renders it as Markdown and LaTeX; ``html.py`` renders it as HTML. ``boards/`` has pages with many systems.
"""
