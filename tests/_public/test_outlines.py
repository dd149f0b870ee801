"""Modules of names alone: their contents, and how their functions refuse calls."""

import enum
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import minitorch
from minitorch._public import outlines

TABLES = sorted(Path(outlines.__file__).parent.glob("*.txt"))


# In a process of its own: names that are found stay in their modules.
FIND_ALL = """
import importlib, sys
from minitorch._public import outlines

for part in open(sys.argv[1], encoding="utf-8").read().split("\\n\\n"):
    name = part.splitlines()[0].strip("[]/")
    importlib.import_module(f"mini{name}")
    for each in outlines.outline(name).lines:
        outlines.find(name, each)
"""


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_name_of_a_table_can_be_made(table):
    subprocess.run([sys.executable, "-c", FIND_ALL, table], check=True)


def test_modules_of_minitorch_have_the_rest_of_torchs_names_where_they_stand_for_torch():
    code = """
import torch.sparse.semi_structured
from torch.nn.parameter import _ParameterMeta
from torch.serialization import _legacy_load
try:
    _legacy_load(None)
except NotImplementedError as error:
    print(error)
print(torch.sparse.semi_structured.__name__, hasattr(torch.serialization, "_nothing"))
"""
    command = [sys.executable, "-m", "minitorch", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == [
        "torch.serialization._legacy_load is not implemented by minitorch",
        "torch.sparse.semi_structured False",
    ]


def test_a_module_of_names_alone_is_imported_like_any_other():
    from minitorch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    assert issubclass(FullyShardedDataParallel, minitorch.nn.Module)
    assert isinstance(ShardingStrategy.FULL_SHARD, enum.Enum)
    assert ShardingStrategy["NO_SHARD"].name == "NO_SHARD"


def test_a_name_has_one_identity_wherever_it_is_imported_from():
    import minitorch.distributed.tensor as tensor
    import minitorch.distributed.tensor.placement_types as types

    assert tensor.Shard is types.Shard


def test_making_an_object_of_a_name_alone_says_which_it_is():
    from minitorch.export import ExportedProgram

    with pytest.raises(NotImplementedError, match=r"torch\.export\.exported_program\.Exported"):
        ExportedProgram()
    assert not isinstance(minitorch.ones(2), ExportedProgram)


def test_calling_a_function_of_a_name_alone_says_which_it_is():
    with pytest.raises(NotImplementedError, match=r"torch\.export\.export is not implemented"):
        minitorch.export.export(None, ())


def test_exceptions_of_a_table_can_be_raised_and_caught():
    from minitorch.distributed import DistBackendError, DistError

    with pytest.raises(DistError, match="lost"):
        raise DistBackendError("lost")
    assert issubclass(DistError, RuntimeError)


def test_classes_of_a_table_can_be_derived_from_and_named_in_annotations():
    from minitorch.ao.quantization.backend_config import BackendConfig

    class Mine(BackendConfig):
        pass

    def f(x: BackendConfig) -> BackendConfig: ...

    assert inspect.signature(f)
    with pytest.raises(NotImplementedError, match="BackendConfig"):
        Mine("name")
    assert outlines.is_refused(Mine)
    assert not outlines.is_refused(dict)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"torch\.onnx\.nothing is not implemented"):
        _ = minitorch.onnx.nothing
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("minitorch.onnx.nothing")


def test_xpu_mps_and_mtia_answer_as_where_there_is_no_such_device():
    for kind in (minitorch.xpu, minitorch.mps, minitorch.mtia):
        assert not kind.is_available()
        assert kind.device_count() == 0
    assert minitorch.xpu.memory_allocated() == 0
    assert minitorch.xpu.get_rng_state_all() == []
    with pytest.raises(AssertionError, match="Torch not compiled with XPU enabled"):
        minitorch.xpu.current_device()
    with pytest.raises(RuntimeError, match=r"Cannot execute deviceSynchronize\(\) without MPS"):
        minitorch.mps.synchronize()
    with pytest.raises(RuntimeError, match=r"Cannot execute getCurrentDevice\(\) without MTIA"):
        minitorch.mtia.current_device()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("_dynamo.eval_frame", "OptimizedModule"),
        ("_library.custom_ops", "CustomOpDef"),
        ("utils.data.datapipes.datapipe", "DataChunk"),
    ],
)
def test_a_class_of_minitorch_stands_in_the_module_that_it_names(module, name):
    found = getattr(importlib.import_module(f"minitorch.{module}"), name)
    assert "is not implemented" not in (found.__doc__ or "")
    assert found.__module__ == f"torch.{module}"


def test_what_compile_makes_and_raises_is_known_to_dynamos_modules():
    from minitorch._dynamo.eval_frame import OptimizedModule
    from minitorch._dynamo.exc import InvalidBackend, TorchDynamoException

    assert isinstance(minitorch.compile(minitorch.nn.Identity()), OptimizedModule)
    with pytest.raises(TorchDynamoException, match="Invalid backend: 'none'") as caught:
        minitorch.compile(minitorch.nn.Identity(), backend="none")
    assert type(caught.value) is InvalidBackend


def test_context_managers_of_absent_devices_refuse_when_they_are_entered():
    block = minitorch.cuda.nvtx.range("part")
    with pytest.raises(RuntimeError, match="NVTX functions not installed"), block:
        pass

    @minitorch.cuda.profiler.profile()
    def measured():
        return 1

    assert measured.__name__ == "measured"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        measured()


def test_functions_of_a_device_check_their_arguments_first():
    from minitorch import cuda

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'pool'"):
        cuda.use_mem_pool()
    with pytest.raises(KeyError, match=r"allocated_bytes\.all\.current"):
        cuda.memory_summary()


def test_classes_of_a_device_say_what_torch_says_without_it():
    from minitorch import cuda

    with pytest.raises(RuntimeError, match="Tried to instantiate dummy base class CUDAGraph"):
        cuda.CUDAGraph()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        cuda.FloatStorage(2)
