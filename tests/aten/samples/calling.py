"""Calling a row with a sample: tensors out of its arrays, leaves where gradients can flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch as torch
from minitorch.aten.layers import dropout
from minitorch.core.declare.registry import ROWS, function_of_row
from minitorch.core.tensor.conversion import from_array
from tests.aten.samples.registry import Sample, deep_map

# Rows with a node of their own name that refuses to run, as torch has no derivative for them.
UNDIFFERENTIABLE = {
    "_embedding_bag_backward",
    "geqrf",
    *(
        "_standard_gamma_grad",
        "_unique",
        "_unique2",
        "unique_consecutive",
        "unique_dim",
        "_cdist_backward",
    ),
    "_pdist_backward",
    *("acosh_", "asinh_", "atanh_", "special_zeta_other_scalar"),
    "view_as_complex_copy",  # whose results are all complex, which torch refuses here
    "linalg_eig",  # which refuses gradients that depend on the phases of eigenvectors
}


def differentiable(key: str) -> bool:
    """Whether gradients flow through a row."""
    return ROWS[key].node not in (None, "NotImplemented") and key not in UNDIFFERENTIABLE


def writes(key: str) -> bool:
    """Whether a row writes into its first argument."""
    return ROWS[key].schema.arguments[0].alias == "a!"


def is_random(key: str) -> bool:
    """Whether a row draws random numbers."""
    return any(a.type.startswith("Generator") for a in ROWS[key].schema.arguments)


def function_of(key: str) -> Callable[..., Any]:
    """The function of a row; of one that writes, what users call, applied to a copy."""
    row = ROWS[key]
    if writes(key):
        write = inplace(row.name)
        return lambda self, *args, **kwargs: write(self.clone(), *args, **kwargs)
    return function_of_row(row)


def inplace(name: str) -> Callable[..., Any]:
    """The method, or else the function, that writes into its first argument."""
    places = (torch.Tensor, torch, torch.nn.functional, dropout)
    return next(getattr(place, name) for place in places if hasattr(place, name))


def run(key: str, sample: Sample) -> list[Any]:
    """The outputs of a row for a sample of tensors."""
    torch.manual_seed(0)
    result = function_of(key)(*sample.args, **sample.kwargs)
    return list(result) if isinstance(result, tuple) else [result]


def with_leaves(
    key: str, sample: Sample, make: Callable[[Any], Any] = from_array
) -> tuple[Sample, list[Any]]:
    """A sample with Tensors for arrays, and those of them that gradients flow to, made leaves."""
    row, leaves = ROWS[key], []
    names = [a.name for a in row.schema.arguments]

    def tensors(name: str, value: Any) -> Any:
        def tensor(x: Any) -> Any:
            made = make(x)
            without = row.node != "NotImplemented" and hasattr(row.formulas.get(name), "refuses")
            if name in row.inputs and x.dtype.kind in "fc" and not without:
                leaves.append(made.requires_grad_())
            return made

        return deep_map(tensor, value)

    args = tuple([tensors(name, value) for name, value in zip(names, sample.args, strict=False)])
    kwargs = {name: tensors(name, value) for name, value in sample.kwargs.items()}
    return Sample(args, kwargs), leaves


def gradients(outputs: list[Any], leaves: list[Any], weights: list[Any], **options: Any) -> Any:
    """The gradients of the leaves for these gradients of the outputs."""
    return torch.autograd.grad(outputs, leaves, weights, allow_unused=True, **options)


def recorded(outputs: list[Any]) -> list[Any]:
    """The outputs that have a history."""
    return [each for each in outputs if each.requires_grad]


def weights_for(outputs: list[Any]) -> list[Any]:
    """Gradients for outputs, all elements different."""
    made = []
    for each in outputs:
        x = torch.arange(each.numel(), dtype=torch.float64).reshape(each.shape) * 0.37 - 0.8
        made.append((x * (1 - 0.5j) if each.is_complex() else x).to(each.dtype))
    return made


def refuses_dtype(refusal: Exception, name: str) -> bool:
    """Whether an error refuses numbers of 16 bits, which errors call by `name`."""
    words = (name, "complex32", "other than float and double")
    return any(word in str(refusal) for word in words)
