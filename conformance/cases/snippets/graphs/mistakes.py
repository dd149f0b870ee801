# backward of what is no scalar
x = torch.ones(2, requires_grad=True)
(x * 2).backward()

# backward of what has no graph
x = torch.ones(2)
x.sum().backward()

# backward under no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x.sum()
y.backward()

# a view of the wrong size
x = torch.ones(2, 3).view(4)

# a view with two unknowns
x = torch.ones(2, 3).view(-1, -1)

# a view of what is not contiguous
x = torch.ones(2, 3).t().view(6)

# a reshape of the wrong size
x = torch.ones(2, 3).reshape(4, 2)

# an index out of range
x = torch.ones(3)[5]

# too many indices
x = torch.ones(3)[0, 1]

# an index that is no integer
x = torch.ones(3)[1.5]

# a mask of the wrong shape
x = torch.ones(3)[torch.tensor([True, False])]

# an axis out of range
x = torch.ones(2, 3).sum(2)

# an axis twice
x = torch.ones(2, 3).sum((0, 0))

# joining shapes that differ
x = torch.cat([torch.ones(2, 3), torch.ones(2, 4)])

# stacking shapes that differ
x = torch.stack([torch.ones(2), torch.ones(3)])

# stacking nothing
x = torch.stack([])

# item of many
x = torch.ones(2).item()

# the truth of many
if torch.ones(2):
    pass

# float of many
x = float(torch.ones(2))

# a ragged list
x = torch.tensor([[1, 2], [3]])

# a list of strings
x = torch.tensor(["a"])

# a tensor of None
x = torch.tensor([None])

# numpy of what requires gradients
x = torch.ones(2, requires_grad=True).numpy()

# cuda without cuda
x = torch.ones(2).cuda()

# a device that does not exist
x = torch.ones(2, device="tpu")

# a name that does not exist
x = torch.ones(2).foo

# an argument of the wrong type
x = torch.add("a", 1)

# too many arguments
x = torch.exp(torch.ones(2), 1, 2)

# zeros of a negative size
x = torch.zeros(-1)

# zeros of a floating size
x = torch.zeros(2.5)

# expanding what cannot be expanded
x = torch.ones(2, 3).expand(2, 4)

# a permutation that is none
x = torch.ones(2, 3).permute(0, 0)

# a permutation of too few axes
x = torch.ones(2, 3).permute(0)

# transposing three axes by t
x = torch.ones(2, 3, 4).t()

# a label out of range
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))

# labels of the wrong dtype
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0]))

# a batch of another size
x = F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))

# an embedding out of range
x = nn.Embedding(3, 2)(torch.tensor([3]))

# an input of the wrong width
x = nn.Linear(3, 4)(torch.ones(2, 5))

# an input with the wrong channels
x = nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8))

# a kernel larger than its input
x = nn.Conv2d(1, 1, 5)(torch.ones(1, 1, 3, 3))

# batch normalisation of one sample
x = nn.BatchNorm1d(3)(torch.ones(1, 3))

# batch normalisation of the wrong width
x = nn.BatchNorm1d(3)(torch.ones(2, 4))

# a weight that is no parameter
m = nn.Linear(2, 2)
m.weight = torch.ones(2, 2)


# an attribute before super().__init__
class Net(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)


Net()

# a module without forward
nn.Module()(1)

# an optimizer without parameters
torch.optim.SGD([], lr=0.1)

# an optimizer of a tensor
torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)

# an optimizer of a result
torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)

# a negative learning rate
torch.optim.Adam([torch.ones(2, requires_grad=True)], lr=-1.0)

# a probability out of range
x = F.dropout(torch.ones(2), 1.5)

# binary cross entropy out of range
x = F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))

# binary cross entropy of shapes that differ
x = F.binary_cross_entropy(torch.rand(2), torch.rand(3))

# a state that does not fit
m = nn.Linear(2, 2)
m.load_state_dict({"weight": torch.ones(3, 2), "other": torch.ones(1)})

# an in-place result of another dtype
x = torch.arange(3)
x.div_(2)

# a slice that is assigned the wrong shape
x = torch.zeros(4)
x[:2] = torch.ones(3)

# splitting by sizes that do not add up
x = torch.arange(5).split([2, 2])

# unpacking too many
a, b = torch.arange(3)

# iterating over a number
for x in torch.tensor(1.0):
    pass

# the length of a number
n = len(torch.tensor(1.0))

# a gather with the wrong axes
x = torch.ones(2, 3).gather(1, torch.tensor([0, 1]))

# an index of floating numbers
x = torch.ones(3)[torch.tensor([0.0])]

# topk of too many
x = torch.ones(3).topk(5)

# max of nothing
x = torch.empty(0).max()

# a randint without room
x = torch.randint(5, 5, (2,))

# a multinomial of too many
x = torch.multinomial(torch.ones(3), 5)

# an inverse that does not exist
x = torch.linalg.inv(torch.zeros(2, 2))

# squeeze of an axis that is not there
x = torch.ones(2).squeeze(3)

# one-hot of negative labels
x = F.one_hot(torch.tensor([-1]))

# a loss with an unknown reduction
x = F.mse_loss(torch.ones(2), torch.ones(2), reduction="average")

# gradients of an integer result
x = torch.ones(2, requires_grad=True)
torch.autograd.grad(x.long().sum(), x)

# a tensor is no key that equals
d = {torch.tensor(1): "a"}
print(torch.tensor(1) in d)

# deleting an element
x = torch.ones(3)
del x[0]

# calling a tensor
x = torch.ones(3)()

# assigning a shape
x = torch.ones(3)
x.shape = (1, 3)
