"""Reading files: opening and checking them, one module per layout, and the lists of layouts."""
