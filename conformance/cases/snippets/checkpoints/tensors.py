# a tensor
thing = torch.tensor([1.0, 2.0, 3.0])

# a number
thing = torch.tensor(2.5)

# nothing in it
thing = torch.empty(0, 3)

# every dtype
names = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"
thing = {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in names.split()}

# unsigned dtypes
thing = [torch.tensor([1, 2], dtype=d) for d in (torch.uint16, torch.uint32, torch.uint64)]

# a leaf that requires gradients
thing = torch.ones(2, requires_grad=True)

# a result of an operation
thing = torch.ones(2, requires_grad=True) * 2

# a parameter
thing = nn.Parameter(torch.arange(4.0).reshape(2, 2))

# a frozen parameter
thing = nn.Parameter(torch.ones(2), requires_grad=False)

# a transposed tensor
thing = torch.arange(6.0).reshape(2, 3).t()

# a slice, and what it was cut from
x = torch.arange(10.0)
thing = [x, x[2:5], x[::3]]

# a slice alone
thing = torch.arange(10.0)[3:6]

# an expanded tensor
thing = torch.ones(1).expand(3, 4)

# the same tensor twice
x = torch.ones(2)
thing = [x, x]

# channels last
thing = torch.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)

# not-a-number and infinities
thing = torch.tensor([float("nan"), float("inf"), -0.0, 1e-45])

# a large tensor
thing = torch.randn(300, 70)
