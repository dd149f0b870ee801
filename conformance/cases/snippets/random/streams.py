# Poisson counts of many rates
a = torch.poisson(torch.linspace(0, 40, 4000))
b = torch.poisson(torch.logspace(0, 15, 3000, dtype=torch.float64))
c = torch.poisson(torch.tensor([0.0, 1e-8, 9.9999, 10.0, 10.0001, 12.0] * 300))
s = torch.get_rng_state()

# gamma values of many shapes
a = torch._standard_gamma(torch.linspace(0.01, 3, 3000))
b = torch._standard_gamma(torch.logspace(-3, 6, 3000, dtype=torch.float64))
c = torch._standard_gamma(torch.tensor([0.0, 0.33, 1.0, 0.999999, 1.000001, 2.0] * 200))
s = torch.get_rng_state()

# gamma values of shapes that are none
n, i = float("nan"), float("inf")
a = torch._standard_gamma(torch.tensor([i, n, -1.0, -0.5, -2 / 3, -1e-3, -i, 0.5]))
b = torch._standard_gamma(torch.tensor([i, n, -1.0, -0.5, -2 / 3, -1e-3, -i, 0.5]).double())
s = torch.get_rng_state()

# binomial counts of many chances
n = torch.linspace(0, 60, 3000).floor()
a = torch.binomial(n, torch.linspace(0, 1, 3000))
b = torch.binomial(n.double() * 100, torch.linspace(0, 1, 3000, dtype=torch.float64))
c = torch.binomial(torch.tensor([20.0, 19.0, 21.0, 10.0, 1e6] * 300), torch.full((1500,), 0.5))
s = torch.get_rng_state()

# binomial counts at the ends
n = torch.tensor([0.0, 5.0, 5.0, 5.0, -1.0, 5.0])
a = torch.binomial(n, torch.tensor([0.5, 0.0, 1.0, 2.0, 0.5, -0.5]))
b = torch.binomial(torch.tensor([5.0, 0.0]), torch.tensor([float("nan"), float("nan")]))

# binomial counts of two dtypes
torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64))

# binomial counts of integers
torch.binomial(torch.ones(2, dtype=torch.int64), torch.ones(2))

# binomial chances that are integers
torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.int64))

# binomial counts of half precision
torch.binomial(torch.ones(2).half(), torch.ones(2).half())

# gamma values of half precision
a = torch._standard_gamma(torch.ones(0).half())
torch._standard_gamma(torch.ones(2).half())

# Poisson counts of integers
torch.poisson(torch.tensor([1, 2]))

# Poisson counts of no rate
torch.poisson(torch.tensor([1.0, float("nan")]))

# permutations of many lengths
a = [torch.randperm(n) for n in (0, 1, 2, 3, 7, 199, 200, 201, 202, 255, 1000)]
b = [torch.randperm(n, dtype=torch.int32) for n in (5, 300)]
c = torch.randperm(256, dtype=torch.uint8), torch.randperm(20, dtype=torch.bfloat16)
d = torch.randperm(2049, dtype=torch.float16), torch.randperm(1, dtype=torch.int8)
s = torch.get_rng_state()

# a permutation too long for 8 bits
torch.randperm(257, dtype=torch.uint8)

# a permutation too long for signed 8 bits
torch.randperm(129, dtype=torch.int8)

# a permutation too long for half precision
torch.randperm(2050, dtype=torch.float16)

# a permutation of a dtype that has none
torch.randperm(3, dtype=torch.bool)

# integers between the ends of each dtype
a = (
    torch.randint(-128, 128, (40,), dtype=torch.int8),
    torch.randint(0, 256, (40,), dtype=torch.uint8),
)
b = (
    torch.randint(-(2**15), 2**15, (40,), dtype=torch.int16),
    torch.randint(0, 2, (9,), dtype=torch.bool),
)
c = torch.randint(-(2**31), 2**31, (40,), dtype=torch.int32), torch.randint(2**31 - 1, (40,))
d = torch.randint(-(2**63), 2**63 - 1, (40,)), torch.randint(2**63 - 3, 2**63 - 1, (40,))
s = torch.get_rng_state()

# integers from ranges around those that take one word
a = [
    torch.randint(n, (300,))
    for n in (1, 2, 255, 256, 2**28 - 1, 2**28, 2**28 + 1, 2**32, 2**32 + 1)
]
b = [torch.randint(-5, n, (260,)) for n in (-4, 0, 2**28 - 6, 2**28 - 5, 2**28 - 4, 2**33)]
c = [torch.randint(7, (n,)) for n in (255, 256, 257)], torch.randint(2**40, (257,))
s = torch.get_rng_state()

# integers in floating dtypes, near what they can hold
a = [torch.empty(20, dtype=d).random_() for d in (torch.float16, torch.bfloat16, torch.float32)]
b = [torch.randint(n, (20,), dtype=torch.float16) for n in (2047, 2048, 2049)]
c = [torch.randint(n, (20,), dtype=torch.bfloat16) for n in (255, 256, 257)]
d = [torch.randint(n, (20,), dtype=torch.float32) for n in (2**24 - 1, 2**24, 2**24 + 1)]
e = torch.empty(20, dtype=torch.float64).random_(), torch.randint(2**53, (20,), dtype=torch.float64)
s = torch.get_rng_state()

# integers in floating dtypes, beyond what they can hold
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    a = [torch.empty(9, dtype=torch.float16).random_(n, n + 70) for n in (2047, 2049, 4099, -4101)]
    b = [torch.empty(9, dtype=torch.bfloat16).random_(n, n + 70) for n in (255, 257, 1029, -1027)]
    c = [torch.empty(9).random_(n, n + 70) for n in (2**24 - 1, 2**24 + 1, 2**26 + 5, -(2**26) - 3)]
    d = [
        torch.empty(9, dtype=torch.float64).random_(n, n + 9999) for n in (2**53 + 1, -(2**55) - 5)
    ]

# a warning of integers beyond what half precision can hold
a = torch.empty(3, dtype=torch.float16).random_(2050, 2060)

# a warning of integers beyond what single precision can hold
a = torch.empty(3).random_(-(2**24) - 2, 2**24 + 2)

# no integers between two that round to one
torch.empty(3, dtype=torch.float16).random_(2049, 2050)

# too large for half precision
torch.empty(3, dtype=torch.float16).random_(0, 65506)

# just too large for a truth value
torch.randint(0, 3, (2,), dtype=torch.bool)

# just too large for 8 bits
torch.randint(0, 257, (2,), dtype=torch.uint8)

# just too small for 8 bits
torch.randint(-129, 5, (2,), dtype=torch.int8)

# just too large for 32 bits
torch.randint(0, 2**31 + 1, (2,), dtype=torch.int32)

# integers from one bound on
a = torch.empty(30, dtype=torch.int8).random_(100, None), torch.empty(30).random_(5, None)
b = (
    torch.empty(30, dtype=torch.int64).random_(-5, None),
    torch.empty(9, dtype=torch.bool).random_(0, None),
)
c = torch.empty(30, dtype=torch.int64).random_(-(2**63), None)
d = torch.empty(30, dtype=torch.float64).random_(-(2**63), None)
s = torch.get_rng_state()

# all 64 bits in a dtype that has fewer
torch.empty(30, dtype=torch.int32).random_(-(2**63), None)

# all 64 bits in half precision
torch.empty(30, dtype=torch.float16).random_(-(2**63), None)

# integers from a bound on that is too large
torch.empty(30, dtype=torch.float16).random_(3000, None)

# integers in complex numbers
torch.empty(3, dtype=torch.complex64).random_(0, 5)

# integers of any size in complex numbers
torch.empty(3, dtype=torch.complex64).random_()

# integers in all dtypes
a = [
    torch.empty(300, dtype=d).random_()
    for d in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
]
s = torch.get_rng_state()

# uniform numbers of many sizes, in all dtypes
a = [torch.rand(n) for n in (1, 7, 8, 9, 15, 16, 17, 623, 624, 625, 1300)]
b = [torch.rand(n, dtype=torch.float64) for n in (1, 16, 311, 312, 313, 700)]
c = [torch.rand(n, dtype=torch.float16) for n in (1, 16, 625)]
d = [torch.rand(n, dtype=torch.bfloat16) for n in (1, 16, 625)]
e = torch.rand(20, dtype=torch.complex64), torch.rand(20, dtype=torch.complex128)
s = torch.get_rng_state()

# uniform numbers between bounds
a = [torch.empty(100).uniform_(a, b) for a, b in ((-1, 1), (0, 1e30), (3, 3), (-1e-30, 0))]
b = torch.empty(100, dtype=torch.float64).uniform_(-5, 7), torch.empty(99).half().uniform_(-5, 7)
c = torch.empty(100, dtype=torch.bfloat16).uniform_(-5, 7), torch.empty(10, 10).t().uniform_(1, 2)

# uniform numbers beyond single precision
torch.empty(3).uniform_(-3e38, 3e38)

# uniform numbers beyond half precision
torch.empty(3).half().uniform_(0, 70000)

# normal numbers of many sizes, in all dtypes
a = [torch.randn(n) for n in (1, 2, 3, 7, 8, 15, 16, 17, 23, 24, 31, 32, 33, 47, 100, 1000)]
b = [torch.randn(n, dtype=torch.float64) for n in (1, 2, 15, 16, 17, 30, 625)]
c = [torch.randn(n, dtype=torch.float16) for n in (1, 15, 16, 17, 100)]
d = [torch.randn(n, dtype=torch.bfloat16) for n in (1, 15, 16, 17, 100)]
e = [torch.randn(n, dtype=torch.complex64) for n in (1, 7, 8, 9, 20)]
s = torch.get_rng_state()

# normal numbers into memory of every order
a = torch.empty(6, 4).t().normal_(), torch.empty(40)[::2].normal_(1, 2), torch.empty(5, 0).normal_()
b = torch.empty(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).normal_()
c = (
    torch.empty(9, 3)[:, 1].normal_(),
    torch.empty(4, 4)[1:, 1:].normal_(),
    torch.empty(()).normal_(),
)
s = torch.get_rng_state()

# normal numbers of many means and deviations
m = torch.linspace(-3, 3, 40)
a = torch.normal(m, 0.5), torch.normal(m, m.abs()), torch.normal(1.0, m.abs())
b = torch.normal(m[:, None], torch.ones(3)), torch.normal(2, 3, (4, 5)), torch.normal(m[:5], 0)
c = torch.normal(m.double(), 1.0), torch.normal(m.half(), 1.0)

# chances of many kinds
p = torch.linspace(0, 1, 300)
a = torch.bernoulli(p), p.bernoulli(), torch.empty(300).bernoulli_(p), torch.bernoulli(p.double())
b = torch.empty(300).bernoulli_(0.25), torch.empty(9, dtype=torch.int64).bernoulli_(p[100:109])
c = torch.empty(20, 15).t().bernoulli_(p.reshape(15, 20)), torch.bernoulli(p.half())
d = torch.empty(3, 4).bernoulli_(torch.tensor([0.1, 0.5, 0.9, 1.0]))
s = torch.get_rng_state()

# chances of a shape that does not fit
torch.empty(3, 4).bernoulli_(torch.full((3,), 0.5))

# chances with too many axes
torch.empty(4).bernoulli_(torch.full((3, 4), 0.5))

# waiting times and tails
a = torch.empty(400).exponential_(), torch.empty(400).exponential_(0.01)
b = torch.empty(400, dtype=torch.float64).exponential_(3), torch.empty(40).half().exponential_()
c = torch.empty(400).geometric_(0.3), torch.empty(400, dtype=torch.int64).geometric_(0.001)
d = torch.empty(400).cauchy_(), torch.empty(400).cauchy_(3, 0.1)
e = torch.empty(400).log_normal_(), torch.empty(400, dtype=torch.float64).log_normal_(0.5, 0.1)
s = torch.get_rng_state()

# choices without and with repetition
w = torch.tensor([0.0, 1.0, 2.0, 0.5, 0.0, 4.0])
a = torch.multinomial(w, 4), torch.multinomial(w, 200, True), torch.multinomial(w, 1)
b = torch.multinomial(w.repeat(5, 1), 3), torch.multinomial(w.repeat(5, 1), 50, True)
c = torch.multinomial(torch.ones(1000), 1000), torch.multinomial(w.double(), 100, True)
d = torch.multinomial(w.half(), 100, True), torch.multinomial(torch.ones(3, 7), 7)
s = torch.get_rng_state()

# dropout of many sizes and chances
x = torch.ones(700)
a = F.dropout(x, 0.5), F.dropout(x, 0.1), F.dropout(x, 0.999), F.dropout(x.double(), 0.3)
b = F.dropout(x.half(), 0.2), F.dropout(torch.ones(20, 35).t(), 0.2), F.dropout(x[::2], 0.2)
c = F.feature_dropout if hasattr(F, "feature_dropout") else 0
d = (
    F.dropout2d(torch.ones(20, 10, 2, 2), 0.5),
    F.alpha_dropout(x, 0.3),
    F.dropout1d(torch.ones(9, 9, 2)),
)
s = torch.get_rng_state()

# truncated normal numbers
a = [nn.init.trunc_normal_(torch.empty(300), 0.0, 1.0, -2.0, b) for b in (-1.9, 0.0, 2.0, 5.0)]
b = nn.init.trunc_normal_(torch.empty(300, dtype=torch.float64), 1.0, 0.1, 0.95, 1.2)
s = torch.get_rng_state()

# integers in floating dtypes, near powers of two
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    a = [torch.empty(9).random_(0, 2**n + k) for n in (24, 25, 26, 30) for k in (-1, 0, 1, 2, 3, 5)]
    b = [torch.empty(9).half().random_(0, 2**n + k) for n in (11, 12, 13) for k in (-1, 0, 1, 2, 3)]
    c = [
        torch.empty(9).bfloat16().random_(k, 2**n + k)
        for n in (8, 9, 12)
        for k in (-3, 1, 3, 5, 257)
    ]
    d = [torch.empty(9).random_(2**n + k, 2**27) for n in (24, 25, 26) for k in (1, 2, 3, 5)]
    e = [torch.empty(9).random_(-(2**n) - k, -(2**24) + 1) for n in (24, 25) for k in (1, 2, 3, 5)]
    f = [torch.empty(9).double().random_(2**53 + k, 2**54 + 3) for k in (1, 2, 3)]

# all 64 bits
a = torch.empty(300, dtype=torch.int64).random_(-(2**63), None)
b = [torch.empty(20, dtype=d).random_(-(2**63), None) for d in (torch.float32, torch.bfloat16)]

# normal numbers of huge deviation
a = (
    torch.empty(5, dtype=torch.float64).normal_(0, 1e290),
    torch.empty(5, dtype=torch.float64).normal_(1e280, 1e290),
)
b = (
    torch.empty(20, dtype=torch.float64).normal_(3, 1e290),
    torch.empty(20, dtype=torch.float64).uniform_(1, 1e290),
)

# bounds of random_ between the numbers that a dtype has
for dtype, digits in (
    (torch.bfloat16, 8),
    (torch.float16, 11),
    (torch.float32, 24),
    (torch.float64, 53),
):
    one = 2**digits
    for low, high in (
        (one + 1, one + 4),
        (one + 1, one + 2),
        (one - 1, one + 2),
        (2 * one + 1, 2 * one + 7),
        (2 * one + 3, 2 * one + 5),
        (2 * one - 1, 2 * one + 3),
        (-one - 3, -one - 1),
        (-2 * one - 5, -2 * one + 1),
        (-one - 1, one + 1),
        (0, one),
        (0, one + 1),
        (one, one + 3),
        (4 * one + 1, None),
        (one - 2, None),
        (one, None),
        (one + 1, None),
        (2**62 + 1, 2**63 - 1),
        (-(2**63) + 1, 2**63 - 1),
        (-(2**63), 5),
    ):
        torch.manual_seed(1)
        try:
            print(dtype, low, high, torch.empty(5, dtype=dtype).random_(low, high).tolist())
        except RuntimeError as error:
            print(dtype, low, high, error)

# bounds of random_ at the ends of integers
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool):
    last = 1 if dtype == torch.bool else torch.iinfo(dtype).max
    first = 0 if dtype == torch.bool else torch.iinfo(dtype).min
    for low, high in (
        (first, last),
        (first, last + 1),
        (first, last + 2),
        (first - 1, last),
        (last, None),
        (min(last + 1, 2**63 - 1), None),
        (last - 1, None),
        (first, None),
        (max(first - 1, -(2**63)), None),
        (first + 1, None),
        (last, last),
        (last - 1, last),
        (0, last),
        (0, min(2**33, last)),
        (-5, min(2**33, last)),
    ):
        torch.manual_seed(1)
        try:
            print(dtype, low, high, torch.empty(5, dtype=dtype).random_(low, high).tolist())
        except (RuntimeError, TypeError, ValueError, OverflowError) as error:
            print(dtype, low, high, type(error).__name__, str(error).splitlines()[:1])
for dtype in (torch.uint16, torch.uint32, torch.uint64):
    for low, high in ((0, 7), (2**15, 2**16), (2**31, 2**32), (5, None), (0, 2**63 - 1), (-1, 3)):
        torch.manual_seed(1)
        try:
            print(dtype, low, high, torch.empty(5, dtype=dtype).random_(low, high).tolist())
        except (RuntimeError, NotImplementedError) as error:
            print(dtype, low, high, type(error).__name__, error)
