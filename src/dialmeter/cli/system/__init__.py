"""Commands on systems."""
