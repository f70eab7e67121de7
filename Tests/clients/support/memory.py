"""The memory of servers."""

from pathlib import Path


def peak(server):
    """The most memory that the server has had since the last question, in bytes."""
    process = Path(f"/proc/{server.process.pid}")
    lines = (process / "status").read_text().splitlines()
    (process / "clear_refs").write_text("5")
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
