"""Tables, charts and pages: built once, and shown in the terminal, in files, in the report and in the viewer.

- ``tables.py`` has the one ``Table`` and prints it in every style; ``latex/`` makes it fit a paper.
- One module per subject or study (``tracker.py``, ``judge.py``, ``bias.py`` …) makes tables and charts of its results.
- ``charts/`` draws; ``chart_files.py`` has the one ``Chart``, which is drawn when it is needed, and writes folders of charts.
- ``pages/`` reads runs from disk: ``kinds.py`` says what a kind of run must know, and each kind is one module.
- ``content.py`` is the content of a report; ``html.py`` and ``plain_report.py`` print it. ``boards/`` are pages of many systems.
"""
