"""Readers of schema-guided corpora and of other task dialogues."""
