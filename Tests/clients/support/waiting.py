"""How tests wait, also for things that tell nobody when they happen."""

import time

PATIENCE = 60


def eventually(condition, timeout=PATIENCE, every=0.02):
    """Waits until the condition holds, and gives its value."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(every)
