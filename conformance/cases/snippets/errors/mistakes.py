# backward of what is no scalar
x = torch.ones(2, requires_grad=True)
(x * 2).backward()

# backward of what has no graph
x = torch.ones(2)
x.sum().backward()

# torch.no_grad: backward under no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x.sum()
y.backward()

# Tensor.view: a view of the wrong size
x = torch.ones(2, 3).view(4)

# Tensor.view: a view with two unknowns
x = torch.ones(2, 3).view(-1, -1)

# Tensor.view: a view of what is not contiguous
x = torch.ones(2, 3).t().view(6)

# Tensor.reshape: a reshape of the wrong size
x = torch.ones(2, 3).reshape(4, 2)

# torch.ones: an index out of range
x = torch.ones(3)[5]

# torch.ones: too many indices
x = torch.ones(3)[0, 1]

# torch.ones: an index that is no integer
x = torch.ones(3)[1.5]

# torch.tensor: a mask of the wrong shape
x = torch.ones(3)[torch.tensor([True, False])]

# Tensor.sum: an axis out of range
x = torch.ones(2, 3).sum(2)

# Tensor.sum: an axis twice
x = torch.ones(2, 3).sum((0, 0))

# torch.cat: joining shapes that differ
x = torch.cat([torch.ones(2, 3), torch.ones(2, 4)])

# torch.stack: stacking shapes that differ
x = torch.stack([torch.ones(2), torch.ones(3)])

# torch.stack: stacking nothing
x = torch.stack([])

# item of many
x = torch.ones(2).item()

# torch.ones: the truth of many
if torch.ones(2):
    pass

# torch.ones: float of many
x = float(torch.ones(2))

# torch.tensor: a ragged list
x = torch.tensor([[1, 2], [3]])

# torch.tensor: a list of strings
x = torch.tensor(["a"])

# torch.tensor: a tensor of None
x = torch.tensor([None])

# numpy of what requires gradients
x = torch.ones(2, requires_grad=True).numpy()

# cuda without cuda
x = torch.ones(2).cuda()

# torch.ones: a device that does not exist
x = torch.ones(2, device="tpu")

# torch.ones: a name that does not exist
x = torch.ones(2).foo

# torch.add: an argument of the wrong type
x = torch.add("a", 1)

# torch.exp: too many arguments
x = torch.exp(torch.ones(2), 1, 2)

# zeros of a negative size
x = torch.zeros(-1)

# zeros of a floating size
x = torch.zeros(2.5)

# Tensor.expand: expanding what cannot be expanded
x = torch.ones(2, 3).expand(2, 4)

# Tensor.permute: a permutation that is none
x = torch.ones(2, 3).permute(0, 0)

# Tensor.permute: a permutation of too few axes
x = torch.ones(2, 3).permute(0)

# Tensor.t: transposing three axes by t
x = torch.ones(2, 3, 4).t()

# F.cross_entropy: a label out of range
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))

# F.cross_entropy: labels of the wrong dtype
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0]))

# F.cross_entropy: a batch of another size
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))

# nn.Embedding: an embedding out of range
x = nn.Embedding(3, 2)(torch.tensor([3]))

# nn.Linear: an input of the wrong width
x = nn.Linear(3, 4)(torch.ones(2, 5))

# nn.Conv2d: an input with the wrong channels
x = nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8))

# nn.Conv2d: a kernel larger than its input
x = nn.Conv2d(1, 1, 5)(torch.ones(1, 1, 3, 3))

# nn.BatchNorm1d: batch normalisation of one sample
x = nn.BatchNorm1d(3)(torch.ones(1, 3))

# nn.BatchNorm1d: batch normalisation of the wrong width
x = nn.BatchNorm1d(3)(torch.ones(2, 4))

# nn.Linear: a weight that is no parameter
m = nn.Linear(2, 2)
m.weight = torch.ones(2, 2)


# nn.Module: an attribute before super().__init__
class Net(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)


Net()

# nn.Module: a module without forward
nn.Module()(1)

# torch.optim.SGD: an optimizer without parameters
torch.optim.SGD([], lr=0.1)

# torch.optim.SGD: an optimizer of a tensor
torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)

# torch.optim.SGD: an optimizer of a result
torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)

# torch.optim.Adam: a negative learning rate
torch.optim.Adam([torch.ones(2, requires_grad=True)], lr=-1.0)

# F.dropout: a probability out of range
x = F.dropout(torch.ones(2), 1.5)

# F.binary_cross_entropy: binary cross entropy out of range
x = F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))

# F.binary_cross_entropy: binary cross entropy of shapes that differ
x = F.binary_cross_entropy(torch.rand(2), torch.rand(3))

# nn.Linear: a state that does not fit
m = nn.Linear(2, 2)
m.load_state_dict({"weight": torch.ones(3, 2), "other": torch.ones(1)})

# Tensor.div_: an in-place result of another dtype
x = torch.arange(3)
x.div_(2)

# torch.zeros: a slice that is assigned the wrong shape
x = torch.zeros(4)
x[:2] = torch.ones(3)

# Tensor.split: splitting by sizes that do not add up
x = torch.arange(5).split([2, 2])

# torch.arange: unpacking too many
a, b = torch.arange(3)

# torch.tensor: iterating over a number
for x in torch.tensor(1.0):
    pass

# torch.tensor: the length of a number
n = len(torch.tensor(1.0))

# Tensor.gather: a gather with the wrong axes
x = torch.ones(2, 3).gather(1, torch.tensor([0, 1]))

# torch.tensor: an index of floating numbers
x = torch.ones(3)[torch.tensor([0.0])]

# topk of too many
x = torch.ones(3).topk(5)

# max of nothing
x = torch.empty(0).max()

# torch.randint: a randint without room
x = torch.randint(5, 5, (2,))

# torch.multinomial: a multinomial of too many
x = torch.multinomial(torch.ones(3), 5)

# torch.linalg.inv: an inverse that does not exist
x = torch.linalg.inv(torch.zeros(2, 2))

# squeeze of an axis that is not there
x = torch.ones(2).squeeze(3)

# F.one_hot: one-hot of negative labels
x = F.one_hot(torch.tensor([-1]))

# F.mse_loss: a loss with an unknown reduction
x = F.mse_loss(torch.ones(2), torch.ones(2), reduction="average")

# torch.autograd.grad: gradients of an integer result
x = torch.ones(2, requires_grad=True)
torch.autograd.grad(x.long().sum(), x)

# torch.tensor: a tensor is no key that equals
d = {torch.tensor(1): "a"}
print(torch.tensor(1) in d)

# torch.ones: deleting an element
x = torch.ones(3)
del x[0]

# torch.ones: calling a tensor
x = torch.ones(3)()

# torch.ones: assigning a shape
x = torch.ones(3)
x.shape = (1, 3)
