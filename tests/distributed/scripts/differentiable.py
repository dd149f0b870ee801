"""Two ranks differentiate through collectives."""

import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as F

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)
warnings.simplefilter("ignore")
weights = torch.tensor([[1.0, 2.0], [3.0, 4.0]])  # a row for each rank


def gradient(function):
    """The gradient of a tensor of two, where rank r weighs its results by row r."""
    x = torch.tensor([10.0, 20.0]) * (rank + 1)
    x.requires_grad_()
    result = function(x)
    several = result if isinstance(result, tuple) else (result,)
    (sum(each.sum() * weights[rank, i % 2] for i, each in enumerate(several))).backward()
    return [each.tolist() for each in several], x.grad.tolist()


assert gradient(lambda x: F.all_reduce(x)) == ([[30, 60]], [4, 4])
assert gradient(lambda x: F.broadcast(x, 0)) == ([[10, 20]], [4 * (1 - rank)] * 2)
rows = [[10, 20], [20, 40]]
assert gradient(lambda x: F.all_gather(x)) == (rows, [4, 4] if rank == 0 else [6, 6])
gathered = rows if rank == 1 else [[0, 0], [0, 0]]
assert gradient(lambda x: F.gather(x, 1)) == (gathered, [3 + rank] * 2)
scattered = [10 * (rank + 1)]
grads = [1, 3] if rank == 0 else [0, 0]
assert gradient(lambda x: F.scatter(list(x.split(1)), 0)) == ([scattered], grads)
summed = [30 * (rank + 1)]
parts = lambda x: F.reduce_scatter(torch.empty(1), list(x.split(1)))
assert gradient(parts) == ([summed], [1, 3])
swapped = [[10.0 * (rank + 1)], [20.0 * (rank + 1)]]
swap = lambda x: F.all_to_all(list(torch.empty(2, 1)), list(x.split(1)))
assert gradient(swap) == (swapped, weights[:, rank].tolist())
single = lambda x: F.all_to_all_single(torch.empty(2), x)
assert gradient(single) == ([[10 * (rank + 1), 20 * (rank + 1)]], [1, 3])
dist.barrier()
