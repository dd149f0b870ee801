"""Tensors as Python sees them, rule by rule."""

import copy
import math
import operator
import pickle
import re

import numpy
import pytest

import minitorch as torch


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def refuses(error, text):
    """A context in which `error` with a message that begins with `text` must be raised."""
    return pytest.raises(error, match="^" + re.escape(text))


# ---- data and detach -----------------------------------------------------------------------------


def test_data_shares_memory_and_nothing_else():
    x = leaf(1.0, 2.0)
    data = x.data
    assert data is not x
    assert not data.requires_grad
    assert data.data_ptr() == x.data_ptr()
    data.add_(1)
    assert x.tolist() == [2.0, 3.0]
    assert (x._version, data._version) == (0, 1)


def test_detach_shares_memory_and_the_version():
    x = torch.ones(2)
    detached = x.detach()
    assert detached is not x
    assert detached._base is None
    detached.add_(1)
    assert x._version == detached._version == 1


def test_a_write_through_detach_is_noticed_one_through_data_is_not():
    x, w = leaf(2.0), torch.tensor([3.0])
    y = x * w
    w.data.add_(1)
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [4.0]
    w.detach().add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


def test_data_of_another_kind_is_refused():
    dense, sparse = torch.zeros(2), torch.eye(2).to_sparse()
    for x, other in (
        (dense, torch.zeros(2, device="meta")),
        (torch.zeros(2, device="meta"), dense),
        (dense, sparse),
        (sparse, dense),
    ):
        with refuses(RuntimeError, "Attempted to call `variable.set_data(tensor)`, but `variable`"):
            x.data = other
        assert not torch._has_compatible_shallow_copy_type(x, other)
    dense.data = torch.ones(3, dtype=torch.cfloat).conj()
    assert dense.shape == (3,)
    sparse.data = torch.eye(3).to_sparse()
    assert sparse.shape == (3, 3)


def test_numpy_names_the_device_before_the_graph():
    with refuses(TypeError, "can't convert meta device type tensor to numpy."):
        torch.zeros(2, device="meta", requires_grad=True).numpy()


def test_data_can_be_replaced():
    x = leaf(1.0, 2.0)
    x.data = torch.zeros(3)
    assert x.shape == (3,)
    assert x.requires_grad
    assert x.is_leaf
    with refuses(TypeError, "Variable data has to be a tensor, but got int"):
        x.data = 1
    with refuses(RuntimeError, "data set to a tensor that requires gradients must be floating"):
        x.data = torch.tensor([1, 2])


def test_detach_in_place_makes_a_leaf_but_not_of_a_view():
    y = leaf(1.0) * 2
    assert y.detach_() is y
    assert y.is_leaf
    assert not y.requires_grad
    with refuses(RuntimeError, "Can't detach views in-place. Use detach() instead"):
        torch.ones(2)[0].detach_()


# ---- requires_grad, leaves, nodes ----------------------------------------------------------------


def test_requires_grad_is_switched_on_leaves():
    x = torch.ones(2)
    assert x.requires_grad_() is x
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad
    assert not x.requires_grad_(False).requires_grad


def test_requires_grad_of_results_cannot_be_changed():
    y = leaf(1.0) * 2
    with refuses(
        RuntimeError,
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach().",
    ):
        y.requires_grad = False
    with refuses(RuntimeError, "you can only change requires_grad flags of leaf variables."):
        y.requires_grad = True
    assert y.requires_grad_() is y


def test_only_floating_and_complex_tensors_require_grad():
    whole = torch.tensor([1, 2])
    with refuses(RuntimeError, "only Tensors of floating point dtype can require gradients"):
        whole.requires_grad_()
    with refuses(RuntimeError, "only Tensors of floating point and complex dtype can require"):
        whole.requires_grad = True
    with refuses(RuntimeError, "Only Tensors of floating point and complex dtype can require"):
        torch.tensor([1, 2], requires_grad=True)
    assert not whole.requires_grad_(False).requires_grad
    assert torch.tensor([1j], requires_grad=True).requires_grad
    assert torch.ones(1, dtype=torch.bfloat16, requires_grad=True).requires_grad


def test_requires_grad_takes_bools_alone():
    with refuses(RuntimeError, "requires_grad must be a bool"):
        torch.ones(2).requires_grad = 1


def test_leaves_are_what_the_user_made_or_what_has_no_history():
    x = leaf(1.0)
    assert x.is_leaf
    assert not (x * 2).is_leaf
    assert (x * 2).detach().is_leaf
    assert (torch.ones(1) * 2).is_leaf


def test_a_view_taken_under_no_grad_requires_grad_but_has_no_history():
    x = leaf(1.0, 2.0)
    with torch.no_grad():
        view, result = x[0], x * 2
    assert view.requires_grad
    assert view.is_leaf
    assert view.grad_fn is None
    assert not result.requires_grad


def test_output_nr_numbers_the_outputs_of_one_node():
    first, second = leaf(1.0, 2.0).unbind()
    assert (first.output_nr, second.output_nr) == (0, 1)
    assert first.grad_fn is second.grad_fn
    assert leaf(1.0).output_nr == 0


def test_retain_grad_keeps_the_gradients_of_results():
    x = leaf(2.0)
    y = x * 3
    assert not y.retains_grad
    assert y.retain_grad() is None
    assert y.retains_grad
    x.retain_grad()
    assert not x.retains_grad
    (y * 2).backward()
    assert y.grad.tolist() == [2.0]
    with refuses(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(1).retain_grad()


def test_hooks_need_a_gradient():
    with refuses(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_hook(print)
    with refuses(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf"):
        (leaf(1.0) * 2).register_post_accumulate_grad_hook(print)


def test_grad_can_be_assigned_if_it_fits():
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(2)
    assert x.grad.tolist() == [1.0, 1.0]
    x.grad = None
    assert x.grad is None
    for error, wrong, text in (
        (TypeError, 1, "assigned grad expected to be a Tensor or None but got grad of type int"),
        (RuntimeError, x, "can't assign Variable as its own grad"),
        (RuntimeError, torch.ones(3), "attempting to assign a gradient of size '[3]' to a tensor"),
        (
            RuntimeError,
            torch.ones(2).double(),
            "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Fl",
        ),
    ):
        with refuses(error, text):
            x.grad = wrong
    assert x.grad is None


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number"),
    [(3.5, 3.5), (3, 3), (True, True), (1 + 2j, 1 + 2j), ([[2.0]], 2.0)],
)
def test_item_is_the_only_element_as_a_python_number(value, number):
    item = torch.tensor(value).item()
    assert item == number
    assert type(item) is type(number)


def test_item_of_several_elements_is_refused():
    with refuses(RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"):
        torch.ones(2, 3).item()
    with refuses(RuntimeError, "a Tensor with 0 elements cannot be converted to Scalar"):
        torch.empty(0).item()


def test_tolist_nests_as_the_dimensions():
    assert torch.arange(4).reshape(2, 2).tolist() == [[0, 1], [2, 3]]
    assert torch.tensor(2.5).tolist() == 2.5
    assert torch.ones(2, dtype=torch.bfloat16).tolist() == [1.0, 1.0]
    assert torch.empty(2, 0).tolist() == [[], []]


def test_python_numbers_of_one_element():
    assert (int(torch.tensor([2.7])), float(torch.tensor(3))) == (2, 3.0)
    assert complex(torch.tensor(2.0)) == 2 + 0j
    assert float(torch.tensor(1 + 0j)) == 1.0
    for number in (int, float, complex):
        with refuses(ValueError, "only one element tensors can be converted to Python scalars"):
            number(torch.ones(2))
    with refuses(RuntimeError, "value cannot be converted to type double without overflow"):
        float(torch.tensor(1 + 1j))


def test_truth_is_that_of_the_only_element():
    assert torch.tensor([[3.0]])
    assert not torch.tensor(0)
    with refuses(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"):
        bool(torch.ones(2))
    with refuses(RuntimeError, "Boolean value of Tensor with no values is ambiguous"):
        bool(torch.empty(0))


def test_integers_serve_as_indices():
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert list(range(torch.tensor(2))) == [0, 1]
    assert hex(torch.tensor([255])) == "0xff"
    for wrong in (torch.tensor(1.0), torch.tensor([1, 2])):
        with refuses(TypeError, "only integer tensors of a single element can be converted to an"):
            operator.index(wrong)


def test_equality_is_elementwise_and_hashing_by_identity():
    x, y = torch.ones(2), torch.ones(2)
    assert (x == y).tolist() == [True, True]
    assert (x == None) is False  # noqa: E711
    assert hash(x) != hash(y)
    assert len({x: 1, y: 2}) == 2


def test_formats():
    assert f"{torch.tensor(3.14159):.2f}" == "3.14"
    assert f"{torch.tensor(7):>4d}" == "   7"
    assert f"{torch.tensor([1.0, 2.0])}" == "tensor([1., 2.])"
    with refuses(TypeError, "unsupported format string passed to Tensor.__format__"):
        f"{torch.ones(2):.2f}"


# ---- containers ----------------------------------------------------------------------------------


def test_length_and_iteration_follow_the_first_dimension():
    x = torch.arange(6).reshape(2, 3)
    assert len(x) == 2
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    with refuses(TypeError, "len() of a 0-d tensor"):
        len(torch.tensor(1.0))
    with refuses(TypeError, "iteration over a 0-d tensor"):
        iter(torch.tensor(1.0))


def test_rows_of_an_iteration_lead_back_to_the_tensor():
    x = torch.ones(2, 2, requires_grad=True)
    first, _ = x
    first.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_contains_looks_for_an_element():
    x = torch.tensor([1.0, 2.0])
    assert 2 in x
    assert 3.0 not in x
    assert torch.tensor(1.0) in x
    with refuses(RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you"):
        _ = "a" in x


def test_reversed_flips_and_deletion_is_refused():
    x = torch.tensor([1, 2, 3])
    assert reversed(x).tolist() == [3, 2, 1]
    with refuses(TypeError, "Tensor does not support deleting items"):
        del x[0]


# ---- NumPy and DLPack ----------------------------------------------------------------------------


def test_numpy_shares_memory_both_ways():
    x = torch.zeros(2)
    array = x.numpy()
    array[0] = 5
    assert x.tolist() == [5.0, 0.0]
    back = torch.from_numpy(array)
    back[1] = 7
    assert x.tolist() == [5.0, 7.0]
    assert numpy.asarray(x).__array_interface__["data"] == array.__array_interface__["data"]


def test_arrays_that_numpy_gives_are_new_objects():
    x = torch.zeros(4)
    for array in (x.numpy(), x.numpy(force=True), x.__array__(), x.detach().cpu().numpy()):
        assert not array.flags.owndata
        array.shape = (2, 2)
        array.flags.writeable = False
    assert x.numpy() is not x.numpy()
    assert x.add_(1).tolist() == [1.0] * 4
    scalar = torch.tensor(3.0)
    scalar.numpy().shape = (1,)
    assert scalar.shape == ()


def test_numpy_refuses_what_would_lose_the_graph():
    x = leaf(1.0)
    with refuses(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.det"):
        x.numpy()
    with refuses(RuntimeError, "Can't call numpy() on Tensor that requires grad."):
        numpy.asarray(x)
    assert x.detach().numpy().tolist() == x.numpy(force=True).tolist() == [1.0]


def test_numpy_has_no_bfloat16():
    with refuses(TypeError, "Got unsupported ScalarType BFloat16"):
        torch.ones(1, dtype=torch.bfloat16).numpy()


def test_array_functions_of_numpy_return_tensors_and_are_warned_of_as_torchs_are():
    x = torch.tensor([1.0, 4.0])
    with pytest.warns(DeprecationWarning, match="__array_wrap__"):
        assert type(numpy.sqrt(x)) is torch.Tensor
    with pytest.warns(DeprecationWarning, match="copy keyword"):
        assert numpy.array(x, dtype="float64").dtype == "float64"
    assert numpy.asarray(x).dtype == "float32"
    assert (numpy.float32(2) * x).tolist() == [2.0, 8.0]
    with pytest.warns(DeprecationWarning, match="__array_wrap__"):
        assert (x * numpy.ones(2)).dtype is torch.float64


def test_dlpack_shares_memory_and_refuses_gradients():
    x = torch.arange(3)
    assert numpy.from_dlpack(x).tolist() == [0, 1, 2]
    assert torch.from_dlpack(x).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(numpy.ones(2)).dtype is torch.float64
    with refuses(BufferError, "Can't export tensors that require gradient, use tensor.detach()"):
        leaf(1.0).__dlpack__()


# ---- copies --------------------------------------------------------------------------------------


def test_deepcopy_copies_leaves_with_their_gradients():
    x = leaf(1.0, 2.0)
    x.grad = torch.tensor([3.0, 4.0])
    again = copy.deepcopy(x)
    assert again.requires_grad
    assert again.tolist() == [1.0, 2.0]
    assert again.grad.tolist() == [3.0, 4.0]
    assert again.data_ptr() != x.data_ptr()
    assert again.grad is not x.grad


def test_deepcopy_keeps_shared_storage_shared():
    x = torch.arange(4.0)
    whole, part = copy.deepcopy([x, x[1:3]])
    whole[1] = 9
    assert part.tolist() == [9.0, 2.0]
    assert part.storage_offset() == 1
    assert copy.deepcopy([x, x])[0] is not x


def test_deepcopy_of_a_result_is_refused():
    with refuses(RuntimeError, "Only Tensors created explicitly by the user (graph leaves) supp"):
        copy.deepcopy(leaf(1.0) * 2)


def test_pickles_keep_numbers_strides_and_requires_grad():
    for x in (torch.arange(6.0).reshape(2, 3).t(), leaf(1.0), torch.tensor(True), torch.empty(0)):
        again = pickle.loads(pickle.dumps(x))
        assert torch.equal(again, x)
        assert again.stride() == x.stride()
        assert (again.dtype, again.requires_grad) == (x.dtype, x.requires_grad)


# ---- types, shapes, storage ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (torch.float32, "torch.FloatTensor"),
        (torch.float64, "torch.DoubleTensor"),
        (torch.bfloat16, "torch.BFloat16Tensor"),
        (torch.int64, "torch.LongTensor"),
        (torch.uint8, "torch.ByteTensor"),
        (torch.bool, "torch.BoolTensor"),
        (torch.complex64, "torch.ComplexFloatTensor"),
    ],
)
def test_type_names_are_the_legacy_ones(dtype, name):
    x = torch.ones(2, dtype=dtype)
    assert x.type() == torch.typename(x) == name
    assert torch.ones(2).type(name).dtype is dtype


def test_legacy_types_convert_and_test():
    x = torch.ones(2)
    assert x.type(torch.DoubleTensor).dtype is x.type(torch.float64).dtype is torch.float64
    assert isinstance(x, torch.FloatTensor)
    assert not isinstance(x, torch.LongTensor)
    assert torch.LongTensor([1.5]).tolist() == [1]
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert torch.Tensor([1, 2]).dtype is torch.float32
    with refuses(ValueError, "invalid type: 'nonsense'"):
        x.type("nonsense")


def test_the_class_calls_itself_as_torch_does():
    assert repr(torch.Tensor) == "<class 'torch.Tensor'>"
    assert type(torch.ones(1)) is torch.Tensor


def test_sizes_and_strides():
    x = torch.empty(2, 3)
    assert (x.size(), x.size(0), x.size(-1)) == (torch.Size([2, 3]), 2, 3)
    assert (x.stride(), x.stride(-1), x.t().stride()) == ((3, 1), 1, (1, 3))
    assert (x.dim(), x.ndim, x.numel(), x.nelement()) == (2, 2, 6, 6)
    assert (x.element_size(), x.itemsize, x.nbytes) == (4, 4, 24)
    assert x.is_contiguous()
    assert not x.t().is_contiguous()
    with refuses(IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got"):
        x.size(2)


def test_views_share_the_storage_of_their_base():
    x = torch.arange(6.0).reshape(2, 3).clone()
    row = x[1]
    assert row.untyped_storage().nbytes() == 24
    assert row.storage_offset() == 3
    assert row.data_ptr() - x.data_ptr() == 12
    assert row.untyped_storage().data_ptr() == x.data_ptr()
    assert row._is_view()
    assert row._base is x
    assert row[1:]._base is x
    assert x._base is None
    assert torch.empty(0).data_ptr() == 0


def test_a_write_moves_the_version_of_base_and_views():
    x = torch.ones(2, 2)
    row = x[0]
    row.zero_()
    assert x._version == row._version == x[1]._version == 1


def test_conversions_that_change_nothing_return_the_tensor():
    x = torch.ones(2)
    assert x.float() is x.to("cpu") is x.to(torch.float32) is x.contiguous() is x.cpu() is x
    assert x.double() is not x


def test_where_a_tensor_lies():
    x = torch.ones(2)
    assert (x.device, x.get_device(), x.is_cuda) == (torch.device("cpu"), -1, False)
    assert x.layout is torch.strided


def test_unknown_attributes_are_missed_in_words():
    with refuses(AttributeError, "'Tensor' object has no attribute 'foo'"):
        _ = torch.ones(1).foo


def test_nan_and_infinity_have_no_integer():
    with pytest.raises((ValueError, OverflowError, RuntimeError)):
        int(torch.tensor(math.nan))


def test_what_cannot_be_deleted():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Delete tensor instead"):
        del x.data
    with pytest.raises(RuntimeError, match="must be a bool"):
        del x.requires_grad


def test_numpy_of_what_requires_grad_where_nothing_is_recorded():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        x.numpy()
    with torch.no_grad():
        x.numpy()[0] = 3
    assert x.tolist() == [3.0, 1.0]


def test_numbers_of_what_requires_grad_are_warned_of_in_new_tensors():
    torch.set_warn_always(True)
    try:
        x = torch.ones(2, requires_grad=True)
        with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
            assert torch.tensor([x[0], 2.0]).tolist() == [1.0, 2.0]
    finally:
        torch.set_warn_always(False)


def test_a_copy_refuses_a_gradient_that_no_longer_fits():
    x = leaf(1.0)
    y = x * x
    x.data = torch.ones(2)
    y.backward()
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        copy.deepcopy(x)


def test_constructors_and_as_subclass_keep_the_graph_by_an_alias():
    class Plain(torch.Tensor):
        pass

    x = torch.ones(2, requires_grad=True)
    for y in (Plain(x * 2), (x * 2).as_subclass(Plain), torch.Tensor(x * 2), torch.Tensor(x)):
        assert type(y.grad_fn).__name__ == "AliasBackward0"
        x.grad = None
        y.sum().backward()
        assert x.grad is not None
    assert not torch.Tensor._make_subclass(Plain, x * 2).requires_grad


def test_detach_and_data_are_of_the_class_that_torch_function_says():
    class Keeping(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

    class Plain(torch.Tensor):
        pass

    for kind, wanted in ((Keeping, torch.Tensor), (Plain, Plain)):
        x = torch.ones(2).as_subclass(kind)
        assert [type(each) for each in (x.detach(), x.data, x + 1, x[0])] == [wanted] * 4


def test_gradients_of_another_device_or_layout_are_refused():
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="with device type 'meta' to a tensor with device type"):
        x.grad = torch.ones(2, 2, device="meta")
    with pytest.raises(RuntimeError, match="to a tensor that has data of a different type"):
        torch.eye(2).to_sparse().requires_grad_().grad = torch.eye(2)
    x.grad = torch.eye(2).to_sparse()
    assert x.grad.is_sparse
