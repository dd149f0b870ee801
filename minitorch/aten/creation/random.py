"""Random tensors: factories, and draws shaped by their parameters.

The numbers come from core/sampling, bit for bit those of torch on the CPU. A CUDA tensor is filled
with what the same distribution gives on the host. The in-place draws are in random_in_place.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy

from minitorch.aten.creation.factories import (
    entitled,
    finished,
    like,
    of_another_layout,
    requiring_grad,
    shape_for,
    shape_of,
    target,
    unpinnable,
)
from minitorch.aten.in_formulas import zeros
from minitorch.core import sampling
from minitorch.core.arrays import layout as layouts
from minitorch.core.arrays import namespace, summation
from minitorch.core.arrays.overlap import check_itself
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.modes import GradMode, recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import fit, resize
from minitorch.core.declare.out import SILENT, Out
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.plain_numbers import as_size
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.declare.wording.signatures import FITS, OPTIONS, overloads
from minitorch.core.graph.views import edge_of, note_write
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import check_long, fitted
from minitorch.core.sampling.philox import Philox
from minitorch.core.tensor.generator import Generator, default_generator, machine_of, source

Draw = Callable[..., None]
_LIKE = f"torch.memory_format memory_format = None, {OPTIONS}"


def fill(x: Any, generator: Any, draw: Draw, *parameters: Any) -> Any:
    """Fills the array `x` by draw(machine, array, *parameters), and returns it."""
    if type(x) is numpy.ndarray:
        machine = default_generator.twister if generator is None else source(generator)
        draw(machine, x, *parameters)
        return x
    xp = namespace(x)
    if xp.device_type == "cpu":
        draw(source(generator), x, *parameters)
        return x
    if xp.device_type == "meta":
        return x
    machine = machine_of(generator, xp.device_type)
    if type(machine) is Philox and _is_filled_there(xp, machine, x, draw, parameters):
        return x
    host = numpy.empty(x.shape, x.dtype)
    parameters = tuple([xp.to_numpy(p) if hasattr(p, "dtype") else p for p in parameters])
    draw(source(generator, xp.device_type), host, *parameters)
    x[...] = xp.asarray(host)
    return x


def _is_filled_there(xp: Any, machine: Any, x: Any, draw: Draw, parameters: Any) -> bool:
    """Whether kernels of the device have filled `x` by `draw`: there are some of most."""
    if not any([hasattr(each, "dtype") for each in parameters]):
        draw(_unused_machine(), numpy.empty(0, x.dtype), *parameters)  # which checks them
        if draw is sampling.permutation and x.size:
            xp.fused.choices.permutation(machine, x)
            return True
        return bool(xp.fused.random.draw(machine, x, draw.__name__, *parameters))
    if draw is sampling.bernoulli_each and x.size and not xp.fused.blocking:
        return bool(xp.fused.choices.bernoulli_each(machine, x, *parameters))
    return False


_unused_machine = cache(sampling.MersenneTwister)  # no number of which is read


def check_generator(generator: Any) -> None:
    """TypeError unless it is a Generator or None."""
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError("argument 'generator' must be torch.Generator")


def real_number(value: Any) -> float:
    """`value` as a float. TypeError if it is no real number."""
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    if isinstance(value, TensorBase):
        if value._array.ndim == 0 and value._array.dtype.kind != "c" and edge_of(value) is None:
            return float(value._array)
    elif isinstance(value, (int, float, numpy.number)) and not isinstance(value, complex):
        return float(value)
    raise TypeError("a real number is wanted")


def whole_number(value: Any) -> int:
    """`value` as an int. TypeError if it is no integer, ValueError if it has more than 64 bits."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    if type(value) is bool or not hasattr(value, "__index__"):
        raise TypeError("an int is wanted")
    number: int = (as_size(value) if FITS["int"](value) else value).__index__()
    check_long(number)
    return number


# ---- factories


def made(
    name: str,
    shape: Any,
    generator: Any,
    out: Any,
    kind: Any,
    options: Any,
    draw: Draw,
    *numbers: Any,
) -> Any:
    """A new tensor, or `out` resized, filled by `draw`.

    kind: the dtype where none is asked for; None is the default dtype.
    """
    check_generator(generator)
    resized = name == "randn" and out is not None  # torch makes it of resize_ and normal_
    if resized and edge_of(out) is not None:
        raise RuntimeError("cannot resize variables that require grad")
    xp, dtype, requires_grad = target(name, out, kind, **options)
    if out is None:
        return finished(
            fill(xp.empty(shape, dtype.numpy), generator, draw, *numbers), requires_grad
        )
    if out._array.shape != shape:
        resize(out, shape)
        if resized:
            note_write(out, None)
    fill(out._array, generator, draw, *numbers)
    note_write(out, None)
    return requiring_grad(out, requires_grad)


def _generated(text: str) -> list[str]:
    """The two overloads of a random factory: with a generator and without."""
    return [
        f"{text}, *, torch.Generator generator, Tensor out = None, {OPTIONS}",
        f"{text}, *, Tensor out = None, {OPTIONS}",
    ]


def _random(name: str, what: str, draw: Draw) -> Callable[..., Any]:
    @overloads(*_generated("tuple of ints size"))
    def random(
        *numbers: Any, size: Any = None, generator: Any = None, out: Any = None, **options: Any
    ) -> Any:
        size = numbers if size is None else (*numbers, size)
        shape = shape_for(name, size, out, options)
        return made(name, shape, generator, out, None, options, draw)

    doc = f"A tensor of the shape `size` with {what}."
    return entitled(random, name, doc, VMap("drawn", shaped="spread", makes=True))


UNIFORM, NORMAL = "uniform values from [0, 1)", "normal values of mean 0 and variance 1"
rand = _random("rand", UNIFORM, sampling.uniform)
randn = _random("randn", NORMAL, sampling.normal)


@composite("randint", on=("function",), vmap=VMap("drawn", makes=True))
@overloads(
    *_generated("int high, tuple of ints size"),
    *_generated("int low, int high, tuple of ints size"),
)
def randint(
    *bounds: Any,
    low: Any = 0,
    high: Any = None,
    size: Any = None,
    generator: Any = None,
    out: Any = None,
    **options: Any,
) -> Any:
    """A tensor of the shape `size` with integers from [low, high); low is 0 if not given."""
    if size is None and bounds:
        *bounds, size = bounds
    if not isinstance(size, (list, tuple)):
        raise TypeError  # overloads says which signatures there are
    low, high = _interval(bounds, low, high)
    shape = shape_for("randint", (size,), out, options)
    draw = sampling.random_range
    return made("randint", shape, generator, out, dtypes.int64, options, draw, low, high)


def _interval(bounds: Any, low: Any, high: Any) -> tuple[int, int]:
    """low and high out of one or two positional arguments and keywords."""
    if len(bounds) > 1:
        low, high = bounds
    elif bounds:
        low, high = (low, bounds[0]) if high is None else (bounds[0], high)
    return whole_number(low), whole_number(high)


@composite("randperm", on=("function",), vmap=VMap("drawn", apart=True, makes=True))
@overloads(*_generated("int n"))
def randperm(n: int, *, generator: Any = None, out: Any = None, **options: Any) -> Any:
    """The numbers 0 to n - 1 in random order."""
    n = whole_number(n)
    dtype = target("randperm", out, dtypes.int64, **options)[1]
    if out is not None:
        resize(out, (max(n, 0),))
    sampling.check_permutation_length(n, dtype.numpy)
    return made("randperm", (n,), generator, out, dtypes.int64, options, sampling.permutation)


def _alike(name: str, what: str, draw: Draw) -> Callable[..., Any]:
    @overloads(f"Tensor input, *, torch.Generator generator, {_LIKE}", f"Tensor input, *, {_LIKE}")
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
        check_generator(generator)
        if layout is not None and layout is not devices.strided:
            return of_another_layout(name, input, layout, dtype)
        x = like(input, dtype, device, memory_format)
        if pin_memory is True and namespace(x).device_type == "cpu":
            raise unpinnable(name)
        return finished(fill(x, generator, draw), requires_grad)

    doc = f"A tensor of {what}, with the shape, dtype, device and layout of `input`."
    return entitled(alike, name, doc, VMap("drawn", makes=True))


rand_like = _alike("rand_like", UNIFORM, sampling.uniform)
randn_like = _alike("randn_like", NORMAL, sampling.normal)


@composite("randint_like", on=("function",), vmap=VMap("drawn", makes=True))
@overloads(
    f"Tensor input, Tensor high, *, {_LIKE}",
    f"Tensor input, int high, *, {_LIKE}",
    f"Tensor input, int low, int high, *, {_LIKE}",
)
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
    check_generator(generator)
    x = like(input, dtype, device, memory_format)
    if len(bounds) == 1 and isinstance(bounds[0], TensorBase):
        if bounds[0].dim():
            raise RuntimeError("high must be a scalar tensor and on CPU")
        bounds = (fitted(bounds[0].item(), dtypes.int64),)
    if pin_memory:
        raise unpinnable("randint_like")
    low, high = _interval(bounds, low, high)
    return finished(fill(x, generator, sampling.random_range, low, high), requires_grad)


# ---- draws shaped by their parameters


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
    on=("F",),
    real_gradients=True,
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


def _without_gradients(name: str, *tensors: Any) -> None:
    """RuntimeError with torch's text if a gradient would flow through an out=."""
    if recording() and any(isinstance(t, TensorBase) and edge_of(t) is not None for t in tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


@composite("bernoulli", vmap=VMap("drawn", makes=True))
@overloads(
    "Tensor input, *, torch.Generator generator = None, Tensor out = None",
    "Tensor input, float p, *, torch.Generator generator = None",
)
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Any:
    """Ones by the chances in `input`, or all by the chance p, and zeros else."""
    check_generator(generator)
    if out is not None and p is None:
        _without_gradients("bernoulli", out, input)
        if out._array.shape != input._array.shape:
            resize(out, input._array.shape)
        check_itself(out._array)
        fill(out._array, generator, sampling.bernoulli_each, input._array)
        note_write(out, None)
        return out
    if p is not None:
        return bernoulli_p(input, real_number(p), generator=generator)
    return bernoulli_row(input, generator=generator)


poisson = operator(
    "poisson(Tensor self, Generator? generator=None) -> Tensor",
    node="PoissonBackward0",
    forward=lambda self, generator: fresh(self, generator, sampling.poisson, self),
    self=vanishing,
    result=ELEMENTWISE,
    on=("function",),
    vmap=VMap("drawn"),
)

_standard_gamma = operator(
    "_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
    node="StandardGammaBackward0",
    forward=lambda self, generator: fresh(self, generator, sampling.standard_gamma, self),
    self=lambda F, grad, self, result: grad * F._standard_gamma_grad(self, result),
    on=("function",),
    vmap=VMap("drawn"),
)


def _dirichlet(machine: Any, out: Any, shape: Any) -> None:
    """Fills `out` with shares that add up to 1 along the last axis."""
    if shape.dtype.char not in "fd":
        raise sampling.not_implemented("dirichlet", shape.dtype)
    draws = numpy.fmax(sampling.gammas(machine, shape.astype(numpy.float64)), sys.float_info.min)
    axes = (shape.ndim - 1,) if shape.ndim else None
    shares = draws / summation.sum(namespace(draws), draws, axes, keepdims=True)
    one, limits = out.dtype.type(1), numpy.finfo(out.dtype)
    out[...] = shares.astype(out.dtype).clip(limits.tiny, numpy.nextafter(one, 0 * one))


_sample_dirichlet = operator(
    "_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
    node="NotImplemented",
    forward=lambda self, generator: fresh(self, generator, _dirichlet, self),
    inputs=lambda F, grad: without_derivative("_sample_dirichlet"),
    on=("function",),
    vmap=VMap("drawn"),
)


def binomial_forward(xp: Any, count: Any, prob: Any, generator: Any) -> Any:
    sampling.check_binomial(count, prob)
    out = xp.empty(layouts.broadcast(count.shape, prob.shape), count.dtype)
    return fill(out, generator, sampling.binomial, count, prob)


binomial = operator(
    "binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
    node="NotImplemented",
    forward=binomial_forward,
    inputs=lambda F, grad: without_derivative("binomial"),
    on=("function",),
    vmap=VMap("drawn"),
)


def multinomial_forward(
    xp: Any, self: Any, num_samples: int, replacement: bool, generator: Any
) -> Any:
    if xp.device_type == "meta":
        return xp.empty((*self.shape[:-1], num_samples), numpy.int64)
    own = machine_of(generator, xp.device_type)
    if type(own) is Philox:
        sampling.check_multinomial(self, num_samples, replacement)
        if self.size:
            if not replacement or num_samples == 1:
                sampling.check_chances(self)
            return xp.fused.choices.multinomial(own, self, num_samples, replacement)
    machine = source(generator, xp.device_type)
    indices = sampling.multinomial(machine, xp.to_numpy(self), num_samples, replacement)
    # A part of all places in order: a copy holds no more memory than what was drawn.
    whole = indices.base is None and indices.flags.c_contiguous
    return xp.asarray(indices if whole else indices.copy())


multinomial_row = operator(
    "multinomial(Tensor self, SymInt num_samples, bool replacement=False, *,"
    " Generator? generator=None) -> Tensor",
    forward=multinomial_forward,
    variants=("out",),
    on=("F",),
)


@composite(
    "multinomial",
    own_out=Out(resize=SILENT, takes_grad=True),
    vmap=VMap("drawn", rows=True, makes=True),
)
@overloads(
    "Tensor input, int num_samples, bool replacement = False, *, "
    "torch.Generator generator = None, Tensor out = None"
)
def multinomial(
    input: Any,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Any = None,
    out: Any = None,
) -> Any:
    """Indices drawn from each row of `input` by its weights, num_samples each."""
    check_generator(generator)
    num_samples = whole_number(num_samples)
    if isinstance(out, TensorBase) and out.dtype is not dtypes.int64:
        sampling.check_weights(input._array)
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.scalar_name}")
    return multinomial_row(input, num_samples, replacement, generator=generator, out=out)


# ---- the normal distribution with tensors as parameters


def normal_mean_forward(mean: Any, std: float, generator: Any) -> Any:
    return scaled(fresh(mean, generator, sampling.normal, 0.0, std), mean)


def normal_std_forward(mean: float, std: Any, generator: Any) -> Any:
    check_std(std)
    return scaled(fresh(std, generator, sampling.normal), mean, std)


def normal_both_forward(xp: Any, mean: Any, std: Any, generator: Any) -> Any:
    check_std(std)
    out = xp.empty(layouts.broadcast(mean.shape, std.shape), mean.dtype)
    return scaled(fill(out, generator, sampling.normal), mean, std)


def scaled(x: Any, mean: Any, std: Any = None) -> Any:
    """x * std + mean in the memory of `x`, with the promotion of the in-place operators."""
    out = tensor(x)
    if not x.size:  # torch draws nothing for it, whatever its dtype
        return x
    with GradMode(False):
        if std is not None:
            out.mul_(tensor(std))
        out.add_(tensor(mean) if hasattr(mean, "dtype") else mean)
    return x


def check_std(std: Any) -> None:
    """RuntimeError with torch's texts unless all are real and none is negative."""
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not every(std >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")


normal_mean = operator(
    "normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
    node="NormalBackward1",
    forward=normal_mean_forward,
    mean=lambda F, grad, mean_sym_sizes: zeros(F, grad, mean_sym_sizes),
    result=ELEMENTWISE,
    on=("F",),
    real_gradients=True,
)

normal_std = operator(
    "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
    node="NormalBackward2",
    forward=normal_std_forward,
    std=lambda F, grad, std_sym_sizes: zeros(F, grad, std_sym_sizes),
    result=ELEMENTWISE,
    on=("F",),
    real_gradients=True,
)

normal_both = operator(
    "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
    node="NormalBackward3",
    forward=normal_both_forward,
    mean=lambda F, grad, mean_sym_sizes: zeros(F, grad, mean_sym_sizes),
    std=lambda F, grad, std_sym_sizes: zeros(F, grad, std_sym_sizes),
    result=lambda F, mean_t: F.zeros_like(mean_t),
    on=("F",),
    real_gradients=True,
)


@composite("normal", on=("function",), vmap=VMap("drawn"))
@overloads(
    "Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None",
    "float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "float mean, float std, tuple of ints size, *, torch.Generator generator = None, "
    f"Tensor out = None, {OPTIONS}",
)
def normal(
    mean: Any,
    std: Any = UNSET,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    **options: Any,
) -> Any:
    """Normal values: of the means and standard deviations in tensors, or `size` of them alike."""
    check_generator(generator)
    if size is not None:
        if not isinstance(size, (list, tuple)) or std is UNSET:
            raise TypeError  # overloads says which signatures there are
        numbers = real_number(mean), real_number(std)
        shape = shape_of("normal", (size,))
        return made("normal", shape, generator, out, None, options, sampling.normal, *numbers)
    std = 1.0 if std is UNSET else std
    means, stds = isinstance(mean, TensorBase), isinstance(std, TensorBase)
    if options or not (means or stds):
        raise TypeError  # as in randint
    if out is not None:
        _without_gradients("normal", out, mean, std)
        return _normal_into(out, mean, std, generator)
    if means and stds:
        return normal_both(mean, std, generator=generator)
    if means:
        return normal_mean(mean, real_number(std), generator=generator)
    return normal_std(real_number(mean), std, generator=generator)


def _normal_into(out: Any, mean: Any, std: Any, generator: Any) -> Any:
    """torch.normal into `out`, in whose dtype the values are drawn."""
    arrays = [each._array if isinstance(each, TensorBase) else each for each in (mean, std)]
    if isinstance(std, TensorBase):
        check_std(std._array)
        fit(out, layouts.broadcast(*[a.shape for a in arrays if hasattr(a, "shape")]))
        numbers = ()
    else:
        # The shape of `out` takes part, as it does in torch.
        shape = layouts.broadcast(mean._array.shape, out._array.shape)
        numbers = (0.0, real_number(std))
        if out._array.shape != shape:  # without a warning, as there
            resize(out, shape)
    x = fill(out._array, generator, sampling.normal, *numbers)
    scaled(x, arrays[0], None if numbers else arrays[1])
    note_write(out, None)
    return out
