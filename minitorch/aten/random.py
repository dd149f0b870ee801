"""Random tensors: factories, draws shaped by parameters, and the in-place fills.

The numbers come from core/sampling, bit for bit those of torch on the CPU. A CUDA tensor is filled
with what the same distribution gives on the host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.aten.factories import check_dtype, finished, like, shape_of, space_of
from minitorch.core import sampling
from minitorch.core.arrays import layout as layouts
from minitorch.core.arrays import namespace
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.install import ROWS
from minitorch.core.declare.recording import record
from minitorch.core.declare.row import ELEMENTWISE, Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.writing import resize
from minitorch.core.graph.modes import recording
from minitorch.core.graph.views import check_no_overlap, check_writable, edge_of, written
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import TensorBase, tensor
from minitorch.core.tensor.generator import Generator, source

Draw = Callable[..., None]


def fill(x: Any, generator: Any, draw: Draw, *parameters: Any) -> Any:
    """Fills the array `x` by draw(machine, array, *parameters), and returns it."""
    xp = namespace(x)
    if xp.device_type == "cpu":
        draw(source(generator), x, *parameters)
        return x
    host = numpy.empty(x.shape, x.dtype)
    parameters = tuple([xp.to_numpy(p) if hasattr(p, "dtype") else p for p in parameters])
    draw(source(generator, xp.device_type), host, *parameters)
    x[...] = xp.asarray(host)
    return x


def check_generator(name: str, generator: Any) -> None:
    """TypeError unless it is a Generator or None."""
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(
            f"{name}(): argument 'generator' must be torch.Generator, "
            f"not {type(generator).__name__}"
        )


def real_number(name: str, argument: str, position: int, value: Any) -> float:
    """`value` as a float. TypeError with torch's text if it is no real number."""
    if type(value) is float:
        return value
    if isinstance(value, TensorBase):
        if value._array.ndim == 0 and value._array.dtype.kind != "c" and edge_of(value) is None:
            return float(value._array)
    elif isinstance(value, (int, float, numpy.number)) and not isinstance(value, complex):
        return float(value)  # type: ignore[arg-type]
    kind = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
    raise TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be float, not {kind}"
    )


def whole_number(name: str, argument: str, position: int, value: Any) -> int:
    """`value` as an int. TypeError with torch's text if it is no integer."""
    if type(value) is not bool and hasattr(value, "__index__"):
        try:
            return value.__index__()  # type: ignore[no-any-return]
        except TypeError:
            pass
    kind = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
    raise TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be int, not {kind}"
    )


# ---- factories ----------------------------------------------------------------------------------


def made(
    name: str,
    shape: tuple[int, ...],
    generator: Any,
    out: Any,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    draw: Draw,
    *parameters: Any,
) -> Any:
    """A new tensor, or `out` resized, filled by `draw`."""
    check_generator(name, generator)
    if out is None:
        x = space_of(device).empty(shape, dtype.numpy)
        return finished(fill(x, generator, draw, *parameters), requires_grad)
    check_out(name, out, dtype)
    if out._array.shape != shape:
        resize(out, shape)
    fill(out._array, generator, draw, *parameters)
    written(out, None)
    return out.requires_grad_() if requires_grad else out


def check_out(name: str, out: Any, dtype: Any) -> None:
    """RuntimeError or TypeError where `out` is no tensor, has another dtype or wants a gradient."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if dtype is not None and dtype is not out.dtype:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"dtype {dtype.scalar_name} does not match dtype of out parameter "
            f"({out.dtype.scalar_name})"  # type: ignore[attr-defined]
        )
    if recording() and edge_of(out) is not None:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def _dtype(name: str, dtype: Any, out: Any, default: Any = None) -> Any:
    """The dtype that is asked for: by name, by `out`, or the default."""
    if dtype is None and isinstance(out, TensorBase):
        return out.dtype  # type: ignore[attr-defined]
    return check_dtype(name, default if dtype is None else dtype)


@composite("rand", on=("function",))
def rand(
    *numbers: Any,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor of the shape `size` with uniform values from [0, 1)."""
    shape = shape_of("rand", numbers if size is None else (size,))
    kind = _dtype("rand", dtype, out)
    return made("rand", shape, generator, out, kind, device, requires_grad, sampling.uniform)


@composite("randn", on=("function",))
def randn(
    *numbers: Any,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor of the shape `size` with normal values of mean 0 and variance 1."""
    shape = shape_of("randn", numbers if size is None else (size,))
    kind = _dtype("randn", dtype, out)
    return made("randn", shape, generator, out, kind, device, requires_grad, sampling.normal)


@composite("randint", on=("function",))
def randint(
    *bounds: Any,
    low: Any = 0,
    high: Any = None,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor of the shape `size` with integers from [low, high); low is 0 if not given."""
    given = list(bounds)
    if size is None and given:
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif len(given) == 1:
        low, high = (low, given[0]) if high is None else (given[0], high)
    if len(given) > 2 or high is None or size is None:
        raise TypeError("randint() received an invalid combination of arguments")
    low = whole_number("randint", "low", 1, low)
    high = whole_number("randint", "high", 1 if len(given) < 2 else 2, high)
    if isinstance(size, int):
        raise TypeError(
            f"randint(): argument 'size' (position {len(bounds)}) must be tuple of ints, not int"
        )
    shape = shape_of("randint", (size,))
    kind = _dtype("randint", dtype, out, dtypes.int64)
    draw = sampling.random_range
    return made("randint", shape, generator, out, kind, device, requires_grad, draw, low, high)


@composite("randperm", on=("function",))
def randperm(
    n: int,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The numbers 0 to n - 1 in random order."""
    n = whole_number("randperm", "n", 1, n)
    kind = _dtype("randperm", dtype, out, dtypes.int64)
    sampling.check_permutation_length(n, kind.numpy)
    draw = sampling.permutation
    return made("randperm", (n,), generator, out, kind, device, requires_grad, draw)


def _alike(name: str, what: str, draw: Draw) -> Callable[..., Any]:
    def alike(
        input: Any,
        *,
        generator: Any = None,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        memory_format: Any = devices.preserve_format,
    ) -> Any:
        check_generator(name, generator)
        x = like(checked(name, input), dtype, device, memory_format)
        return finished(fill(x, generator, draw), requires_grad)

    alike.__name__ = alike.__qualname__ = name
    alike.__doc__ = f"A tensor of {what}, with the shape, dtype, device and layout of `input`."
    return composite(name, on=("function",))(alike)


def checked(name: str, input: Any) -> Any:
    """The array of a Tensor. TypeError with torch's text for anything else."""
    if not isinstance(input, TensorBase):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    return input._array


rand_like = _alike("rand_like", "uniform values from [0, 1)", sampling.uniform)
randn_like = _alike("randn_like", "normal values of mean 0 and variance 1", sampling.normal)


@composite("randint_like", on=("function",))
def randint_like(
    input: Any,
    *bounds: Any,
    low: Any = 0,
    high: Any = None,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = devices.preserve_format,
) -> Any:
    """Integers from [low, high), with the shape, dtype, device and layout of `input`."""
    if len(bounds) == 2:
        low, high = bounds
    elif len(bounds) == 1:
        low, high = (low, bounds[0]) if high is None else (bounds[0], high)
    check_generator("randint_like", generator)
    low = whole_number("randint_like", "low", 2, low)
    high = whole_number("randint_like", "high", 2 if len(bounds) < 2 else 3, high)
    x = like(checked("randint_like", input), dtype, device, memory_format)
    return finished(fill(x, generator, sampling.random_range, low, high), requires_grad)


# ---- draws shaped by their parameters -----------------------------------------------------------


def vanishing(F: Any, grad: Any) -> Any:
    return F.zeros_like(grad)


def fresh(x: Any, generator: Any, draw: Draw, *parameters: Any) -> Any:
    """A new contiguous array of the shape and dtype of `x`, filled by `draw`."""
    return fill(namespace(x).empty(x.shape, x.dtype), generator, draw, *parameters)


bernoulli_row = operator(
    "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
    node="BernoulliBackward0",
    forward=lambda self, generator: fresh(self, generator, sampling.bernoulli_each, self),
    self=vanishing,
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
)

bernoulli_p = operator(
    "bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
    node="NotImplemented",
    forward=lambda self, p, generator: fresh(self, generator, sampling.bernoulli, p),
    self=lambda F, grad: without_derivative("bernoulli"),
    on=("F",),
)


def without_derivative(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@composite("bernoulli")
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Any:
    """Ones by the chances in `input`, or all by the chance p, and zeros else."""
    check_generator("bernoulli", generator)
    if p is not None:
        return bernoulli_p(input, real_number("bernoulli", "p", 2, p), generator=generator)
    return bernoulli_row(input, generator=generator, out=out)


poisson = operator(
    "poisson(Tensor self, Generator? generator=None) -> Tensor",
    node="PoissonBackward0",
    forward=lambda self, generator: fresh(self, generator, sampling.poisson, self),
    self=vanishing,
    result=ELEMENTWISE,
    on=("function",),
)

_standard_gamma = operator(
    "_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
    node="StandardGammaBackward0",
    forward=lambda self, generator: fresh(self, generator, sampling.standard_gamma, self),
    self=lambda F, grad, self, result: grad * F._standard_gamma_grad(self, result),
    on=("function",),
)


def binomial_forward(xp: Any, count: Any, prob: Any, generator: Any) -> Any:
    out = xp.empty(layouts.broadcast(count.shape, prob.shape), count.dtype)
    return fill(out, generator, sampling.binomial, count, prob)


binomial = operator(
    "binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
    node="NotImplemented",
    forward=binomial_forward,
    inputs=lambda F, grad: without_derivative("binomial"),
    on=("function",),
)


def multinomial_forward(
    xp: Any, self: Any, num_samples: int, replacement: bool, generator: Any
) -> Any:
    machine = source(generator, xp.device_type)
    return xp.asarray(sampling.multinomial(machine, xp.to_numpy(self), num_samples, replacement))


multinomial_row = operator(
    "multinomial(Tensor self, SymInt num_samples, bool replacement=False, *,"
    " Generator? generator=None) -> Tensor",
    forward=multinomial_forward,
    variants=("out",),
    on=("F",),
)


@composite("multinomial")
def multinomial(
    input: Any,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Any = None,
    out: Any = None,
) -> Any:
    """Indices drawn from each row of `input` by its weights, num_samples each."""
    check_generator("multinomial", generator)
    num_samples = whole_number("multinomial", "num_samples", 2, num_samples)
    if out is not None and isinstance(out, TensorBase) and out.dtype is not dtypes.int64:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"multinomial expects Long tensor out, got: {out.dtype.scalar_name}"  # type: ignore[attr-defined]
        )
    return multinomial_row(input, num_samples, replacement, generator=generator, out=out)


# ---- the normal distribution with tensors as parameters -----------------------------------------


def normal_mean_forward(mean: Any, std: float, generator: Any) -> Any:
    out = fresh(mean, generator, sampling.normal, 0.0, std)
    return tensor(out).add_(tensor(mean))._array


def normal_std_forward(mean: float, std: Any, generator: Any) -> Any:
    check_std(std)
    out = fresh(std, generator, sampling.normal)
    return tensor(out).mul_(tensor(std)).add_(mean)._array


def normal_both_forward(xp: Any, mean: Any, std: Any, generator: Any) -> Any:
    check_std(std)
    out = xp.empty(layouts.broadcast(mean.shape, std.shape), mean.dtype)
    fill(out, generator, sampling.normal)
    return tensor(out).mul_(tensor(std)).add_(tensor(mean))._array


def check_std(std: Any) -> None:
    """RuntimeError with torch's texts unless all are real and none is negative."""
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


normal_mean = operator(
    "normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
    node="NormalBackward1",
    forward=normal_mean_forward,
    mean=vanishing,
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
)

normal_std = operator(
    "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
    node="NormalBackward2",
    forward=normal_std_forward,
    std=vanishing,
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
)

normal_both = operator(
    "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
    node="NormalBackward3",
    forward=normal_both_forward,
    mean=vanishing,
    std=vanishing,
    result=lambda F, mean_t: F.zeros_like(mean_t),
    variants=("out",),
    on=("F",),
)


@composite("normal", on=("function",))
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """Normal values: of the means and standard deviations in tensors, or `size` of them alike."""
    check_generator("normal", generator)
    if size is not None:
        mean = real_number("normal", "mean", 1, mean)
        std = real_number("normal", "std", 2, std)
        shape = shape_of("normal", (size,))
        kind = _dtype("normal", dtype, out)
        draw = sampling.normal
        return made("normal", shape, generator, out, kind, device, requires_grad, draw, mean, std)
    if isinstance(mean, TensorBase):
        if isinstance(std, TensorBase):
            return normal_both(mean, std, generator=generator, out=out)
        std = real_number("normal", "std", 2, std)
        return normal_mean(mean, std, generator=generator, out=out)
    if isinstance(std, TensorBase):
        mean = real_number("normal", "mean", 1, mean)
        return normal_std(mean, std, generator=generator, out=out)
    raise TypeError(
        "normal() received an invalid combination of arguments - got "
        f"({type(mean).__name__}, {type(std).__name__})"
    )


# ---- in place -----------------------------------------------------------------------------------


def writing(schema: str, node: str, forward: Any, **formulas: Any) -> Row:
    """The row of a draw into `self`: its forward fills the array it is given."""
    row = Row(Schema.parse(schema), node, forward, {"self": vanishing, **formulas})
    ROWS[row.key] = row
    return row


def write(row: Row, self: Any, *parameters: Any, generator: Any = None, **tensors: Any) -> Any:
    """Runs the row's forward on the memory of `self`, which is returned, and records its node."""
    check_generator(row.name, generator)
    operands = {"self": self, **tensors}
    recorded = recording() and any(edge_of(each) is not None for each in operands.values())
    check_writable(self, recorded)
    check_no_overlap(self._array)
    arrays = [each._array for each in tensors.values()]
    row.forward(self._array, *arrays, *parameters, generator)
    written(self, record(row, operands, self, written=True) if recorded else None)
    return self


def in_place(schema: str, node: str, forward: Any, what: str) -> Callable[..., Any]:
    """Declares the Tensor method of a draw whose parameters are numbers."""
    row = writing(schema, node, forward)
    name = row.name
    numbers = row.schema.arguments[1:-1]
    defaults = [None if a.default is None else float(a.default) for a in numbers]
    needed = defaults.count(None)

    def method(self: Any, *given: Any, generator: Any = None, **named: Any) -> Any:
        if len(given) > len(numbers):
            least = "" if not needed else f"{needed}"
            raise TypeError(
                f"{name}() takes from {least or 0} to {len(numbers)} positional arguments "
                f"but {len(given)} were given"
            )
        values = list(given) + defaults[len(given) :]
        for i, argument in enumerate(numbers):
            if argument.name in named:
                values[i] = named.pop(argument.name)
            if values[i] is None:
                raise TypeError(
                    f'{name}() missing 1 required positional arguments: "{argument.name}"'
                )
            values[i] = real_number(name, argument.name, i + 1, values[i])
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
        return write(row, self, *values, generator=generator)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Fills `self` with {what}, and returns it."
    return composite(name, on=("method",))(method)


uniform_ = in_place(
    "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "UniformBackward0",
    lambda x, low, high, generator: fill(x, generator, sampling.uniform, low, high),
    "uniform values from [from, to)",
)

normal_ = in_place(
    "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "NormalBackward0",
    lambda x, mean, std, generator: fill(x, generator, sampling.normal, mean, std),
    "normal values of that mean and standard deviation",
)

log_normal_ = in_place(
    "log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "LogNormalBackward0",
    lambda x, mean, std, generator: fill(x, generator, sampling.log_normal, mean, std),
    "the exponentials of normal values of that mean and standard deviation",
)

exponential_ = in_place(
    "exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
    "ExponentialBackward0",
    lambda x, lambd, generator: fill(x, generator, sampling.exponential, lambd),
    "exponentially distributed values of rate lambd",
)

geometric_ = in_place(
    "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
    "GeometricBackward0",
    lambda x, p, generator: fill(x, generator, sampling.geometric, p),
    "the number of trials up to the first success, whose chance is p",
)

cauchy_ = in_place(
    "cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None)"
    " -> Tensor(a!)",
    "CauchyBackward0",
    lambda x, median, sigma, generator: fill(x, generator, sampling.cauchy, median, sigma),
    "values of the Cauchy distribution",
)

bernoulli_tensor = writing(
    "bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)",
    "BernoulliBackward1",
    lambda x, p, generator: fill(x, generator, sampling.bernoulli_each, p),
    p=vanishing,
)

bernoulli_float = writing(
    "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
    "BernoulliBackward2",
    lambda x, p, generator: fill(x, generator, sampling.bernoulli, p),
)


@composite("bernoulli_", on=("method",))
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fills `self` with ones by the chance p, a number or a tensor of them, and zeros else."""
    if isinstance(p, TensorBase):
        check_expandable(p._array.shape, self._array.shape)
        return write(bernoulli_tensor, self, p=p, generator=generator)
    p = real_number("bernoulli_", "p", 1, p)
    return write(bernoulli_float, self, p, generator=generator)


def check_expandable(shape: tuple[int, ...], to: tuple[int, ...]) -> None:
    """RuntimeError with torch's texts unless a tensor of `shape` broadcasts to the shape `to`."""
    target, sizes = list(to), list(shape)
    if len(shape) > len(to):
        raise RuntimeError(
            f"expand(CPUFloatType{{{sizes}}}, size={target}): the number of sizes provided "
            f"({len(to)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(shape)})"
        )
    for dim in range(-1, -len(shape) - 1, -1):
        if shape[dim] not in (1, to[dim]):
            raise RuntimeError(
                f"The expanded size of the tensor ({to[dim]}) must match the existing size "
                f"({shape[dim]}) at non-singleton dimension {len(to) + dim}.  "
                f"Target sizes: {target}.  Tensor sizes: {sizes}"
            )


random_from = writing(
    "random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward0",
    lambda x, low, high, generator: fill(x, generator, sampling.random_range, low, high),
)

random_to = writing(
    "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward1",
    lambda x, high, generator: fill(x, generator, sampling.random_range, 0, high),
)

random_all = writing(
    "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
    "RandomBackward2",
    lambda x, generator: fill(x, generator, sampling.random_full),
)


@composite("random_", on=("method",))
def random_(self: Any, *bounds: Any, generator: Any = None, **named: Any) -> Any:
    """Fills `self` with integers from [from, to); without bounds, all that its dtype can count."""
    given = dict(zip(("from", "to") if len(bounds) > 1 else ("to",), bounds, strict=False))
    given |= named
    if len(bounds) > 2 or given.keys() - {"from", "to"} or "from" in given and "to" not in given:
        raise TypeError("random_() received an invalid combination of arguments")
    if not given:
        return write(random_all, self, generator=generator)
    high = given["to"]
    if high is not None or "from" not in given:
        high = whole_number("random_", "to", len(bounds), high)
    if "from" not in given:
        return write(random_to, self, high, generator=generator)
    low = whole_number("random_", "from", 1, given["from"])
    return write(random_from, self, low, high, generator=generator)
