"""A server whose time of day jumps."""

import struct
from pathlib import Path

from support.preload import library
from support.server import RoomsServer


class ServerWithClock(RoomsServer):
    """`place` is a directory for the file that tells the server how far its clock is off."""

    def __init__(self, *, place, **configuration):
        self.offset = Path(place) / f"clock{configuration.get('cluster_node', '')}"
        self.set_clock(0)
        super().__init__(**configuration)

    def set_clock(self, seconds):
        """Puts the clock forward by so many seconds, or back."""
        with open(self.offset, "r+b" if self.offset.exists() else "wb") as file:
            file.write(struct.pack("<q", seconds))

    def command(self, port):
        return ["env", f"LD_PRELOAD={library('clock')}", f"ROOMS_CLOCK_OFFSET={self.offset}", *super().command(port)]
