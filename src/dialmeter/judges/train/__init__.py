"""Training of judges, and judges as rewards."""
