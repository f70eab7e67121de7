"""A short round of `make phones`: phones sync, send batches, upload in chunks and are notified, while links break, services fail
and the server is killed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TRIAL = Path(__file__).resolve().parents[1] / "phones/trial.py"


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_nothing_comes_twice_and_nothing_is_lost(store):
    # At SIGTERM it ends what it has started.
    result = subprocess.run(
        ["timeout", "220", sys.executable, TRIAL, "--phones", "30", "--seconds", "6", "--uploads", "3", "--store", store],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = {name.strip(): int(count.replace(",", "")) for _, name, count in re.findall(r"\| (\w+) \|(.+)\|(.+)\|", result.stdout)}
    assert rows["kill -9"] > 0 and rows["operations sent again"] > 0
    assert rows["links cut on the way there"] + rows["links cut on the way back"] > 0
    assert rows["whispers"] > 0 and rows["copies"] == 120 and rows["uploads"] == 3
    assert rows["notifications taken"] >= rows["notifications that had to come"] > 0
