"""Resources that the tests of attacks share: loaded once; tests are skipped with a reason if they are not installed."""

from __future__ import annotations

import pytest

from dialmeter.judges.language import Language, Resources, analysis, thesaurus


@pytest.fixture(scope="session")
def light() -> Language:
    """Only what comes with dialmeter."""
    return Resources(light=True).open()


@pytest.fixture(scope="session")
def full() -> Language:
    """A spaCy pipeline, and whatever else is installed."""
    if analysis.installed_pipeline() is None:
        pytest.skip("no spaCy pipeline is installed: pip install 'dialmeter[attacks]'")
    return Resources().open()


@pytest.fixture(scope="session")
def with_wordnet(full: Language) -> Language:
    """The full resources with WordNet."""
    if thesaurus.wordnet_folder() is None:
        pytest.skip("WordNet is not installed: apt install wordnet-base, or set WNHOME")
    return full
