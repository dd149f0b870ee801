# nn.SyncBatchNorm.convert_sync_batchnorm: batch norm over several processes, of which there is one
m = nn.SyncBatchNorm(3, momentum=None)
x = torch.randn(4, 3, 2, requires_grad=True)
y = m(x)
y.sum().backward()
n = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)))
print(m, m.running_mean, n, sorted(n.state_dict()))
a = n(torch.randn(4, 2))

# nn.SyncBatchNorm: batch norm over several processes, of too few dimensions
nn.SyncBatchNorm(3)(torch.zeros(3))

# nn.SyncBatchNorm: batch norm over several processes, without channels
nn.SyncBatchNorm(3)(torch.zeros(2, 0))

# nn.BatchNorm1d: names of members that are there, and of those that are not
from torch.nn.utils._named_member_accessor import NamedMemberAccessor

accessor = NamedMemberAccessor(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
print(accessor.check_keys(["0.weight", "2.bias", "1.bias", "a"]))
print(accessor.check_keys([]))
print(accessor.check_keys(["0.weight", "0.bias", "1.weight", "1.bias"]))
del accessor, NamedMemberAccessor
