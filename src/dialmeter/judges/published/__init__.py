"""The published folders of the paper on attacks, and its printed tables."""
