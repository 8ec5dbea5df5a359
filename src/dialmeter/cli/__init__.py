"""The command line: one file per command group, imported when it is used."""
