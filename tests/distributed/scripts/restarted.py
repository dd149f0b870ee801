"""Fails until it has been started a third time; then both ranks meet."""

import os
import sys

import torch
import torch.distributed as dist

attempt, rank = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), int(os.environ["RANK"])
dist.init_process_group("gloo")
x = torch.tensor([attempt])
dist.all_reduce(x)
assert x.item() == 2 * attempt
if attempt < 2 and rank == 1:
    sys.exit(7)
dist.barrier()
restarts = os.environ["TORCHELASTIC_MAX_RESTARTS"]
sys.stdout.write(f"attempt {attempt} of {restarts} rank {rank}\n")  # at once: ranks share the pipe
