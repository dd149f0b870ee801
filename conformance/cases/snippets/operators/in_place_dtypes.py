# torch.Tensor.abs_: methods of one operand that write into tensors of other dtypes
import warnings

warnings.simplefilter("ignore")  # torch warns of complex32 wherever it makes one inside


def told(name, dtype):
    x = torch.tensor([0, 1, 2]).to(dtype)
    before = x._version
    try:
        result = getattr(getattr(x, name)(), name)()  # twice: the second finds a version there
        print(name, dtype, result is x, x.dtype, x._version - before)
    except Exception as error:
        print(name, dtype, x._version - before, type(error).__name__, error)
    return x


names = """abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
atanh bitwise_not ceil conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix
floor frac i0 lgamma log log10 log1p log2 logical_not logit nan_to_num neg negative rad2deg
reciprocal relu round rsqrt sgn sigmoid sign sin sinc sinh sqrt square t tan tanh trunc zero""".split()
kinds = (torch.bool, torch.uint8, torch.int32, torch.int64, torch.float16, torch.bfloat16)
kinds += (torch.float64, torch.complex64, torch.complex32, torch.uint16)
left = {
    f"{name} {dtype}": told(f"{name}_", dtype)
    for name in names
    for dtype in kinds
    if hasattr(torch.Tensor, f"{name}_")
}


# torch.Tensor.add_: methods of two operands that write into tensors of other dtypes
import warnings

warnings.simplefilter("ignore")  # torch warns of complex32 wherever it makes one inside


def told(name, own, other):
    x, y = torch.tensor([1, 2, 3]).to(own), torch.tensor([2, 1, 2]).to(other)
    before = x._version
    try:
        result = getattr(getattr(x, name)(y), name)(y)
        print(name, own, other, result is x, x.dtype, x._version - before)
    except Exception as error:
        print(name, own, other, x._version - before, type(error).__name__, error)
    return x


names = """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_xor copysign div divide
eq floor_divide fmod gcd ge gt heaviside hypot igamma lcm le ldexp logical_and logical_or logical_xor
lt mul multiply ne nextafter pow remainder sub subtract true_divide xlogy""".split()
kinds = torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.complex64
left = {f"{name} {a} {b}": told(f"{name}_", a, b) for name in names for a in kinds for b in kinds}
