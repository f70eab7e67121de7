"""The screens on which the pages are used: a test with SCREENS runs at a desk and on a phone."""

import pytest

DESK = {"width": 1000, "height": 700}
PHONE = {"width": 390, "height": 844, "mobile": True}
SCREENS = pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
