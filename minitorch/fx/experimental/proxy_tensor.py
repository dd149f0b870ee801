"""torch.fx.experimental.proxy_tensor: the tracer of operators, which is a name alone."""

from typing import Any

from minitorch import outlines


def get_proxy_mode() -> Any:
    """The tracer that is running: None, for none is here."""
    return None


def is_sym_node(node: Any) -> bool:
    """Whether a node of a graph stands for a number; False, for no tracer made one."""
    return False


__getattr__, __dir__ = outlines.rest_of("torch.fx.experimental.proxy_tensor")
