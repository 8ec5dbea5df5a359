"""The stored folders of the paper on attacks, and the tables that it printed."""
