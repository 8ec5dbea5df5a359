"""Questions asked of several results: bias of measures, few-shot curves, human ratings, schema sensitivity."""
