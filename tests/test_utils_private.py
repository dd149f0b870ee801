"""torch._utils: tensors of their parts, devices, calls as text."""

import collections
import logging

import numpy
import pytest

import minitorch as torch
from minitorch import _utils


def test_metadata_says_how_a_tensor_reads_its_memory():
    x = torch.tensor([1 + 2j, 3j])
    assert [_utils.get_tensor_metadata(each) for each in (x, x.conj(), x.conj().imag)] == [
        *({}, {"conj": True}, {"neg": True}),
    ]
    _utils.set_tensor_metadata(x, {"conj": True})
    assert x.is_conj()
    assert x.tolist() == [1 - 2j, -3j]
    with pytest.raises(AssertionError, match="expected dict, got list"):
        _utils.set_tensor_metadata(x, [])
    with pytest.raises(AssertionError, match=r"expected torch\.Tensor, got int"):
        _utils.get_tensor_metadata(3)


@pytest.mark.filterwarnings("ignore:TypedStorage")
def test_tensors_are_made_of_storages():
    x = torch.arange(6.0)
    storage = x.storage()
    assert _utils._rebuild_tensor(storage, 1, (2, 2), (2, 1)).tolist() == [[1, 2], [3, 4]]
    hooks = collections.OrderedDict()
    made = _utils._rebuild_tensor_v2(storage, 0, (2,), (1,), True, hooks, {"neg": True})
    assert made.is_neg()
    assert made.requires_grad
    bits = _utils._rebuild_tensor_v3(storage, 1, (1,), (1,), False, None, torch.int32)
    assert bits.tolist() == [0x3F800000]
    hooks[0] = lambda grad: grad * 3
    made = _utils._rebuild_tensor_v2(storage, 1, (1,), (1,), True, hooks)
    made.sum().backward()
    assert made.grad.item() == 3.0


def test_tensors_are_made_of_arrays_and_states():
    made = _utils._rebuild_xla_tensor(numpy.arange(3), torch.float32, "cpu", True)
    assert made.tolist() == [0, 1, 2]
    assert made.requires_grad
    meta = _utils._rebuild_meta_tensor_no_storage(torch.float32, (2, 3), (1, 2), False)
    assert meta.stride() == (1, 2)
    parameter = _utils._rebuild_parameter_with_state(torch.ones(1), True, {}, {"label": "w"})
    assert (type(parameter), parameter.label) == (torch.nn.Parameter, "w")
    with pytest.raises(RuntimeError, match=r"Invalid serialized state: \(1,\)"):
        _utils._set_obj_state(parameter, (1,))


def test_sparse_tensors_wait_to_be_looked_at():
    wrong = torch.tensor([[0, 7]]), torch.tensor([1.0, 2.0]), (2,)
    with torch.sparse.check_sparse_tensor_invariants():
        _utils._rebuild_sparse_tensor(torch.sparse_coo, wrong)
        with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
            _utils._validate_loaded_sparse_tensors()
    assert _utils._sparse_tensors_to_validate == []
    with pytest.raises(NotImplementedError, match="rebuilding sparse tensor for layout"):
        _utils._rebuild_sparse_tensor(torch.strided, ())


def test_sparse_tensors_are_flattened_and_made_again():
    tensors = [torch.eye(2).to_sparse(), torch.ones(2, 2).to_sparse()]
    indices, values = flat = _utils._flatten_sparse_tensors(tensors)
    assert (indices.tolist(), values.tolist()) == ([0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1], [1.0] * 6)
    again = _utils._unflatten_sparse_tensors(flat, tensors)
    assert [each.to_dense().sum().item() for each in again] == [2.0, 4.0]
    assert [len(group) for group in _utils._take_tensors([*tensors, torch.ones(5)], 30)] == [
        1,
        1,
        1,
    ]


def test_gathered_parts_are_joined_along_another_dimension():
    x = torch.arange(24.0).reshape(4, 6)
    assert _utils._maybe_view_chunk_cat(x, 4, 1).data_ptr() == x.data_ptr()
    joined = _utils._maybe_view_chunk_cat(x, 2, 1)
    assert joined.equal(torch.cat([x[:2], x[2:]], 1))
    assert _utils._maybe_view_chunk_cat(x, 2, 0) is x


def test_calls_as_text_have_tensors_by_their_sizes():
    text = _utils.render_call(torch.add, (torch.ones(3), 2), {"alpha": 3.0})
    assert text == "torch.add(tensor([...], size=(3,)), 2, alpha=3.0)"


def test_what_is_said_of_devices_where_there_is_no_accelerator():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    assert _utils.get_current_device_index() == -1
    assert _utils._get_current_device_index() is None
    assert _utils._get_devices_properties([0]) == [None]
    assert _utils._get_device_index("cuda", optional=True) is None
    with pytest.raises(RuntimeError, match="Device 'nothing' does not have a corresponding module"):
        _utils._get_device_module("nothing")
    assert _utils.cpu_count() > 0


def test_small_helpers():
    with pytest.warns(UserWarning, match="`torch._utils.is_compiling` is deprecated"):
        assert not _utils.is_compiling()
    with pytest.raises(RuntimeError, match="Tried to instantiate dummy base class Missing"):
        _utils._dummy_type("Missing")()
    with pytest.raises(RuntimeError, match=r"expected torch\.dtype, but got <class 'int'>"):
        _utils._element_size(3)
    assert _utils._handle_complex(torch.ones(2, dtype=torch.complex64)).shape == (2, 2)
    with pytest.warns(UserWarning, match="'async' is deprecated"):
        assert _utils._get_async_or_non_blocking("f", False, {"async": True})
    seeds = _utils._LazySeedTracker()
    seeds.queue_seed("one", "here")
    seeds.queue_seed_all("all", "there")
    assert seeds.get_calls() == [("one", "here"), ("all", "there")]
    assert _utils.NAME_MAPPING["__builtin__", "unicode"] == ("builtins", "str")


def test_an_error_of_a_callback_is_logged(caplog):
    registry = _utils.CallbackRegistry("memory")
    registry.add_callback(lambda given: given / 0)
    with caplog.at_level(logging.ERROR, "torch._utils"):
        registry.fire_callbacks(1)
    assert "Exception in callback for memory registered with gpu trace" in caplog.text
