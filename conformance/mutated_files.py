"""Mutated checkpoint files: `python -m conformance.mutated_files` loads 100,000 of them.

A file that somebody else made may hold anything. Whatever it holds, `load` with weights_only has to
return or to raise: it must not end the process, run what the file says, wait, or take memory that
the file does not justify. Each batch of files is loaded in a process of its own, which an audit
hook watches and which has little memory and time.
"""

from __future__ import annotations

import argparse
import importlib
import io
import multiprocessing
import random
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.limits import TimeLimit, time_limit

BATCH = 2000
MEMORY = 1 << 30  # bytes that a process may take beyond those it has at the start
SECONDS = 5  # of processor time, for one file
# Events of Python's audit that no checkpoint has reason to cause.
FORBIDDEN = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "socket.connect",
)
OPCODES = (
    b"(.0123456789FINSRTULVXabcdeghijlopqrstu})]\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b"
)


def originals(torch: ModuleType) -> list[bytes]:
    """Files of all kinds, in both formats."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    shared = torch.arange(12.0)
    things = [
        net.state_dict(),
        optimizer.state_dict(),
        [shared, shared[2:5], shared.view(3, 4).t(), shared.to(torch.bfloat16)],
        {"n": 2**70, "s": {1, 2}, "b": b"\x00\xff", "c": 1 + 2j, "t": ((), (1, (2, (3,))))},
        nn.Parameter(torch.ones(2, dtype=torch.complex64)),
    ]
    files = []
    for thing in things:
        for zipped in (True, False):
            file = io.BytesIO()
            torch.save(thing, file, _use_new_zipfile_serialization=zipped)
            files.append(file.getvalue())
    return files


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A file with a few bytes changed, most of them where the pickle is."""
    out = bytearray(data)
    start = max(out.find(b"\x80\x02"), 0)
    for _ in range(chance.randint(1, 6)):
        near = chance.random() < 0.8
        at = (
            min(start + chance.randrange(400), len(out) - 1) if near else chance.randrange(len(out))
        )
        kind = chance.random()
        if kind < 0.4:
            out[at] = chance.randrange(256)
        elif kind < 0.7:
            out[at] = chance.choice(OPCODES)
        elif kind < 0.8:
            out[at : at + 4] = chance.choice((b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff" * 4))
        elif kind < 0.9:
            del out[at : at + chance.randint(1, 8)]
        else:
            out[at:at] = bytes(chance.choices(OPCODES, k=chance.randint(1, 8)))
    return bytes(out)


def attempt(impl: str, seed: int, count: int, results: Any) -> None:
    """Loads a batch of mutated files, and reports how each ended."""
    torch = importlib.import_module(impl)
    warnings.simplefilter("ignore")
    files = originals(torch)
    forbidden: list[str] = []
    sys.addaudithook(lambda event, _: forbidden.append(event) if event in FORBIDDEN else None)

    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    chance = random.Random(seed)
    ends: Counter[str] = Counter()
    longest = 0.0
    for _ in range(count):
        data = mutated(chance.choice(files), chance)
        began = time.process_time()
        try:
            with time_limit(SECONDS):
                torch.load(io.BytesIO(data))
            ends["loaded"] += 1
        except (MemoryError, TimeLimit) as error:
            ends[f"BAD {type(error).__name__}"] += 1
        except Exception as error:
            ends[type(error).__name__] += 1
        longest = max(longest, time.process_time() - began)
    for event in forbidden:
        ends[f"BAD {event}"] += 1
    results.put((ends, longest))


def main() -> int:
    """Runs all batches. Returns 1 if a file did what none may do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--impl", default="minitorch")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ends: Counter[str] = Counter()
    longest, began = 0.0, time.perf_counter()
    for first in range(0, options.files, BATCH):
        count = min(BATCH, options.files - first)
        results = context.SimpleQueue()
        arguments = (options.impl, options.seed + first, count, results)
        process = context.Process(target=attempt, args=arguments)
        process.start()
        process.join()
        if process.exitcode or results.empty():
            ends[f"BAD a process that ended with {process.exitcode}"] += 1
            continue
        some, slow = results.get()
        ends += some
        longest = max(longest, slow)
    took = time.perf_counter() - began
    for end, count in ends.most_common():
        print(f"{count:8} {end}")
    print(
        f"{options.files} files; {1e6 * took / options.files:.0f} us a file with what it takes to "
        f"start processes, {1e3 * longest:.0f} ms the longest"
    )
    return int(any(end.startswith("BAD") for end in ends))


if __name__ == "__main__":
    sys.exit(main())
