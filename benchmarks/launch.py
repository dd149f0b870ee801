"""Runs a command and prints its wall time in seconds and its peak memory in bytes, as JSON.

A process of its own, and a small one: the kernel counts the memory of the process that starts a
program as the program's own until it has loaded, so the starter must not hold torch.
"""

import json
import os
import sys
import time

if __name__ == "__main__":
    start = time.perf_counter()
    child = os.posix_spawn(
        sys.argv[1],
        sys.argv[1:],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(sys.argv[1:])} ended with status {os.waitstatus_to_exitcode(status)}")
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"seconds": seconds, "memory": usage.ru_maxrss * unit}))
