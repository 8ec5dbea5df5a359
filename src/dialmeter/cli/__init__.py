"""The command line: one file per command, imported when it is used.

``main.py`` has the groups of commands and the exit codes. A command reads its options, computes, and returns an ``Output``.
``options.py`` has the options that commands share, and ``printer.py`` prints what a command returns. ``run_files.py`` and
``study.py`` keep results in the folder of --out, ``work.py`` works in other processes, ``progress.py`` shows how much is done,
and ``several.py`` is for commands that take several files. What only the commands on one subject share is in its folder:
``documents.py`` has what --json prints, and ``scoring.py`` or ``asking.py`` how files are scored.
"""
