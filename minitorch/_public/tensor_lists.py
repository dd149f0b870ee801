"""An autograd.Function whose inputs and results are lists of tensors, by one of plain tensors."""

from __future__ import annotations

from typing import Any

from minitorch.autograd import Function
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils._pytree import tree_flatten, tree_unflatten


class Shape:
    """The places of lists in the plain tensors of a Function, whose last argument this is."""

    inputs: Any = None
    outputs: Any = None
    is_tuple = True  # whether several results were given

    def values(self, flat: Any) -> Any:
        """The arguments of a call with their lists, without this one."""
        return tree_unflatten(list(flat), self.inputs)[:-1]

    def results(self, flat: Any) -> Any:
        """The results of a call, with their lists."""
        given = tree_unflatten(list(flat), self.outputs)
        return given if self.is_tuple else given[0]


def _is_leaf(tree: Any) -> bool:
    """Whether a thing is no tuple, and no list of tensors."""
    if isinstance(tree, tuple):
        return False
    return not isinstance(tree, list) or any(not isinstance(x, Tensor) for x in tree)


def _is_leaf_of_gradients(tree: Any) -> bool:
    """As _is_leaf, for lists in which None may stand for a tensor."""
    if isinstance(tree, tuple):
        return False
    return not isinstance(tree, list) or any(
        x is not None and not isinstance(x, Tensor) for x in tree
    )


class TakesLists:
    """Applies the members of a Function to arguments with lists of tensors.

    Args:
        name: the name of the Function's class, without the "Backward" that its nodes add.
        members: forward, setup_context and backward, which take and return lists.

    Source: supports_tensorlist in torch/_library/autograd.py.
    """

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        run, set_up, go_back = (
            members[each].__func__ for each in ("forward", "setup_context", "backward")
        )

        def forward(*flat: Any) -> Any:
            shape = flat[-1]
            given = run(*shape.values(flat))
            shape.is_tuple = isinstance(given, tuple)
            results, shape.outputs = tree_flatten(given if shape.is_tuple else (given,), _is_leaf)
            return tuple(results)

        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            shape = ctx._shape = inputs[-1]
            set_up(ctx, shape.values(inputs), shape.results(output))

        def backward(ctx: Any, *grads: Any) -> Any:
            shape, needed = ctx._shape, ctx.needs_input_grad
            ctx.needs_input_grad = shape.values(needed)
            try:
                given = go_back(ctx, *tree_unflatten(list(grads), shape.outputs))
            finally:
                ctx.needs_input_grad = needed
            given = (*given, None) if isinstance(given, tuple) else (given, None)
            results, spec = tree_flatten(given, _is_leaf_of_gradients)
            if spec != shape.inputs:
                raise RuntimeError(
                    "Expected the return from backward to be of the same structure as the inputs. "
                    f"Got: {spec} (return from backward), {shape.inputs} (inputs)"
                )
            return tuple(results)

        plain = {"forward": forward, "setup_context": setup_context, "backward": backward}
        self.function = type(name, (Function,), {k: staticmethod(v) for k, v in plain.items()})

    def apply(self, *values: Any) -> Any:
        """Calls the Function."""
        shape = Shape()
        flat, shape.inputs = tree_flatten((*values, shape), _is_leaf)
        return shape.results(self.function.apply(*flat))
