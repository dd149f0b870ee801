"""torch.ops.load_library and torch.classes: libraries against torch's C++ are only named."""

import os

import pytest

import minitorch as torch
from minitorch import library


@pytest.fixture
def compiled(tmp_path):
    path = tmp_path / "_C.so"
    path.write_bytes(b"\x7fELF libtorch_cpu.so\0birds::sing(Tensor self) -> Tensor\0birds::fly\0")
    return str(path)


def test_libraries_without_torch_are_loaded():
    paths = ["/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/lib/aarch64-linux-gnu"]
    found = [each for each in paths if os.path.exists(f"{each}/libm.so.6")]
    path = os.path.realpath(f"{found[0]}/libm.so.6") if found else None
    if path is None:
        pytest.skip("the library of mathematics is not in this process")
    torch.ops.load_library(path)
    assert path in torch.ops.loaded_libraries
    assert path in torch.classes.loaded_libraries


def test_libraries_that_need_torch_are_refused(compiled):
    with pytest.raises(OSError, match="Could not load this library") as caught:
        torch.ops.load_library(compiled)
    assert "needs torch's C++ library" in str(caught.value.__cause__)
    assert compiled not in torch.ops.loaded_libraries
    with pytest.raises(OSError, match="Could not load this library"):
        torch.classes.load_library("/no/such/library.so")
    with pytest.raises(TypeError, match="expected str, bytes or os"):
        torch.ops.load_library(3)


def test_compiled_operators_can_be_told_about_and_not_called(compiled):
    with pytest.raises(OSError, match="Could not load"):
        torch.ops.load_library(compiled)
    library.register_fake("birds::sing", lambda x: x)
    library.register_autograd("birds::fly", lambda ctx, grad: grad)
    library.Library("birds", "IMPL").impl("sing", lambda x: x, "CPU")
    assert str(torch.ops.birds.sing) == "birds.sing"
    with pytest.raises(NotImplementedError, match=r"birds::sing is compiled into .*_C\.so"):
        torch.ops.birds.sing(torch.ones(1))
    with pytest.raises(AttributeError, match="object has no attribute 'swim'"):
        library.register_vmap("birds::swim", lambda info, in_dims, x: x)
    with pytest.raises(AttributeError, match="object has no attribute 'swim'"):
        _ = torch.ops.birds.swim


def test_namespaces_of_operators_are_listed():
    torch.ops.import_module("json")
    _ = torch.ops.fishes
    assert "fishes" in list(torch.ops)


def test_classes_are_not_there():
    with pytest.raises(RuntimeError, match=r"Tried to instantiate class 'birds\.Nest'"):
        _ = torch.classes.birds.Nest
