"""The command line: one file per idea, imported when one of its commands is used.

``main.py`` has the groups of commands and the exit codes. A command reads its options, computes, and returns an ``Output``.
``options.py`` has the options that commands share, and ``printer.py`` prints the ``Output``. ``frame.py`` is the frame of the
commands that check, score and compare: runs in the folder of --out, names of files, and outputs with their documents.
``study.py`` saves other results to the folder of --out, ``work.py`` runs shards in other processes, and ``progress.py`` shows
progress. Each subject has a folder, or a file, with its commands, their JSON documents and the options that only it has.
"""
