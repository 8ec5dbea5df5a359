"""The command line: one file per command, imported when it is used.

``main.py`` has the groups of commands and the exit codes. A command reads its options, computes, and returns an ``Output``.
``options.py`` has the options that commands share, and ``printer.py`` prints the ``Output``. ``run_files.py`` and ``study.py``
save results to the folder of --out, ``work.py`` runs shards in other processes, ``progress.py`` shows progress, and
``several.py`` is for commands that take several files. Each subject has a folder with its commands and the modules that they
share: ``documents.py`` has the JSON documents, and ``scoring.py`` or ``asking.py`` scores files.
"""
