"""Classes of torch for what there is not: they cannot be made, and say so."""

import inspect

import pytest

import minitorch as torch
from minitorch._public.refused import names
from minitorch.core.declare.wording.signatures import signatures_at

PARSED = [name for name in names() if signatures_at(f"torch.{name}") is not None]


@pytest.mark.parametrize("name", [name for name in names() if name not in PARSED])
def test_every_listed_name_is_found_and_refuses(name):
    found = getattr(torch, name)
    assert found is getattr(torch, name)
    parameters = inspect.signature(found).parameters.values()
    needed = [each for each in parameters if each.default is each.empty]
    needed = [each for each in needed if each.kind is each.POSITIONAL_OR_KEYWORD]
    with pytest.raises(NotImplementedError, match=rf"torch\.{name} is not implemented"):
        found(*needed)


@pytest.mark.parametrize("name", PARSED)
def test_functions_refuse_what_torchs_parser_refuses(name):
    with pytest.raises(TypeError, match=rf"^{name}\(\) "):
        getattr(torch, name)()


def test_functions_without_a_kernel_in_torch_say_so():
    x = torch.ones(2, 2)
    with pytest.raises(NotImplementedError, match=r"^Could not run 'aten::mkldnn_max_pool2d' with"):
        torch.mkldnn_max_pool2d(x, 2)
    with pytest.raises(NotImplementedError, match=r"^torch.quantize_per_tensor_dynamic is not im"):
        torch.quantize_per_tensor_dynamic(x, torch.uint8, False)


def test_arguments_must_be_those_of_torch():
    with pytest.raises(TypeError, match="node"):
        torch.SymInt()


def test_nothing_is_an_instance_of_what_cannot_be_made():
    assert not isinstance(3, torch.SymInt)


def test_what_is_not_listed_is_no_attribute():
    assert not hasattr(torch, "no_such_name")


def test_streams_of_the_cpu_are_always_done():
    stream, event = torch.Stream("cpu"), torch.Event("cpu")
    assert stream == torch.Stream()
    assert stream.query()
    assert event.query()
    with stream, pytest.raises(RuntimeError, match="cpu backend doesn't support events"):
        stream.record_event()
    with pytest.raises(RuntimeError, match="cuda"):
        torch.Stream("cuda")


def test_ranges_of_sizes():
    assert torch.sym_fresh_size(3) == 3
    torch.sym_constrain_range(3, min=2)
    with pytest.raises(RuntimeError, match="Invalid value range for 3"):
        torch.sym_constrain_range(3, min=4)
    with pytest.raises(RuntimeError, match="greater than 2"):
        torch.sym_constrain_range_for_size(3, max=2)
