"""What a long run is judged by."""

import statistics

# Rooms' logs and what the allocator keeps fill up to their bounds in the first two thirds of a long run; what grows in the
# last third may grow for ever.
GROWTH_BYTES_PER_MINUTE_MAX = 1_000_000
# More than before that is still allocated after everybody has left, however long the run was: lists and tables keep their
# room, and the allocator's threads keep pieces at hand which it counts as given out. Half an hour loses 36,000 connections:
# 150 bytes of each would not pass.
KEPT_BYTES_MAX = 5_000_000
# In a shorter run logs are not full yet, so its growth says nothing.
JUDGED_SECONDS_MIN = 25 * 60


class Findings:
    def __init__(self):
        self.findings = []

    @property
    def are_good(self):
        return all(is_good for is_good, _ in self.findings)

    def lines(self):
        return [f"{'good' if is_good else 'BAD '}  {text}" for is_good, text in self.findings]

    def add(self, is_good, good, bad):
        self.findings.append((is_good, good if is_good else bad))

    def promises(self, load, table, bots, said):
        self.add(load == 0, "roomload: every promise was kept", f"roomload ended with {load}:\n{table}")
        self.add(bots == 0, "chaos bots: every promise was kept", f"the bots ended with {bots}:\n{said}")

    def rest(self, before, after):
        kept = after["heap"] - before["heap"]
        text = (f"{before['heap'] / 1e6:.1f} MB were allocated, but for the database's caches, before the first client came, "
                f"{after['heap'] / 1e6:.1f} MB after the last had left")
        self.add(kept <= KEPT_BYTES_MAX, text, f"{text}: more than what stays by its nature")
        left = after["descriptors"] - before["descriptors"]
        self.add(left <= 4, "no descriptor was left behind", f"{left} descriptors were left behind")

    def end(self, status, complaints):
        self.add(status == 0, "the server ended cleanly when asked to", f"the server ended with {status}")
        self.add(not complaints, "the server logged no error", "the server logged:\n" + "\n".join(complaints[:10]))

    def store(self, status, said):
        self.add(status == 0, "rooms check found the store whole", f"rooms check ended with {status}: {said}")

    def growth(self, series):
        rate = growth_rate(series)
        text = f"memory in the last third: {rate / 1e6:+.3f} MB a minute"
        if series["at"][-1] < JUDGED_SECONDS_MIN:
            return self.add(True, f"{text} (too short a run to judge it)", "")
        self.add(rate < GROWTH_BYTES_PER_MINUTE_MAX, text, f"{text}: it grows")


def growth_rate(series):
    """Bytes a minute in the last third: the slope that most pairs of samples have (Theil–Sen), which no spike moves."""
    begin = 2 * len(series["at"]) // 3
    points = list(zip(series["at"][begin:], series["rss"][begin:]))
    points = points[:: max(len(points) // 120, 1)]
    slopes = [(later[1] - one[1]) / (later[0] - one[0])
              for index, one in enumerate(points) for later in points[index + 1:] if later[0] > one[0]]
    return 60 * statistics.median(slopes) if slopes else 0.0
