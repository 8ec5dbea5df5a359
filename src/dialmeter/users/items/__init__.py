"""Goals in words as items: which values of the expected calls the user must convey, and whether it did."""
