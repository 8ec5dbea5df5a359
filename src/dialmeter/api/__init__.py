"""What users of Python call: ``import dialmeter as dm``. The names are listed in ``dialmeter/__init__.py``."""
