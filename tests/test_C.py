"""torch._C and its parts, torch._utils, torch._dynamo, and the package's metadata."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minitorch
from minitorch import _C, _dynamo, _utils
from minitorch._C import _functorch as functorch
from minitorch._public import distribution


def test_c_answers_what_packages_ask_while_they_are_imported():
    x = minitorch.ones(3)
    assert _C._get_tracing_state() is None
    assert _C._log_api_usage_once("event") is None
    assert str(_C._get_accelerator()) == "cpu"
    assert not _C._are_functorch_transforms_active()
    assert _C._is_alias_of(x, x[1:])
    assert not _C._is_alias_of(x, x.clone())
    assert _C.Generator is minitorch.Generator
    assert isinstance(x, _C.TensorBase)
    assert _C._autograd.SavedTensor is minitorch.autograd.SavedTensor


def test_c_refuses_what_it_has_by_name_alone():
    with pytest.raises(NotImplementedError, match=r"torch\._C\._jit_pass_inline is not implem"):
        _C._jit_pass_inline(None)
    with pytest.raises(AttributeError, match=r"torch\._C\._no_such_name"):
        _ = _C._no_such_name


def test_functorch_looks_beneath_vmap():
    seen = []

    def look(x):
        seen.append((functorch.is_batchedtensor(x), functorch.maybe_get_bdim(x)))
        seen.append((functorch.maybe_get_level(x), functorch.maybe_current_level()))
        seen.append(tuple(functorch.get_unwrapped(x).shape))
        seen.append((functorch.is_gradtrackingtensor(x), _C._are_functorch_transforms_active()))
        return x * 2

    minitorch.vmap(look)(minitorch.ones(2, 3))
    assert seen == [(True, 0), (1, 1), (2, 3), (False, True)]
    x = minitorch.ones(2)
    assert functorch.maybe_current_level() is functorch.peek_interpreter_stack() is None
    assert (functorch.maybe_get_bdim(x), functorch.maybe_get_level(x)) == (-1, -1)
    with pytest.raises(RuntimeError, match="No wrappers present!"):
        functorch.get_unwrapped(x)


def test_functorch_maps_by_hand():
    x = minitorch.arange(6.0).reshape(2, 3)
    level = functorch._vmap_increment_nesting(3, "error")
    try:
        batched = functorch._add_batch_dim(x, 1, level)
        assert batched.shape == (2,)
        result = functorch._remove_batch_dim(batched.sum(), level, 3, 0)
    finally:
        assert functorch._vmap_decrement_nesting() == level
    assert result.tolist() == [3, 5, 7]


def test_flattened_tensors_come_apart_again():
    tensors = [minitorch.ones(2, 2), minitorch.zeros(3)]
    flat = _utils._flatten_dense_tensors(tensors)
    assert flat.shape == (7,)
    parts = _utils._unflatten_dense_tensors(flat, tensors)
    assert [part.shape for part in parts] == [(2, 2), (3,)]
    groups = list(_utils._take_tensors([*tensors, tensors[0].long()], 16))
    assert [len(group) for group in groups] == [1, 1, 1]


def test_device_indices_are_read_from_numbers_and_devices():
    assert _utils._get_device_index(3) == 3
    assert _utils._get_device_index("cuda:1") == 1
    assert _utils._get_device_index("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="Expected a non cpu device, but got: cpu"):
        _utils._get_device_index("cpu")


def test_an_exception_wrapper_raises_the_same_type_with_the_first_traceback():
    try:
        {}["key"]
    except KeyError:
        wrapped = _utils.ExceptionWrapper(where="in thread 3")
    with pytest.raises(KeyError, match=r"Caught KeyError in thread 3\.") as caught:
        wrapped.reraise()
    assert "Original Traceback (most recent call last):\n" in repr(caught.value.args[0])


def test_dynamo_hands_functions_on_and_keeps_its_switches():
    def f(x):
        return x + 1

    assert _dynamo.disable(f)(1) == _dynamo.optimize("eager")(f)(1) == 2
    assert not _dynamo.is_compiling()
    with _dynamo.config.patch(suppress_errors=True):
        assert _dynamo.config.suppress_errors
    assert not _dynamo.config.suppress_errors
    with pytest.raises(AttributeError, match="no_such_switch"):
        _dynamo.config.patch(no_such_switch=1)


def test_the_metadata_of_torch_are_found_where_minitorch_stands_for_it():
    code = (
        "from importlib.metadata import distribution, metadata, requires, version\n"
        "print(version('torch'), metadata('torch')['Name'], requires('torch'),"
        " distribution('torch').version)"
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", "-c", code], capture_output=True, text=True, check=True
    )
    version = minitorch.__version__
    assert done.stdout.strip() == f"{version} torch {list(distribution.REQUIRES)} {version}"


def test_the_metadata_require_what_the_package_requires():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    wanted = tomllib.loads(text)["project"]["dependencies"]
    assert sorted(wanted) == sorted(distribution.REQUIRES)
    assert re.fullmatch(r"[\w.+]+", distribution.TorchDistribution().version)
    assert isinstance(distribution.TorchDistribution(), importlib.metadata.Distribution)


def test_c_has_the_functions_of_networks_under_the_names_that_torch_gives_them():
    functional = minitorch.nn.functional
    assert _C._nn.gelu is functional.gelu
    assert _C._nn.log_sigmoid is functional.logsigmoid
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _C._nn.nothing  # noqa: B018


def test_nn_parse_to_says_what_arguments_of_module_to_ask_for():
    cpu = minitorch.device("cpu")
    assert _C._nn._parse_to("cpu") == (cpu, None, False, None)
    assert _C._nn._parse_to(minitorch.float64) == (None, minitorch.float64, False, None)
    given = minitorch.ones(2, dtype=minitorch.int8)
    assert _C._nn._parse_to(given, True) == (cpu, minitorch.int8, True, None)
    channels_last = minitorch.channels_last
    assert _C._nn._parse_to(memory_format=channels_last) == (None, None, False, channels_last)
    with pytest.raises(RuntimeError, match=r"\.to\(\) does not accept copy argument"):
        _C._nn._parse_to("cpu", copy=True)
    with pytest.raises(RuntimeError, match=r"\.to\(\) does not accept copy argument"):
        minitorch.nn.Linear(1, 1).to("cpu", copy=True)


def test_c_lists_the_functions_that_it_writes():
    functions = _C._VariableFunctions
    assert functions.add is _C._VariableFunctionsClass.add is minitorch.add
    names = dir(functions)
    assert {"add", "einsum", "_foreach_add", "unique_dim"} <= set(names)
    assert not {"Any", "minitorch", "Callable", "foo"} & set(names)
    assert all(callable(getattr(functions, each)) for each in names if not each.startswith("__"))
    assert repr(functions).startswith("<torch._C._VariableFunctionsClass object at")
    with pytest.raises(AttributeError, match=r"'torch._C._VariableFunctionsClass' object has no"):
        _ = functions.foo
    with pytest.raises(AttributeError, match=r"type object 'torch._C._VariableFunctionsClass' has"):
        _ = _C._VariableFunctionsClass.foo
    with pytest.raises(TypeError, match=r"cannot create 'torch._C._VariableFunctionsClass'"):
        _C._VariableFunctionsClass()


def test_the_base_of_tensors_has_the_methods_that_c_writes():
    assert _C.TensorBase.untyped_storage is minitorch.Tensor.untyped_storage
    assert _C.TensorBase.add(minitorch.ones(2), 1).tolist() == [2, 2]
    assert isinstance(_C.TensorBase.__dict__["shape"], property)
    assert not hasattr(_C.TensorBase, "backward")


def test_modules_in_cpp_have_a_base_that_cannot_be_made():
    with pytest.raises(TypeError, match=r"torch\._C\.cpp\.nn\.Module: No constructor defined!"):
        minitorch.cpp.nn.Module()
    with pytest.raises(TypeError, match=r"cpp\.OrderedTensorDict: No constructor defined!"):
        minitorch.cpp.OrderedTensorDict()


def test_an_undefined_gradient_reaches_no_leaf():
    x = minitorch.ones(3, requires_grad=True)
    copied = minitorch._C._functions.UndefinedGrad()(x * 2)
    assert "UndefinedGradBackward" in repr(copied)
    copied.sum().backward()
    assert x.grad is None
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        minitorch._C._functions.UndefinedGrad()(x, x)
