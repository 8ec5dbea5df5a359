"""Generation of text from acts, understanding of acts from text, and a noisy channel between them."""
