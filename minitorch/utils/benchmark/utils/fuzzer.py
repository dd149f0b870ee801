"""Tensors of random shapes and orders of memory, the same ones for the same seed.

Shapes are drawn from NumPy's RandomState, numbers from torch's generator, each in torch's order.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy

import minitorch as torch

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias"]

_DISTRIBUTIONS = ("loguniform", "uniform")
_ATTEMPTS = 1000  # to draw parameters that meet all conditions


class FuzzedParameter:
    """A number, or anything else, that is drawn anew for each set of tensors.

    Args:
        name: what tensors and constraints know it by.
        minval, maxval: the least and the largest value, both possible.
        distribution: "uniform", of integers where both bounds are integers; "loguniform", of
            integers whose logarithms are uniform; or values with their probabilities.
        strict: it is drawn once for a set, even if other parameters have to be drawn again.

    Raises:
        AssertionError: there is no such distribution, or there are bounds beside probabilities; or,
            as in torch 2.13, the probabilities do add up to one.
    """

    def __init__(
        self,
        name: str,
        minval: int | float | None = None,
        maxval: int | float | None = None,
        distribution: str | dict[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        self._name = name
        self._minval, self._maxval = minval, maxval
        self._distribution = self._check_distribution(distribution)
        self.strict = strict

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def sample(self, state: Any) -> Any:
        """A value drawn from NumPy's RandomState."""
        if self._distribution == "loguniform":
            return self._loguniform(state)
        if self._distribution == "uniform":
            return self._uniform(state)
        return self._custom_distribution(state)

    def _check_distribution(self, distribution: Any) -> Any:
        if not isinstance(distribution, dict):
            if distribution not in _DISTRIBUTIONS:
                raise AssertionError(f"Unknown distribution: {distribution}")
            return distribution
        if any(each < 0 for each in distribution.values()):
            raise AssertionError("Probabilities cannot be negative")
        # torch 2.13 has this the wrong way round, and programs see that it refuses.
        if not abs(sum(distribution.values()) - 1) > 1e-5:
            raise AssertionError("Distribution is not normalized")
        for bound in ("minval", "maxval"):
            if getattr(self, f"_{bound}") is not None:
                raise AssertionError(f"When passing a custom distribution, '{bound}' must be None")
        return distribution

    def _loguniform(self, state: Any) -> Any:
        low, high = [
            None if bound is None else numpy.log2(bound) for bound in (self._minval, self._maxval)
        ]
        drawn = int(2 ** state.uniform(low=low, high=high))
        # Rounding may lead beyond the bounds.
        if self._minval is not None and drawn < self._minval:
            return self._minval
        return self._maxval if self._maxval is not None and drawn > self._maxval else drawn

    def _uniform(self, state: Any) -> Any:
        if isinstance(self._minval, int) and isinstance(self._maxval, int):
            return int(state.randint(low=self._minval, high=self._maxval + 1))
        return state.uniform(low=self._minval, high=self._maxval)

    def _custom_distribution(self, state: Any) -> Any:
        weights = tuple(self._distribution.values())
        return list(self._distribution)[state.choice(numpy.arange(len(weights)), p=weights)]


class ParameterAlias:
    """A parameter's value that is the value of another parameter: `alias_to` is its name."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


def dtype_size(dtype: Any) -> int:
    """The size in bytes of a number of a dtype."""
    if dtype == torch.bool:
        return 1
    inexact = dtype.is_floating_point or dtype.is_complex
    return int((torch.finfo if inexact else torch.iinfo)(dtype).bits / 8)


def prod(values: Iterable[Any], base: int = 1) -> int:
    """The product of sizes times `base`, however large."""
    return functools.reduce(lambda product, each: int(product) * int(each), values, base)


class FuzzedTensor:
    """A tensor whose shape and order of memory are drawn anew each time.

    Args:
        name: what it is called in the sets of tensors.
        size: its sizes; a text is the name of the parameter that has the size.
        steps: which elements of a larger tensor it takes along each dimension: every n-th.
        probability_contiguous: how often the order of memory is that of the dimensions.
        min_elements, max_elements: how many elements it may have.
        max_allocation_bytes: how large that larger tensor may be.
        dim_parameter: the parameter that says how many dimensions it has, of those in `size`.
        roll_parameter: is not used.
        dtype: of its numbers.
        cuda: whether it lies on a GPU.
        tensor_constructor: makes the larger tensor from size, dtype and all parameters.
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: Any = torch.float32,
        cuda: bool = False,
        tensor_constructor: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._size = size
        self._steps = steps
        self._probability_contiguous = probability_contiguous
        self._min_elements = min_elements
        self._max_elements = max_elements
        self._max_allocation_bytes = max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._dtype = dtype
        self._cuda = cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        """A tensor of numbers in [0, 1), or of integers from 1 to 126."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        """The tensor for some parameters, and what there is to know of it."""
        size, steps, allocated = self._get_size_and_steps(params)
        construct = self._tensor_constructor or self.default_tensor_constructor
        whole = construct(size=allocated, dtype=self._dtype, **params)
        if self._cuda:
            whole = whole.cuda()
        dim = len(size)
        order = numpy.arange(dim)
        if state.rand() > self._probability_contiguous:
            while dim > 1 and numpy.all(order == numpy.arange(dim)):
                order = state.permutation(whole.dim())
            # Its memory is in the drawn order, its dimensions are in their own.
            whole = whole.permute(tuple(order)).contiguous().permute(tuple(numpy.argsort(order)))
        tensor = whole[tuple(slice(0, n * k, k) for n, k in zip(size, steps, strict=True))]
        return tensor, {
            "numel": int(tensor.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }

    def _get_size_and_steps(self, params: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The tensor's sizes, its steps, and the sizes of the tensor that it is a slice of."""
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolved(values: Iterable[Any]) -> tuple[Any, ...]:
            known = tuple(params.get(each, each) for each in values)[:dim]
            return known + (1,) * (dim - len(known))

        size, steps = resolved(self._size), resolved(self._steps or ())
        return size, steps, tuple(n * k for n, k in zip(size, steps, strict=True))

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Whether the tensor for some parameters has as many elements as it may."""
        size, _, allocated = self._get_size_and_steps(params)
        elements = prod(size)
        if elements < 0:
            raise AssertionError("Computed number of elements is negative")
        taken = prod(allocated, base=dtype_size(self._dtype))
        bounds = (
            (elements, self._max_elements),
            (self._min_elements, elements),
            (taken, self._max_allocation_bytes),
        )
        return all(low is None or high is None or low <= high for low, high in bounds)


class Fuzzer:
    """Sets of tensors of random shapes: `for tensors, properties, parameters in fuzzer.take(10)`.

    Args:
        parameters: what is drawn for each set; lists among them are taken apart.
        tensors: what a set has; lists among them are taken apart.
        constraints: functions of the parameters by name, which are drawn again if one says no.
        seed: of all random numbers; another one each time if None.

    Raises:
        ValueError: a parameter and a tensor have the same name.
    """

    def __init__(
        self,
        parameters: list[FuzzedParameter | list[FuzzedParameter]],
        tensors: list[FuzzedTensor | list[FuzzedTensor]],
        constraints: list[Callable[..., Any]] | None = None,
        seed: int | None = None,
    ) -> None:
        if seed is None:
            seed = int(numpy.random.RandomState().randint(0, 2**32 - 1, dtype=numpy.int64))
        self._seed = seed
        self._parameters = Fuzzer._unpack(parameters, FuzzedParameter)
        self._tensors = Fuzzer._unpack(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        shared = {each.name for each in self._parameters} & {each.name for each in self._tensors}
        if shared:
            raise ValueError(f"Duplicate names in parameters and tensors: {shared}")
        self._rejections = self._total_generated = 0

    @staticmethod
    def _unpack(values: Iterable[Any], cls: type) -> tuple[Any, ...]:
        lists = ([each] if isinstance(each, cls) else each for each in values)
        return tuple(itertools.chain.from_iterable(lists))

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """Yields `n` sets: tensors by name, what there is to know of each, and the parameters.

        It seeds torch's generator.
        """
        state = numpy.random.RandomState(self._seed)
        torch.manual_seed(state.randint(low=0, high=2**63, dtype=numpy.int64))
        for _ in range(n):
            params = self._generate(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            tensors = {name: tensor for name, (tensor, _) in made.items()}
            yield tensors, {name: known for name, (_, known) in made.items()}, params

    @property
    def rejection_rate(self) -> float:
        """The share of the drawn sets of parameters that were rejected."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _generate(self, state: Any) -> dict[str, Any]:
        """Parameters that meet all conditions. ValueError if none are found."""
        strict: dict[str, Any] = {}
        for _ in range(_ATTEMPTS):
            drawn: dict[str, Any] = {}
            for each in self._parameters:
                known = each.strict and each.name in strict
                drawn[each.name] = strict[each.name] if known else each.sample(state)
                if each.strict:
                    strict[each.name] = drawn[each.name]
            params = self._resolve_aliases(drawn)
            self._total_generated += 1
            if all(holds(params) for holds in self._constraints) and all(
                each.satisfies_constraints(params) for each in self._tensors
            ):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve_aliases(params: dict[str, Any]) -> dict[str, Any]:
        """The parameters, each alias replaced by its value. ValueError for aliases in a circle."""
        params = dict(params)

        def aliases() -> list[str]:
            return [name for name, each in params.items() if isinstance(each, ParameterAlias)]

        left = aliases()
        while left:
            for name in left:
                params[name] = params[params[name].alias_to]
            before, left = len(left), aliases()
            if len(left) == before:
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
        return params
