"""Files of the town to follow the documentation with: ``sample_files.py`` lists them all."""
