# torch.special.bessel_j0: special functions far from the origin, and very near to it
names = """airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv exp2 expit
expm1 gammaln i0 i0e i1 i1e log1p log_ndtr logit modified_bessel_i0 modified_bessel_i1
modified_bessel_k0 modified_bessel_k1 ndtr ndtri psi round scaled_modified_bessel_k0
scaled_modified_bessel_k1 sinc spherical_bessel_j0""".split()
powers = torch.tensor([10.0**n for n in range(-12, 5)], dtype=torch.float64)
x = torch.cat((torch.linspace(-60.3, 60.4, 401, dtype=torch.float64), powers, -powers))
doubles = {name: getattr(torch.special, name)(x) for name in names}
floats = {name: getattr(torch.special, name)(x.float()) for name in names}
# torch.lgamma: other functions far from the origin
names = """acosh asinh atan cos cosh deg2rad erf exp expm1 lgamma log log10 log1p log2 mvlgamma rsqrt
sigmoid sin sinc sinh sqrt tan tanh""".split()
powers = torch.tensor([10.0**n for n in range(-12, 5)], dtype=torch.float64)
x = torch.cat((torch.linspace(-60.3, 60.4, 401, dtype=torch.float64), powers, -powers))
more = {"mvlgamma": (2,)}
doubles = {name: getattr(torch, name)(x, *more.get(name, ())) for name in names}
floats = {name: getattr(torch, name)(x.float(), *more.get(name, ())) for name in names}
# torch.special.zeta: functions of two numbers, near and far
a = torch.tensor(
    [-7.5, -2.0, -0.3, 0.0, 1e-6, 0.7, 1.0, 1.5, 3.0, 12.0, 40.0, 300.0], dtype=torch.float64
)
b = a[:, None]
few, other = a[:-2].abs(), b[:-2].abs()  # from 20 on torch's numbers err by 3e-10, SciPy's by 1e-16
gamma = torch.special.gammainc(few, other), torch.special.gammaincc(few, other)
zeta = torch.special.zeta(a, b)
logs = torch.special.xlogy(a, b.abs()), torch.special.xlog1py(a, b.abs())
angles = torch.atan2(a, b), torch.hypot(a, b), torch.fmod(a, b), torch.remainder(a, b)
sums = torch.logaddexp(a, b), torch.logaddexp2(a, b)
powers = a**b, torch.float_power(a, b), torch.ldexp(a, b.int())
gammas = torch.polygamma(1, a), torch.polygamma(2, a), torch.polygamma(4, a)
