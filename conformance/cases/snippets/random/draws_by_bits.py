# words made without NumPy's generator
import sys

kept = sys.modules.pop("numpy.random", None)
try:
    g = torch.Generator().manual_seed(2**40 + 7)
    a = torch.rand(700, generator=g), torch.randint(0, 2**40, (300,), generator=g)
    b = torch.rand(2000, dtype=torch.float64, generator=g)[-9:]
    s = g.get_state()
finally:
    if kept is not None:
        sys.modules["numpy.random"] = kept
del kept


# a chance that is the number drawn
def again(draw, u):
    torch.manual_seed(3)
    return draw(u)


a = [again(torch.bernoulli, again(torch.rand, 40)) for _ in range(1)]
u = again(lambda n: torch.rand(n, dtype=torch.float64), 40)
b = again(torch.bernoulli, u), again(lambda u: torch.zeros(40).bernoulli_(u), u)
p = again(torch.rand, 1).item()
q = again(lambda n: torch.rand(n, dtype=torch.float64), 1).item()
c = [
    again(lambda p: torch.zeros(4, dtype=t).bernoulli_(p), r)
    for r in (p, q)
    for t in (torch.float32, torch.float64)
]
d = [
    again(lambda p: F.dropout(torch.ones(4, dtype=t), p), r)
    for r in (p, 1 - p, q, 1 - q)
    for t in (torch.float32, torch.float64)
]
e = again(lambda u: torch.multinomial(torch.stack([u, 1 - u], 1), 1), u)

# one trial of no chance
n = float("nan")
a = torch.binomial(torch.tensor([1.0, 0.0, -1.0, 2.0]), torch.tensor([n, n, n, n]))

# uniform numbers between ends that lie close together
e = 2.0**-23
for low, high in (
    (1.0, 1 + e),
    (1.0, 1 + 3 * e),
    (0.1, 0.1 + e / 16),
    (-1.0, -1 + e),
    (2.0**24 - 1, 2.0**24),
    (2.0**24, 2.0**24 + 2),
    (-(2.0**23), 2.0**23),
    (0.0, 1.0),
    (0.1, 0.3),
    (-1e30, 1e30),
):
    x = torch.empty(3000).uniform_(low, high)
    print(low, high, x.min().item(), x.max().item(), x.double().sum().item(), (x == high).sum())
    x = torch.empty(300, dtype=torch.bfloat16).uniform_(low, high)
    print(x.min().item(), x.max().item(), x.double().sum().item())
del x

# Poisson counts of nothing at a rate of ten
a = torch.poisson(torch.full((60000,), 10.0))
b = (a == 0).sum(), a.sum()
del a

# integers between bounds that a dtype rounds
found = []
for dtype in (torch.bfloat16, torch.float16):
    digits = 8 if dtype is torch.bfloat16 else 11
    for low in range(2**digits + 1, 2**digits + 10):
        found.append(torch.zeros(40, dtype=dtype).random_(low, low + 7))
        found.append(torch.zeros(40, dtype=dtype).random_(4 * low + 1, 4 * low + 12))
        found.append(torch.zeros(40, dtype=dtype).random_(-low - 9, -low))
        found.append(torch.zeros(40, dtype=dtype).random_(-4 * low - 23, -4 * low - 3))

# an interval that is wider than what a dtype holds
for dtype, most in ((torch.float16, 65504.0), (torch.float32, 3.4e38), (torch.float64, 1.7e308)):
    for low, high in ((-most, most), (-most, 0.5), (-most, 0.0), (-0.5, most)):
        try:
            print(torch.zeros(2, dtype=dtype).uniform_(low, high).shape)
        except RuntimeError as error:
            print(error)

# a state that is set before anything is drawn
one, other = torch.Generator(), torch.Generator()
one.manual_seed(3)
other.set_state(one.get_state())
print(torch.equal(one.get_state(), other.get_state()))
drawn = torch.rand(3, generator=other)
other.set_state(one.get_state())
print(torch.equal(one.get_state(), other.get_state()), other.initial_seed())
again = torch.rand(3, generator=other)
