"""The benchmarks of rooms, beside a bare C server that forwards touches."""

from crowds import Crowds
from fanout import FanOut
from report import Report
from ticks import Ticks

ABOUT = """
“Ours” is `rooms serve` with one thread, all its checks and its logs. Limits that would refuse such a load are off
(touches and events per connection, participants of a room). The “stick” is `LoadTests/roomload/flushserver.c`: one
thread and one epoll, which checks nothing and keeps nothing. It gathers the positions of a room for 16 ms and sends
them to each other member in one write.

`roomload` makes the load. Every mover sends at its own phase, whether the server keeps up or not, and the age of a
touch counts from the time at which it was due. Each run ends with a last position of every mover. Every member of the
room must have got it, no older position after a newer one, and all element events in order. A run with a broken promise
fails (the stick promises nothing). † marks figures of runs in which the generator's core was full.

To measure one row, after `make bench` has built everything, such as 20 rooms of 50:

```
taskset -c 0 .build/release/rooms serve --listen 127.0.0.1:3000 --threads 1 --tick 16ms --grace 0s \\
    --touches-per-second-max 0 --events-per-second-max 0 --participants-max 20000 --connections-max 19000 &
taskset -c 0 .build/loadtests/flushserver --port 3001 &
taskset -c 1 .build/loadtests/roomload run --rooms 20 --members 50 --port 3000 --pid PID
taskset -c 1 .build/loadtests/roomload run --rooms 20 --members 50 --port 3001 --pid PID --peer
```

The figure is the printed `delivered` divided by `cpu`. `roomload --help` has the other scenarios, and `LoadTests/run.sh
--only slow,join` measures a part.
"""


class Rooms(FanOut, Crowds, Ticks):
    parts = (
        "faults", "fanout", "beside", "half", "binary", "pace", "views", "quiet", "inbound", "growth", "slow", "memory", "small", "join", "ticks", "shards")

    def __init__(self, arguments, directory):
        super().__init__(arguments, directory, Report("Rooms", ABOUT))
