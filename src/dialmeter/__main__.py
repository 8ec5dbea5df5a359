"""``python -m dialmeter``"""

from .cli.main import run

run()
