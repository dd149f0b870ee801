# torch.utils.data: the shares of several processes
from torch.utils.data.distributed import DistributedSampler

shares = []
for drop_last in (False, True):
    for shuffle in (False, True):
        for rank in range(3):
            s = DistributedSampler(range(11), 3, rank, shuffle, seed=4, drop_last=drop_last)
            s.set_epoch(2)
            shares.append((list(s), len(s), s.total_size))
few = [list(DistributedSampler(range(2), num_replicas=5, rank=r, shuffle=False)) for r in range(5)]
print(shares, few)

# torch.utils.data: the share of a process that is none
from torch.utils.data.distributed import DistributedSampler

DistributedSampler(range(4), num_replicas=2, rank=2)

# torch.utils.data.TensorDataset: a share as a loader takes it
from torch.utils.data.distributed import DistributedSampler

data = torch.utils.data.TensorDataset(torch.arange(7.0))
sampler = DistributedSampler(data, 2, 1)
print([batch for (batch,) in torch.utils.data.DataLoader(data, 2, sampler=sampler)])

# torch.utils.data: a chunk of data
from torch.utils.data import DataChunk

c = DataChunk(range(3))
print(c, c.as_str("  "), list(c.raw_iterator()), len(c), c.items)
