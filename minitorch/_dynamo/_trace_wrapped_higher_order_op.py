"""torch._dynamo._trace_wrapped_higher_order_op: what functions of indices need in torch's vmap."""

from contextlib import nullcontext

__all__: list[str] = []


class TransformGetItemToIndex(nullcontext[None]):
    """A block in which tensors that vmap maps may index others.

    They may at any time here: torch calls `item()` of an index without dimensions, which vmap
    refuses, and enters this block to have it taken as a tensor.
    """
