"""Sample files from the town, used in the documentation: ``sample_files.py`` lists them all."""
