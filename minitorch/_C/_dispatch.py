"""torch._C.DispatchKey and sets of them: the layers through which torch takes a call.

This library has no dispatcher. Of the layers it has autograd and autocast, which the guards leave
out; what tensors and threads have of the others is told as torch tells it.

A set is an integer: a bit for each backend, and above them a bit for each functionality. Some of
these have a key for each backend (Dense: CPU, CUDA, ...), and such a key is two bits.
"""

from __future__ import annotations

from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

import minitorch
from minitorch._C._enumerations import Enumeration
from minitorch._ops import ops
from minitorch.core.arrays.lazy import bits_of
from minitorch.core.tensor.tensor import Tensor

_BACKENDS = (
    "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta"
).split()
# Functionalities in the order of their numbers from 1, which is that of their precedence. Those in
# _HIDDEN are in sets, and no key has them.
_FUNCTIONALITIES = (
    "Dense FPGA Vulkan Metal Quantized CustomRNGKeyId MkldnnCPU Sparse SparseCsr NestedTensor "
    "BackendSelect Fake Python FuncTorchDynamicLayerBackMode Functionalize Conjugate Negative "
    "ZeroTensor ADInplaceOrView AutogradOther AutogradFunctionality AutogradNestedTensor Tracer "
    "AutocastCPU AutocastMTIA AutocastMAIA AutocastXPU AutocastIPU AutocastHPU AutocastXLA "
    "AutocastMPS AutocastCUDA AutocastPrivateUse1 FuncTorchBatched BatchedNestedTensor "
    "FuncTorchVmapMode Batched VmapMode FuncTorchGradWrapper DeferredInit PythonTLSSnapshot "
    "FuncTorchDynamicLayerFrontMode TESTING_ONLY_GenericWrapper TESTING_ONLY_GenericMode "
    "PreDispatch PythonDispatcher"
).split()
_HIDDEN = frozenset(
    "FPGA Vulkan Metal CustomRNGKeyId MkldnnCPU Fake Tracer AutocastMTIA AutocastMAIA AutocastXLA "
    "BatchedNestedTensor Batched VmapMode DeferredInit TESTING_ONLY_GenericWrapper "
    "TESTING_ONLY_GenericMode".split()
)
# Those with a key for each backend, and what the keys' names begin with.
_PER_BACKEND = {
    "Dense": "",
    "Quantized": "Quantized",
    "Sparse": "Sparse",
    "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor",
    "AutogradFunctionality": "Autograd",
}
_ALIASES = (
    "Autograd CompositeImplicitAutograd FuncTorchBatchedDecomposition "
    "CompositeImplicitAutogradNestedTensor CompositeExplicitAutograd "
    "CompositeExplicitAutogradNonFunctional"
).split()


def _numbers() -> dict[str, int]:
    """The numbers of all keys by name."""
    found = {"Undefined": 0}
    found |= {name: i for i, name in enumerate(_FUNCTIONALITIES, start=1) if name not in _HIDDEN}
    number = len(_FUNCTIONALITIES) + 2
    for functionality, prefix in _PER_BACKEND.items():
        found[f"StartOf{functionality}Backends"] = number
        for backend in _BACKENDS:
            number += 1
            found[prefix + backend] = number
        found[f"EndOf{functionality}Backends"] = number
        number += 1
    return found | {name: i for i, name in enumerate(_ALIASES, start=number)}


# A layer through which calls go, as torch numbers them.
DispatchKey = Enumeration("DispatchKey", _numbers(), module="torch")  # type: ignore[call-overload]
_FIRST_OF_BACKENDS = len(_FUNCTIONALITIES) + 2
_BLOCK = len(_BACKENDS) + 1
_FIRST_ALIAS = _FIRST_OF_BACKENDS + _BLOCK * len(_PER_BACKEND)
_BACKEND_BITS = (1 << len(_BACKENDS)) - 1


def _functionality_bit(name: str) -> int:
    return 1 << (len(_BACKENDS) + _FUNCTIONALITIES.index(name))


def _bits(key: Any) -> int:
    """The set of one key; aliases and Undefined are in none."""
    number = key.value
    if number == 0 or number >= _FIRST_ALIAS:
        return 0
    if number < _FIRST_OF_BACKENDS:
        return 1 << (len(_BACKENDS) + number - 1)
    block, place = divmod(number - _FIRST_OF_BACKENDS, _BLOCK)
    bit = _functionality_bit(list(_PER_BACKEND)[block])
    return bit | (1 << (place - 1) if place else 0)


def _names(bits: int) -> list[str]:
    """The names of the keys of a set, in the order of their precedence."""
    names = []
    for functionality in _FUNCTIONALITIES:
        if not bits & _functionality_bit(functionality):
            continue
        prefix = _PER_BACKEND.get(functionality)
        if prefix is None:
            names.append(functionality)
        else:
            names += [prefix + name for i, name in enumerate(_BACKENDS) if bits >> i & 1]
    return names


def _mismatch(what: str, wanted: str, *given: Any) -> TypeError:
    shown = ", ".join(repr(each) for each in given)
    return TypeError(
        f"{what}(): incompatible {'constructor' if what == '__init__' else 'function'} arguments. "
        f"The following argument types are supported:\n    1. {wanted}\n\nInvoked with: {shown}"
    )


class DispatchKeySet:
    """A set of keys: those of one, or made of others by |, & and -."""

    __module__ = "torch"  # as torch names the classes that it takes from there
    __slots__ = ("_repr",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, key: Any = None) -> None:
        if not isinstance(key, DispatchKey):
            wanted = "torch._C.DispatchKeySet(arg0: torch._C.DispatchKey)"
            raise _mismatch("__init__", wanted, *([] if key is None else [key]))
        self._repr = _bits(key)

    @staticmethod
    def from_raw_repr(bits: int) -> DispatchKeySet:
        """The set of an integer that `raw_repr` gave."""
        made = DispatchKeySet(DispatchKey.Undefined)
        made._repr = bits
        return made

    def raw_repr(self) -> int:
        """The set as an integer."""
        return self._repr

    def _other(self, name: str, other: Any) -> int:
        if isinstance(other, DispatchKeySet):
            return other._repr
        kind = "torch._C.DispatchKeySet"
        raise _mismatch(name, f"(self: {kind}, arg0: {kind}) -> {kind}", self, other)

    def __or__(self, other: Any) -> DispatchKeySet:
        return self.from_raw_repr(self._repr | self._other("__or__", other))

    def __and__(self, other: Any) -> DispatchKeySet:
        return self.from_raw_repr(self._repr & self._other("__and__", other))

    def __sub__(self, other: Any) -> DispatchKeySet:
        # Backends stay: another functionality may have a key for them.
        return self.from_raw_repr(self._repr & (_BACKEND_BITS | ~self._other("__sub__", other)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._repr == other._repr

    def add(self, key: Any) -> DispatchKeySet:
        """The set with a key."""
        return self | DispatchKeySet(key)

    def remove(self, key: Any) -> DispatchKeySet:
        """The set without a key's functionality."""
        return self - DispatchKeySet(key)

    def has(self, key: Any) -> bool:
        """Whether a key is in the set."""
        bits = DispatchKeySet(key)._repr
        return self._repr & bits == bits

    def highestPriorityTypeId(self) -> Any:
        """The key that takes a call first; Undefined in an empty set."""
        names = _names(self._repr)
        return getattr(DispatchKey, names[-1]) if names else DispatchKey.Undefined

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(_names(self._repr))})"


# ---- keys by name and of tensors


def _dispatch_key_parse(name: str) -> Any:
    """The key of a name. RuntimeError if there is none."""
    if name not in DispatchKey.__members__:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return DispatchKey[name]


def _parse_dispatch_key(name: str) -> Any:
    """The key of a name; None if there is none."""
    return DispatchKey.__members__.get(name)


def _dispatch_key_name(key: Any) -> str:
    """The name of a key."""
    if not isinstance(key, DispatchKey):
        raise _mismatch("_dispatch_key_name", "(arg0: c10::DispatchKey) -> str", key)
    return key.name


def _backend(kind: str) -> str:
    """The backend of a kind of devices."""
    by_lower = {name.lower(): name for name in _BACKENDS}
    return "PrivateUse1" if kind == "privateuseone" else by_lower[kind]


def _dispatch_key_for_device(device_type: str) -> str:
    """The name of the key of dense tensors on a kind of devices."""
    return _backend(minitorch.device(device_type).type)


def _dispatch_keys(tensor: Any) -> DispatchKeySet:
    """The keys of a tensor."""
    if not isinstance(tensor, Tensor):
        kind = "(arg0: torch.Tensor) -> torch._C.DispatchKeySet"
        raise _mismatch("_dispatch_keys", kind, tensor)
    x: Any = tensor
    layout = str(x.layout).removeprefix("torch.")
    prefix = {"strided": "", "sparse_coo": "Sparse"}.get(layout, "SparseCsr")
    backend = _backend(x.device.type)
    names = [prefix + backend]
    if layout == "strided":
        bits = zip(("Conjugate", "Negative"), bits_of(x._array), strict=True)
        names += [name for name, is_so in bits if is_so]
    if not x.is_inference():
        names += ["ADInplaceOrView", f"Autograd{backend}"]
    if f"Autocast{backend}" in _FUNCTIONALITIES:
        names.append(f"Autocast{backend}")
    if is_dispatching(type(x)):
        names += ["Python", "PythonTLSSnapshot"]
    return _set_of(names)


def is_dispatching(kind: type) -> bool:
    """Whether a class of tensors has a __torch_dispatch__ of its own."""
    return getattr(kind, "__torch_dispatch__", None) is not _NO_DISPATCH


_dispatch_key_set = _dispatch_keys
_NO_DISPATCH = getattr(Tensor, "__torch_dispatch__", None)


def _set_of(names: list[str]) -> DispatchKeySet:
    """The set of keys by name."""
    bits = 0
    for name in names:
        if name in DispatchKey.__members__:
            bits |= _bits(DispatchKey[name])
        else:
            bits |= _functionality_bit(name)
    return DispatchKeySet.from_raw_repr(bits)


def _dispatch_keyset_to_string(keyset: Any) -> str:
    """A set as text."""
    return repr(keyset)


def _dispatch_keyset_full() -> DispatchKeySet:
    """The set of all keys."""
    return DispatchKeySet.from_raw_repr((1 << (len(_BACKENDS) + len(_FUNCTIONALITIES))) - 1)


def _dispatch_has_kernel(name: str) -> bool:
    """Whether there is an operator "aten::add.Tensor"."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    return hasattr(getattr(getattr(ops, namespace), packet, None), overload or "default")


def _dispatch_is_alias_key(key: Any) -> bool:
    """Whether a key stands for several."""
    return key.value >= _FIRST_ALIAS


def _dispatch_num_backends() -> int:
    """The number of backends."""
    return len(_BACKENDS)


def _functionality_to_backend_keys(key: Any) -> list[Any]:
    """The keys of a functionality: one for each backend, or itself."""
    if key.name not in _PER_BACKEND:
        return [key]
    return [DispatchKey[_PER_BACKEND[key.name] + name] for name in _BACKENDS]


def _to_functionality_key(key: Any) -> Any:
    """The functionality of a key."""
    if not _FIRST_OF_BACKENDS <= key.value < _FIRST_ALIAS:
        return key
    return DispatchKey[list(_PER_BACKEND)[(key.value - _FIRST_OF_BACKENDS) // _BLOCK]]


# ---- keys of threads


_AUTOCAST = [name for name in _FUNCTIONALITIES if name.startswith("Autocast")]
# Keys of autograd that guards leave out.
EXCLUDED: ContextVar[tuple[str, ...]] = ContextVar("excluded_keys", default=())
_AUTOGRAD = ["AutogradOther", "AutogradFunctionality", "AutogradNestedTensor"]


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    """The keys that this thread adds to those of tensors."""
    outside = [] if minitorch.is_inference_mode_enabled() else ["ADInplaceOrView"]
    return _set_of(["BackendSelect", *outside])


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """The keys that this thread leaves out: those of autocast where it is off."""
    kinds = {"AutocastCPU": "cpu", "AutocastCUDA": "cuda"}
    on = [name for name, kind in kinds.items() if minitorch.is_autocast_enabled(kind)]
    inference = _AUTOGRAD if minitorch.is_inference_mode_enabled() else []
    return _set_of([*inference, *EXCLUDED.get(), *[name for name in _AUTOCAST if name not in on]])


def _dispatch_tls_is_dispatch_key_included(key: Any) -> bool:
    """Whether this thread adds a key to those of tensors."""
    return _dispatch_tls_local_include_set().has(key)


def _dispatch_tls_is_dispatch_key_excluded(key: Any) -> bool:
    """Whether this thread leaves a key out."""
    return _dispatch_tls_local_exclude_set().has(key)


class _ExcludeDispatchKeyGuard:
    """A block that leaves keys out: autocast, or autograd.

    Raises NotImplementedError on entry for layers that this library does not have as such.
    """

    __module__ = "torch._C"

    def __init__(self, keyset: Any) -> None:
        if not isinstance(keyset, DispatchKeySet):
            wanted = f"torch._C.{type(self).__name__}(arg0: torch._C.DispatchKeySet)"
            raise _mismatch("__init__", wanted, keyset)
        self._keys = keyset
        self._stack = ExitStack()

    def __enter__(self) -> None:
        names = [name for name in _FUNCTIONALITIES if self._keys._repr & _functionality_bit(name)]
        for name in names:
            if name in ("AutocastCPU", "AutocastCUDA"):
                kind = name.removeprefix("Autocast").lower()
                before = minitorch.is_autocast_enabled(kind)
                self._stack.callback(minitorch.set_autocast_enabled, kind, before)
                minitorch.set_autocast_enabled(kind, False)
            elif name in _AUTOGRAD or name == "ADInplaceOrView":
                token = EXCLUDED.set((*EXCLUDED.get(), name))
                self._stack.callback(EXCLUDED.reset, token)
                self._stack.enter_context(minitorch.no_grad())
            elif name not in _AUTOCAST:  # of devices that are not here
                self._stack.close()
                raise NotImplementedError(f"torch._C.{type(self).__name__} for {name}")

    def __exit__(self, *exception: object) -> None:
        self._stack.close()


class _AutoDispatchBelowAutograd(_ExcludeDispatchKeyGuard):
    """A block that records no gradients."""

    __module__ = "torch._C"

    def __init__(self) -> None:
        super().__init__(_set_of(_AUTOGRAD))


class _AutoDispatchBelowADInplaceOrView(_ExcludeDispatchKeyGuard):
    """A block that records neither gradients nor views."""

    __module__ = "torch._C"

    def __init__(self) -> None:
        super().__init__(_set_of([*_AUTOGRAD, "ADInplaceOrView"]))
