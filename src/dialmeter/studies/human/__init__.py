"""Agreement of measures with human ratings of predicted states."""
