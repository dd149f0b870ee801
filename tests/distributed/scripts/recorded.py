"""A rank raises while the other sleeps: the launcher shows its traceback."""

import time

import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main():
    dist.init_process_group("gloo")
    dist.barrier()
    if dist.get_rank() == 1:
        raise ValueError("bad luck")
    time.sleep(30)


main()
