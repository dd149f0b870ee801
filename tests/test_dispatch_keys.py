"""torch._C.DispatchKey, sets of keys, and the guards that leave keys out."""

import pytest

import minitorch as torch
from minitorch import _C

KEY, SET = _C.DispatchKey, _C.DispatchKeySet


def test_keys_have_torchs_numbers():
    numbers = {"Undefined": 0, "Dense": 1, "AutocastCPU": 24, "CPU": 49, "EndOfDenseBackends": 64}
    numbers |= {"QuantizedCPU": 66, "AutogradMeta": 149, "Autograd": 150, "PythonDispatcher": 46}
    assert {name: int(KEY.__members__[name]) for name in numbers} == numbers
    assert len(KEY.__members__) == 145
    assert (repr(KEY.CPU), str(KEY.Meta)) == ("<DispatchKey.CPU: 49>", "DispatchKey.Meta")


def test_sets_of_keys_have_torchs_bits():
    both = SET(KEY.CPU) | SET(KEY.AutogradCUDA)
    assert str(both) == "DispatchKeySet(CPU, CUDA, AutogradCPU, AutogradCUDA)"
    assert both.raw_repr() == 0x1000010003
    assert str(both - SET(KEY.CPU)) == "DispatchKeySet(AutogradCPU, AutogradCUDA)"
    assert str(both & SET(KEY.CUDA)) == "DispatchKeySet(CUDA)"
    assert both.has(KEY.AutogradCPU)
    assert both.add(KEY.Python).has(KEY.Python)
    assert both.remove(KEY.AutogradCPU).highestPriorityTypeId() is KEY.CUDA
    assert SET.from_raw_repr(0x10001) == SET(KEY.CPU)
    assert str(SET(KEY.Autograd)) == "DispatchKeySet()"
    with pytest.raises(
        TypeError, match=r"1. torch._C.DispatchKeySet\(arg0: torch._C.DispatchKey\)"
    ):
        SET(3)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        both | KEY.CPU


def test_keys_by_name():
    assert _C._dispatch_key_parse("CPU") is _C._parse_dispatch_key("CPU") is KEY.CPU
    assert _C._parse_dispatch_key("cpu") is None
    with pytest.raises(RuntimeError, match="could not parse dispatch key: cpu"):
        _C._dispatch_key_parse("cpu")
    assert _C._dispatch_key_name(KEY.CPU) == _C._dispatch_key_for_device("cpu") == "CPU"
    assert _C._to_functionality_key(KEY.AutogradCPU) is KEY.AutogradFunctionality
    assert _C._functionality_to_backend_keys(KEY.Dense)[1] is KEY.CUDA
    assert _C._dispatch_has_kernel("aten::add.Tensor")
    assert not _C._dispatch_has_kernel("aten::nothing")


def test_keys_of_tensors():
    x = torch.ones(1)
    usual = "ADInplaceOrView, AutogradCPU, AutocastCPU)"
    assert str(_C._dispatch_keys(x)) == f"DispatchKeySet(CPU, {usual}"
    conjugate = x.to(torch.complex64).conj()
    assert str(_C._dispatch_keys(conjugate)) == f"DispatchKeySet(CPU, Conjugate, {usual}"
    assert str(_C._dispatch_keys(torch.eye(2).to_sparse())) == f"DispatchKeySet(SparseCPU, {usual}"
    meta = torch.ones(1, device="meta")
    assert str(_C._dispatch_keys(meta)) == "DispatchKeySet(Meta, ADInplaceOrView, AutogradMeta)"
    with torch.inference_mode():
        assert str(_C._dispatch_keys(torch.ones(1))) == "DispatchKeySet(CPU, AutocastCPU)"


def test_keys_of_threads():
    assert str(_C._dispatch_tls_local_include_set()) == (
        "DispatchKeySet(BackendSelect, ADInplaceOrView)"
    )
    assert _C._dispatch_tls_is_dispatch_key_excluded(KEY.AutocastCPU)
    with torch.autocast("cpu"):
        assert not _C._dispatch_tls_is_dispatch_key_excluded(KEY.AutocastCPU)


def test_guards_leave_autocast_and_autograd_out():
    w = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"), _C._ExcludeDispatchKeyGuard(SET(KEY.AutocastCPU)):
        assert (w @ w).dtype is torch.float32
        assert not torch.is_autocast_enabled("cpu")
    with torch.autocast("cpu"):
        with _C._ExcludeDispatchKeyGuard(SET(KEY.AutocastCUDA)):
            pass
        assert (w @ w).dtype is torch.bfloat16
    with _C._AutoDispatchBelowAutograd():
        assert not (w * 2).requires_grad
    assert (w * 2).requires_grad
    with pytest.raises(NotImplementedError, match="_ExcludeDispatchKeyGuard for Functionalize"):
        _C._ExcludeDispatchKeyGuard(SET(KEY.Functionalize)).__enter__()
    with pytest.raises(TypeError, match=r"Invoked with: <DispatchKey\.CPU: 49>"):
        _C._ExcludeDispatchKeyGuard(KEY.CPU)
