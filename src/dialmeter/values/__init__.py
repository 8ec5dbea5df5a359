"""How published scorers normalise and compare slot values."""
