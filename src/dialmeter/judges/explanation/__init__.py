"""Which words of a reply move the score of a judge: Shapley values."""
