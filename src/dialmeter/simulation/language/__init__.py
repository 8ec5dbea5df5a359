"""Acts into text, text into acts, and a channel between them that makes mistakes."""
