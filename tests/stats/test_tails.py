"""Quantiles of Student's distribution without scipy, for many degrees of freedom."""

import subprocess
import sys

import pytest
from scipy import special

from dialmeter.stats.intervals import MANY, student_quantile


@pytest.mark.parametrize("degrees", [MANY + 1, 10**6, 10**9])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.95, 0.999, 1 - 1e-9])
def test_the_expansion_is_exact_to_the_last_digits(confidence, degrees):
    assert student_quantile(confidence, degrees) == pytest.approx(
        special.stdtrit(degrees, (1 + confidence) / 2), rel=2e-15
    )


def test_many_degrees_do_without_scipy():
    code = f"import sys; from dialmeter.stats.intervals import *; student_quantile(0.95, {MANY + 1}); print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"
