# Tensor.sum: an argument that does not exist
x = torch.ones(2).sum(axes=0)

# torch.add: too few arguments
x = torch.add(torch.ones(2))

# torch.Tensor(2, unknown=3)
torch.Tensor(2, unknown=3)
