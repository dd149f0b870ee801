# torch.arange: memory that is read and written: an index
a = torch.arange(6.0)
a[[0]] = a[:1]

# Tensor.random_: random integers at the ends of what a dtype holds
for dtype, digits in (
    (torch.float32, 24),
    (torch.float64, 53),
    (torch.bfloat16, 8),
    (torch.float16, 11),
):
    for low, high in (
        (-(2**digits), 2**digits),
        (-(2**digits) - 1, 5),
        (0, 2**digits + 1),
        (0, 2**digits + 2),
        (2**digits - 1, 2**digits + 4),
        (-(2**digits) - 3, -(2**digits) + 2),
        (0, 1),
        (-1, 1),
    ):
        try:
            print(
                dtype, low, high, torch.empty(4, dtype=dtype).random_(low, high).double().tolist()
            )
        except RuntimeError as error:
            print(error)

# torch.range: sequences to the last bit
for given in ((0, 1, 0.1), (0.3, 5.7, 0.37), (-3, 3, 0.7), (1, 0, -0.06)):
    print(
        torch.arange(*given).double().tolist(),
        torch.arange(*given, dtype=torch.float64).tolist(),
        torch.range(*given, dtype=torch.float64).tolist(),
        torch.range(*given).double().tolist(),
    )
for start, end, steps in ((0, 1, 7), (-2.5, 1.7, 33), (3, 1, 10)):
    print(
        torch.linspace(start, end, steps).double().tolist(),
        torch.linspace(start, end, steps, dtype=torch.float64).tolist(),
    )


# Tensor.random_: random numbers at the bounds of their parameters
def shown(call):
    try:
        print(call().double().tolist())
    except Exception as error:
        print(type(error).__name__, error)


n = torch.ones(40)
for count, p in (
    (20, 0.5),
    (21, 0.5),
    (19, 0.5),
    (1, 0.0),
    (0, 0.3),
    (5, 1.0),
    (40, 0.75),
    (1000, 0.01),
    (3, -0.5),
    (-2, 0.5),
):
    shown(lambda: torch.binomial(n * count, n * p))
    shown(lambda: torch.binomial(n.double() * count, n.double() * p))
for rate in (0.0, 0.5, 9.999, 10.0, 10.5, 12.0, 100.0, 3000.0, -1.0):
    shown(lambda: torch.poisson(n * rate))
    shown(lambda: torch.poisson(n.double() * rate))
for alpha in (0.0, 0.25, 1.0, 1.5, 40.0):
    shown(lambda: torch._standard_gamma(n * alpha))
for size in (1, 2, 3, 8, 15, 16, 17, 31, 32, 33):
    shown(lambda: torch.empty(size).normal_(1, 0.0))
    shown(lambda: torch.empty(size, dtype=torch.float64).normal_(1, 2))
    shown(lambda: torch.empty(size).exponential_(0.5))
    shown(lambda: torch.empty(size).random_(0, 2**33))
    shown(lambda: torch.empty(size, dtype=torch.int64).random_(-5, 2**40))
    shown(lambda: torch.empty(size, dtype=torch.uint8).random_())
    shown(lambda: torch.empty(size, dtype=torch.bool).random_())
    shown(lambda: torch.randperm(size))
    shown(lambda: torch.bernoulli(torch.full((size,), 0.5)))
    shown(lambda: torch.empty(size).bernoulli_(0.25))
    shown(lambda: torch.multinomial(torch.arange(1.0, size + 1), size))
    shown(lambda: torch.multinomial(torch.arange(1.0, size + 1), size + 1, True))
for size in (0, 1, 2, 3):
    shown(lambda: torch.randperm(size, dtype=torch.float16))
    shown(lambda: torch.randperm(size, dtype=torch.int8))
for count, dtype in (
    (128, torch.int8),
    (129, torch.int8),
    (256, torch.uint8),
    (257, torch.uint8),
    (2049, torch.float16),
    (2050, torch.float16),
    (257, torch.bfloat16),
    (258, torch.bfloat16),
):
    shown(lambda: torch.randperm(count, dtype=dtype)[:5])
shown(lambda: torch.empty(3).uniform_(1, 1))
shown(lambda: torch.empty(3).uniform_(-1.7e38, 1.7e38))
shown(lambda: torch.empty(3).uniform_(-3e38, 3e38))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(7, 8))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(-(2**63), None))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(0, None))
shown(lambda: torch.empty(3, dtype=torch.uint8).random_(5, None))
shown(lambda: torch.bernoulli(torch.tensor([0.0, 1.0, 0.5])))
shown(lambda: torch.bernoulli(torch.tensor([0.0, 1.0, 0.5], dtype=torch.float64)))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 4, True))
shown(lambda: torch.empty(3).geometric_(0.999))
shown(lambda: torch.empty(3).log_normal_(0, 1e-3))

# torch.arange: every bit of numbers in equal steps
bits = []
for start, end, step in ((0, 5, 0.1), (1e-3, 7, 0.3), (-3.7, 4, 1 / 7), (9, -9, -0.7)):
    bits.append(torch.arange(start, end, step, dtype=torch.float64).view(torch.int64))
    bits.append(torch.arange(start, end, step, dtype=torch.float32).view(torch.int32))
    for count in (17, 40, 129):
        bits.append(torch.linspace(start, end, count, dtype=torch.float64).view(torch.int64))
        bits.append(torch.linspace(start, end, count, dtype=torch.float32).view(torch.int32))
