"""A chain y = y * c of many nodes: `python -m benchmarks.chain LIBRARY NODES` prints one JSON line.

Forward, backward and release in seconds of CPU time per node, memory in bytes per node. Each length
runs in a process of its own, so that the memory is that of fresh pages.
"""

import gc
import json
import os
import resource
import subprocess
import sys
from typing import Any

from .measure import Timing, clock, library

LENGTHS = (100, 1_000, 10_000, 100_000, 1_000_000)


def resident() -> int:
    """Bytes of this process that lie in memory; its peak where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def once(torch: Any, nodes: int) -> dict[str, float]:
    y = x = torch.tensor(1.0, requires_grad=True)
    c = torch.tensor(1.0)
    gc.collect()
    before = resident()
    start = clock()
    for _ in range(nodes):
        y = y * c
    forward = clock() - start
    memory = resident() - before
    start = clock()
    y.backward()
    backward = clock() - start
    start = clock()
    del y
    release = clock() - start
    assert x.grad.item() == 1
    figures = dict(forward=forward, backward=backward, release=release, memory=memory)
    return {key: value / nodes for key, value in figures.items()}


def best(runs: list[dict[str, float]]) -> dict[str, float]:
    """The shortest times, and the memory of the first run, before anything could be reused."""
    return {key: min(run[key] for run in runs) for key in runs[0]} | {"memory": runs[0]["memory"]}


def race(names: list[str], nodes: int, count: int) -> list[dict[str, float]]:
    """The figures of each library, from `count` processes each, taken in turn."""
    runs: list[list[dict[str, float]]] = [[] for _ in names]
    for _ in range(count):
        for name, own in zip(names, runs):
            command = [sys.executable, "-m", "benchmarks.chain", name, str(nodes)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            own.append(json.loads(done.stdout))
    return [best(own) for own in runs]


def timing(seconds: float) -> Timing:
    return Timing(seconds, seconds)


def main(name: str, nodes: int) -> None:
    torch = library(name)
    repetitions = max(1, min(100, 20_000 // nodes))
    if repetitions == 1:  # the first backward of a process loads what later ones need
        torch.ones((), requires_grad=True).mul(1).backward()
    print(json.dumps(best([once(torch, nodes) for _ in range(repetitions)])))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
