# seeding returns the default generator
g = torch.manual_seed(7)
a, b = g.initial_seed(), torch.initial_seed()
print(g is torch.default_generator, g.device, a, b)

# a generator without a seed
g = torch.Generator()
a, s = g.initial_seed(), g.get_state()
x = torch.rand(3, generator=g)

# seeds of many kinds
a = [torch.manual_seed(n).initial_seed() for n in (0, -1, 2**63, 2**64 - 1, True, 3.7)]
x = torch.rand(2)

# a seed that is too large
torch.manual_seed(2**64)

# a seed that is none
torch.manual_seed("a")

# a generator's seed must be an integer
torch.Generator().manual_seed(1.5)

# state is taken and given back
s = torch.get_rng_state()
a = torch.rand(5)
torch.set_rng_state(s)
b = torch.rand(5)
print(torch.equal(a, b), s.dtype, s.shape)

# the state of a carried normal
torch.manual_seed(3)
a = torch.randn(3)
s = torch.get_rng_state()
b = torch.randn(1)
torch.set_rng_state(s)
c = torch.randn(1)

# seeding forgets a carried normal
torch.randn(3)
torch.manual_seed(5)
a = torch.randn(1)

# a carried normal is left alone by long draws and others
a = torch.randn(3)
b = torch.randn(16)
c = torch.rand(2)
d = torch.randn(2)

# a carried normal goes to another dtype and scale
a = torch.randn(1)
b = torch.empty(1, dtype=torch.float64).normal_(5, 2)
c = torch.empty(1).log_normal_()

# a state of the wrong size
torch.set_rng_state(torch.zeros(10, dtype=torch.uint8))

# a state of the wrong dtype
torch.set_rng_state(torch.zeros(5056))

# a state that is none
torch.set_rng_state("state")

# a state of zeros
torch.set_rng_state(torch.zeros(5056, dtype=torch.uint8))

# fork_rng
with torch.random.fork_rng():
    a = torch.rand(2)
b = torch.rand(2)

# fork_rng, switched off
with torch.random.fork_rng(enabled=False):
    a = torch.rand(2)
b = torch.rand(2)

# a generator that is cloned
g = torch.Generator().manual_seed(1)
a = torch.rand(3, generator=g)
h = g.clone_state()
b, c = torch.rand(3, generator=g), torch.rand(3, generator=h)

# a generator's state is given to another
g, h = torch.Generator().manual_seed(1), torch.Generator()
torch.rand(700, generator=g)
h.set_state(g.get_state())
a, b = torch.rand(3, generator=g), torch.rand(3, generator=h)

# a generator that is pickled
import pickle

g = torch.Generator().manual_seed(9)
torch.rand(3, generator=g)
h = pickle.loads(pickle.dumps(g))
a, b = torch.rand(3, generator=g), torch.rand(3, generator=h)

# a generator leaves the default one alone
torch.manual_seed(2)
a = torch.rand(3, generator=torch.Generator().manual_seed(2))
b = torch.rand(3)

# across many blocks of words
a = torch.rand(623)
b = torch.rand(2)
c = torch.rand(1300, dtype=torch.float64)
s = torch.get_rng_state()

# exactly one block of words
a = torch.rand(624)
s = torch.get_rng_state()
b = torch.rand(1)

# something that is no generator
torch.rand(2, generator=5)

# out= of random functions
x = torch.zeros(4)
a = torch.rand(4, out=x)
y = torch.zeros(5, dtype=torch.int64)
b = torch.randperm(5, out=y)
c = torch.randn(2, 2, out=torch.zeros(2, 2))

# gradients of random functions
x = torch.full((3,), 0.5, requires_grad=True)
y = x.bernoulli()
z = (x * 1).uniform_()
(z + y).sum().backward()

# normal with gradients
m = torch.zeros(3, requires_grad=True)
a = torch.normal(m, 1.0)
b = m + torch.randn(3)
b.sum().backward()

# in-place on a leaf
x = torch.zeros(3, requires_grad=True)
x.normal_()

# into memory that overlaps itself
x = torch.zeros(1).expand(4)
x.uniform_()

# dropout's gradient
x = torch.ones(6, requires_grad=True)
y = F.dropout(x, 0.5)
y.sum().backward()
print(y, x.grad)

# a random size, a negative size, a floating size
a = torch.rand(torch.Size([2, 1]))
torch.rand(-1)

# randint without bounds
torch.randint(5)

# randperm of a negative number
torch.randperm(-1)

# randperm of what a dtype cannot hold
torch.randperm(300, dtype=torch.uint8)

# numpy's and Python's generators are others
import random

random.seed(0)
torch.manual_seed(0)
a = random.random()
b = torch.rand(1)

# seed() makes a new seed
a = torch.seed()
b = torch.initial_seed()
same = a == b
del a, b
torch.manual_seed(0)

# a shuffled data set
torch.manual_seed(0)
i = torch.randperm(6)
x = torch.arange(6)[i]
print(x)

# a split into training and test data
from torch.utils.data import random_split

a, b = random_split(range(10), [7, 3])
c, d, e = random_split(range(10), [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(1))
print(list(a), list(b), list(c), list(d), list(e))

# batches of a shuffled loader
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(10), torch.arange(10.0))
batches = [list(batch) for _ in range(2) for batch in DataLoader(data, 4, shuffle=True)]

# a loader with a generator
from torch.utils.data import DataLoader

loader = DataLoader(range(7), 3, shuffle=True, generator=torch.Generator().manual_seed(5))
batches = [batch for _ in range(2) for batch in loader]

# a loader that does not shuffle draws as well
from torch.utils.data import DataLoader

batches = list(DataLoader(range(5), 2))
x = torch.rand(1)

# samplers
from torch.utils.data import RandomSampler, SubsetRandomSampler, WeightedRandomSampler

a = list(RandomSampler(range(5)))
b = list(RandomSampler(range(5), replacement=True, num_samples=40))
c = list(SubsetRandomSampler([3, 1, 2]))
d = list(WeightedRandomSampler([0.1, 0.9, 0.4], 5))
print(a, b, c, d)

# layers draw in the order in which they are made
m = nn.Sequential(nn.Linear(3, 4), nn.Conv2d(2, 3, 3), nn.Embedding(5, 2, padding_idx=1))
p = list(m.parameters())
x = torch.rand(1)

# layers without random numbers
m = nn.Sequential(nn.BatchNorm2d(3), nn.LayerNorm(4), nn.ReLU(), nn.PReLU())
x = torch.rand(1)

# a layer is reset
m = nn.Linear(2, 2)
m.reset_parameters()
p = list(m.parameters())

# distributions
from torch.distributions import Bernoulli, Categorical, Normal, Uniform

a = Normal(torch.zeros(3), torch.ones(3)).sample()
b = Uniform(0.0, 2.0).sample((2,))
c = Categorical(torch.tensor([0.2, 0.8])).sample((4,))
d = Bernoulli(torch.tensor([0.3, 0.6])).sample()

# states of a generator that was just seeded, and of one that has drawn, set and read again
g = torch.Generator().manual_seed(5)
fresh = g.get_state()
g.set_state(fresh)
again = g.get_state()
x = torch.rand(3, generator=g)
drawn = g.get_state()
g.set_state(drawn)
same = torch.equal(again, fresh), torch.equal(g.get_state(), drawn)
y = torch.rand(624, generator=g)
full = g.get_state()
g.set_state(full)
print(same, torch.equal(g.get_state(), full), [s[8:24].tolist() for s in (again, drawn, full)])

# two of several, with and without putting back
w = torch.tensor([[0.1, 0.5, 0.2, 0.9], [1.0, 0.3, 0.4, 0.2]])
a = [torch.multinomial(w, 2) for _ in range(4)]
b = [torch.multinomial(w, 2, replacement=True) for _ in range(4)]
c = [torch.multinomial(w[0], n, r) for n in (1, 2, 3) for r in (False, True)]

# whole numbers below bounds with few bits
a = [
    torch.randint(n, (40,)) for n in (1, 2, 3, 5, 6, 7, 8, 9, 12, 16, 17, 24, 48, 2**20, 2**24 + 1)
]
b = [torch.randint(2**k, 2**k + 6, (9,)) for k in (1, 31, 32, 33, 40)]
c = [torch.randint(2**32 + k, (9,)) for k in (0, 1, 2**31, 2**32)]

# states of which no generator can be
s = torch.Generator().manual_seed(5).get_state()
for place, value in ((8, 0), (9, 3), (17, 3), (12, 0)):
    wrong = s.clone()
    wrong[place] = value
    try:
        torch.Generator().set_state(wrong)
        print(place, "taken")
    except RuntimeError as error:
        print(place, str(error)[:60])
for following in (623, 624, 625):
    wrong = s.clone()
    wrong[16], wrong[17] = following % 256, following // 256
    try:
        torch.Generator().set_state(wrong)
        print(following, "taken")
    except RuntimeError as error:
        print(following, str(error)[:60])

# states before and after the end of a block, set again
for count in (1, 622, 623, 624, 625, 1247, 1248):
    g, h = torch.Generator().manual_seed(7), torch.Generator()
    torch.rand(count, generator=g)
    state = g.get_state()
    h.set_state(state)
    same = torch.equal(h.get_state(), state)
    print(count, same, torch.rand(3, generator=g), torch.rand(3, generator=h))
    print(torch.equal(g.get_state(), h.get_state()))

# whole numbers as far as floating ones count, and farther
for dtype, digits in ((torch.float16, 11), (torch.bfloat16, 8), (torch.float32, 24)):
    for power in (digits - 1, digits, digits + 1, digits + 3):
        for low, high in ((0, 0), (0, 1), (0, 2), (-1, 3), (-2, -1)):
            x, low, high = torch.zeros(9, dtype=dtype), 2**power * (low < -1) + low, 2**power + high
            try:
                print(dtype, low, high, x.random_(low, high))
            except RuntimeError as error:
                print(dtype, low, high, str(error)[:70])
