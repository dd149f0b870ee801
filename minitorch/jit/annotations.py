"""torch.jit.annotations: names that annotations of scripts use."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035

from minitorch._jit_internal import (  # noqa: F401
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    BroadcastingList4,
    BroadcastingList5,
    BroadcastingList6,
    is_dict,
    is_future,
    is_list,
    is_optional,
    is_tuple,
    is_union,
)
from minitorch.core.tensor.tensor import Tensor  # noqa: F401
from minitorch.futures import Future  # noqa: F401

__all__ = (
    "Any AnyType BroadcastingList1 BroadcastingList2 BroadcastingList3 ComplexType Dict DictType "
    "FloatType IntType List ListType Module StringType TensorType Tuple TupleType ann_to_type "
    "check_fn get_param_names get_signature get_type_line is_dict is_list is_optional is_tuple "
    "is_union parse_type_line split_type_line try_ann_to_type try_real_annotations"
).split()


class Module:
    """Stands for a module of names in annotations."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.name, self.members = name, members

    def __getattr__(self, name: str) -> Any:
        try:
            return self.members[name]
        except KeyError:
            raise RuntimeError(f"Module {self.name} has no member called {name}") from None


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.jit.annotations.{name} is not implemented by minitorch")
