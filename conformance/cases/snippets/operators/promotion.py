# Tensor.split: the dtype of every function of one tensor, and what it refuses
names = """abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj_physical cos cosh deg2rad
digamma erf erfc erfinv exp exp2 expm1 floor frac isfinite isinf isnan isneginf isposinf lgamma log
log10 log1p log2 logical_not neg rad2deg reciprocal relu round rsqrt sgn sigmoid sign
signbit sin sinh sqrt square tan tanh trunc sum prod mean amax all any cumsum cumprod logsumexp
softmax var median sort argmax nansum count_nonzero""".split()
of_a_dimension = {"cumsum", "cumprod", "logsumexp", "softmax"}
for name in names:
    for d in "bool uint8 int8 int64 float16 bfloat16 float32 float64 complex64".split():
        x = torch.tensor([1, 0, 1]).to(getattr(torch, d))
        try:
            y = getattr(torch, name)(x, *[0] * (name in of_a_dimension))
            print(name, d, y.values.dtype if name == "sort" else y.dtype)
        except (RuntimeError, IndexError) as error:
            print(name, d, type(error).__name__, str(error).split("\n")[0])

# Tensor.to: the dtype of every function of two tensors, and what it refuses
names = """add sub mul div floor_divide remainder fmod pow atan2 maximum minimum fmax fmin eq ne lt le
gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift
bitwise_right_shift copysign hypot xlogy where""".split()
dtypes = [getattr(torch, d) for d in "bool uint8 int64 bfloat16 float32 float64 complex64".split()]
for name in names:
    for a in dtypes:
        for b in dtypes:
            x, y = torch.tensor([1, 2]).to(a), torch.tensor([1, 1]).to(b)
            try:
                z = torch.where(x > 0, x, y) if name == "where" else getattr(torch, name)(x, y)
                print(name, a, b, z.dtype, z.tolist() if z.dtype in dtypes[:3] else "")
            except (RuntimeError, IndexError) as error:
                print(name, a, b, type(error).__name__, str(error).split("\n")[0])

# torch.tensor: the dtype of every function of a tensor and a number, or a tensor without axes
names = """add sub mul div floor_divide remainder fmod pow eq ne lt ge bitwise_and bitwise_or xlogy
copysign clamp clamp_min clamp_max logical_and atan2 maximum""".split()
only_tensors = {"logical_and", "atan2", "maximum"}
for name in names:
    for d in "bool uint8 int64 bfloat16 float32 complex64".split():
        for n in (2, 2.5, torch.tensor(2), torch.tensor(2.5, dtype=torch.float64)):
            x = torch.tensor([1, 2]).to(getattr(torch, d))
            if name in only_tensors and not isinstance(n, torch.Tensor):
                continue
            try:
                z = getattr(torch, name)(x, n)
                print(name, d, n, z.dtype)
            except (RuntimeError, IndexError, TypeError) as error:
                print(name, d, n, type(error).__name__)

# Tensor.split: the dtype of activations, and what they refuse
names = """relu relu6 elu selu celu leaky_relu gelu silu mish softplus softsign hardswish hardsigmoid
hardtanh hardshrink softshrink tanhshrink logsigmoid threshold_ relu_ elu_ hardtanh_""".split()
for name in names:
    for d in "bool uint8 int64 float16 bfloat16 float32 float64 complex64".split():
        x = torch.tensor([1, 0, 3]).to(getattr(torch, d))
        try:
            y = getattr(F, name)(x, *[2, 1] * (name == "threshold_"))
            print(name, d, y.dtype)
        except (RuntimeError, IndexError) as error:
            print(name, d, type(error).__name__, str(error).split("\n")[0])

# Tensor.to: the dtype of what is written in place, and what is refused
names = "add_ sub_ mul_ div_ floor_divide_ remainder_ fmod_ pow_ eq_ lt_ logical_and_ copysign_ atan2_".split()
dtypes = [getattr(torch, d) for d in "bool uint8 int64 bfloat16 float32".split()]
for name in names:
    for a in dtypes:
        for b in dtypes:
            x, y = torch.tensor([1, 2]).to(a), torch.tensor([1, 1]).to(b)
            try:
                print(name, a, b, getattr(x, name)(y).dtype, x.tolist(), x._version)
            except (RuntimeError, IndexError) as error:
                print(name, a, b, type(error).__name__, str(error).split("\n")[0], x._version)
