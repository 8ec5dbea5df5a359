"""Reading files: opening and checking them, one module per format, and the lists of formats."""
