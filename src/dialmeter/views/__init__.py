"""Output: tables now, pictures and pages later."""
