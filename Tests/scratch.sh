#!/usr/bin/env bash
# Prints the directory below which tests keep their files: in memory, if the system has plenty of that, and may run
# programs there. The files of a whole run, databases and browsers' profiles among them, take up to 3 GB.

memory="$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)"
read -r available < <(df --output=avail /dev/shm 2>/dev/null | tail -1)
if [ "${memory:-0}" -gt 12000000 ] && [ "${available:-0}" -gt 8000000 ] && [ -w /dev/shm ] &&
    ! grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*\bnoexec\b' /proc/mounts; then
    echo /dev/shm
else
    echo /tmp
fi
