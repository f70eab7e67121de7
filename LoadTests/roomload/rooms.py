"""The benchmarks of rooms, beside a bare C server that forwards touches."""

from crowds import Crowds
from fanout import FanOut
from report import Report
from ticks import Ticks

ABOUT = """
“Ours” is `rooms serve` with one thread and everything on that it checks and keeps; what would refuse such a load is off
(limits of touches and events per connection, of people in a room). The “stick” is `LoadTests/roomload/flushserver.c`: one
thread and one epoll, nothing checked, nothing kept; it gathers what the members of a room moved in 16 ms and sends it to
each other member in one write.

`roomload` is the load: every mover sends at its own phase whether the server keeps up or not, and a touch's age counts
from when it was meant to be sent. Each run ends with a last position of everyone, which every member of the room must
have got, never an older position after a newer one, and all element events in order: a run that broke a promise fails (the
stick promises nothing). † marks figures of runs in which the generator's core was full.

A row by itself, after `make bench` has built everything, such as 20 rooms of 50:

```
taskset -c 0 .build/release/rooms serve --listen 127.0.0.1:3000 --threads 1 --tick 16ms --grace 0s \\
    --touches-per-second-max 0 --events-per-second-max 0 --participants-max 20000 --connections-max 19000 &
taskset -c 0 .build/loadtests/flushserver --port 3001 &
taskset -c 1 .build/loadtests/roomload run --rooms 20 --members 50 --port 3000 --pid PID
taskset -c 1 .build/loadtests/roomload run --rooms 20 --members 50 --port 3001 --pid PID --peer
```

`delivered` by `cpu` of what it prints is the figure. `roomload --help` has the other scenarios, and
`LoadTests/run.sh --only slow,join` measures a part.
"""


class Rooms(FanOut, Crowds, Ticks):
    parts = (
        "faults", "fanout", "half", "quiet", "inbound", "growth", "slow", "memory", "small", "join", "ticks", "shards")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("Rooms", ABOUT))
