"""torch._C.TensorBase: the class that has the methods of tensors which torch writes in C++.

Here Tensor has them. They are named in its base, too, once a program asks for that class: packages
keep `torch._C.TensorBase.untyped_storage` before they put something else in its place.
"""

from __future__ import annotations

import functools

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare import registry
from minitorch.core.tensor.tensor import Tensor

_OF_A_CLASS = frozenset(
    "__module__ __slots__ __doc__ __new__ __init_subclass__ __annotations__ __static_attributes__ "
    "__firstlineno__".split()
)
# What torch writes in Python, in a class derived from this.
_IN_PYTHON = frozenset(
    "__array__ __array_priority__ __array_wrap__ __contains__ __deepcopy__ __dir__ __dlpack__ "
    "__dlpack_device__ __format__ __iter__ __reduce_ex__ __repr__ __reversed__ __setstate__ "
    "_reduce_ex_internal _typed_storage backward dim_order eig is_shared lstsq lu module_load "
    "register_hook register_post_accumulate_grad_hook reinforce resize resize_as share_memory_ "
    "solve storage storage_type symeig to_sparse_coo unique unique_consecutive".split()
)


@functools.cache
def complete() -> type[TensorBase]:
    """TensorBase, with the methods and attributes of Tensor that torch writes in C++."""
    registry.load_families()
    for name, method in list(vars(Tensor).items()):
        if name not in _OF_A_CLASS and name not in _IN_PYTHON and name not in vars(TensorBase):
            setattr(TensorBase, name, method)
    return TensorBase
