"""Values: how they are brought to one form, and when two are equal."""
