"""One of several ranks: times operations of torch.distributed, and a training step.

RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT tell who it is, BEGUN when it was started. Rank 0
prints seconds by name, best and median, and its peak memory.
"""

import functools
import json
import os
import resource
import statistics
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
FOUND = {"start": [time.time() - float(os.environ["BEGUN"])] * 2}
torch.set_num_threads(1)


def peak_memory():
    """The most bytes that this process had in memory.

    As Linux counts for the program that runs: getrusage() begins with the peak of the process that
    started it, which was 533 MiB in a run of all rows.
    """
    try:
        with open("/proc/self/status") as status:
            (line,) = [each for each in status if each.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024
    except OSError:  # no Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(name, function, count):
    """Notes how long a call takes, after two that are not counted."""
    seconds = []
    for turn in range(count + 2):
        begun = time.perf_counter()
        function()
        if turn > 1:
            seconds.append(time.perf_counter() - begun)
    FOUND[name] = [min(seconds), statistics.median(seconds)]


def training():
    """A step of a network with 0.6 MB of parameters."""
    torch.manual_seed(0)
    layers = torch.nn.Linear(784, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x, y = torch.randn(64, 784), torch.randint(10, (64,))

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


for size, numbers, count in (("1 kB", 250, 300), ("1 MB", 250_000, 60), ("25 MB", 6_250_000, 8)):
    tensor = torch.zeros(numbers)
    measure(f"all_reduce of {size}", functools.partial(dist.all_reduce, tensor), count)
short = torch.zeros(250)
measure("broadcast of 1 kB", lambda: dist.broadcast(short, 0), 200)
measure("barrier", dist.barrier, 200)
measure("step with 0.6 MB of gradients", training(), 60)
if dist.get_rank() == 0:
    peak = peak_memory()
    print(json.dumps({"times": FOUND, "memory": peak}), flush=True)
dist.barrier()
dist.destroy_process_group()
os._exit(0)  # gloo's threads end some processes with "terminate called" where Python ends itself
