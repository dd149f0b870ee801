"""The mode that clones saved tensors before operators write them.

autograd/graph.py opens it with allow_mutation_on_saved_tensors. It is a mode below autograd, as in
torch, so that it sees the writes that operators make of other operators, and composite operators in
the parts that they are made of.
"""

from __future__ import annotations

from typing import Any

from minitorch.utils._python_dispatch import TorchDispatchMode


class CloneBeforeWrite(TorchDispatchMode):
    """Clones what nodes saved of a tensor that an operator is about to write.

    context: holds the saved tensors.
    """

    def __init__(self, context: Any) -> None:
        super().__init__()
        self.context = context

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        for place, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            # KeyError, as in torch, where several results are written and none is named out.
            written = kwargs["out"] if argument.is_out else args[place]
            for each in written if isinstance(written, list) else [written]:
                self.context.clone_before_write(each)
        return func(*args, **kwargs)
