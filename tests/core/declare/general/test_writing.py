"""Results that go into a tensor that exists: out= and in-place variants."""

import warnings

import numpy
import pytest

import minitorch as torch


def test_out_is_filled_and_returned():
    out = torch.zeros(2)
    assert torch.add(torch.ones(2), 2, out=out) is out
    assert out.tolist() == [3.0, 3.0]
    assert out._version == 1


def test_an_empty_out_is_resized_silently():
    out = torch.empty(0)
    torch.exp(torch.zeros(2, 3), out=out)
    assert out.shape == (2, 3)


def test_an_out_of_another_shape_is_resized_with_a_warning():
    out = torch.zeros(5)
    with pytest.warns(UserWarning, match=r"was resized since it had shape \[5\], which does not"):
        torch.exp(torch.zeros(2), out=out)
    assert out.tolist() == [1.0, 1.0]


def test_what_is_computed_in_another_dtype_is_resized_twice():
    def warnings_of(function, *args, dtype=torch.float32):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(*args, out=torch.zeros(5, dtype=dtype))
        return len(caught)

    x = torch.ones(2, dtype=torch.int64)
    assert warnings_of(torch.mul, x, 2, dtype=torch.int64) == 1
    assert warnings_of(torch.mul, x, 2) == 2
    assert warnings_of(torch.eq, x, 2) == 2
    assert warnings_of(torch.eq, x, 2, dtype=torch.bool) == 1
    assert warnings_of(torch.logical_and, x, x) == warnings_of(torch.pow, 2, x) == 1


@pytest.mark.parametrize(
    ("function", "shapes", "outs"),
    [
        (torch.addbmm, [(3, 4), (2, 3, 5), (2, 5, 4)], 1),
        (torch.nn.functional.logsigmoid, [(2,)], 1),
        (torch.mode, [()], 2),
    ],
)
def test_some_operators_resize_an_out_of_another_shape_silently(function, shapes, outs):
    given = [torch.ones(shape) for shape in shapes]
    out = [torch.ones(7, 9).to(dtype) for dtype in (torch.float32, torch.int64)[:outs]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(*given, out=tuple(out) if outs > 1 else out[0])
    assert [each.shape for each in out] == [shapes[0]] * outs


def test_mode_warns_before_it_resizes_what_was_found_in_a_vector():
    out = (torch.ones(2), torch.ones(2, dtype=torch.int64))
    with pytest.warns(UserWarning, match="was resized"):
        torch.mode(torch.ones(3), out=out)


def test_an_out_that_suffices_keeps_its_memory():
    out = torch.zeros(5)
    address = out.data_ptr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.exp(torch.zeros(2), out=out)
    assert out.data_ptr() == address
    assert out.untyped_storage().nbytes() == 20


def test_out_keeps_its_dtype_where_the_result_can_be_cast():
    out = torch.zeros(2, dtype=torch.float64)
    torch.add(torch.ones(2), torch.ones(2), out=out)
    assert out.dtype is torch.float64
    assert out.tolist() == [2.0, 2.0]


def test_out_keeps_its_strides():
    out = torch.zeros(3, 2).t()
    torch.add(torch.ones(2, 3), 1, out=out)
    assert out.stride() == (1, 2)
    assert out.tolist() == [[2.0] * 3] * 2


def test_an_out_that_the_result_cannot_be_cast_to_is_refused_and_left_alone():
    out = torch.zeros(2, dtype=torch.int64)
    with pytest.raises(
        RuntimeError, match="result type Float can't be cast to the desired output type Long"
    ):
        torch.add(torch.ones(2), 0.5, out=out)
    assert out.tolist() == [0, 0]


def test_out_may_be_an_operand():
    x = torch.tensor([1.0, 2.0])
    torch.mul(x, x, out=x)
    assert x.tolist() == [1.0, 4.0]


@pytest.mark.parametrize("which", ["operand", "out"])
def test_out_is_not_differentiated(which):
    x = torch.ones(2, requires_grad=which == "operand")
    out = torch.zeros(2, requires_grad=which == "out")
    with pytest.raises(
        RuntimeError,
        match=r"functions with out=... arguments don't support automatic differentiation, but one "
        "of the arguments requires grad",
    ):
        torch.exp(x, out=out)
    with torch.no_grad():
        torch.exp(x, out=out)
    assert out.tolist() == x.exp().tolist()


def test_several_outs_come_back_as_a_named_tuple():
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    result = torch.max(torch.tensor([[1.0, 5.0]]), 1, out=(values, indices))
    assert type(result).__name__ == "max_out"
    assert result.values is values
    assert (values.tolist(), indices.tolist()) == ([5.0], [1])


def test_out_must_be_a_tensor():
    with pytest.raises(TypeError, match=r"exp\(\): argument 'out' must be Tensor, not int"):
        torch.exp(torch.ones(1), out=1)


# ---- in place ------------------------------------------------------------------------------------


def test_in_place_variants_return_self_and_move_its_version_on():
    x = torch.ones(2)
    assert x.add_(1) is x
    assert x.mul_(2).exp_() is x
    assert x._version == 3


def test_in_place_promotion_never_changes_the_dtype():
    x = torch.ones(2, dtype=torch.float64)
    x += torch.ones(2, dtype=torch.float32)
    assert x.dtype is torch.float64
    n = torch.tensor([1, 2])
    with pytest.raises(
        RuntimeError, match="result type Float can't be cast to the desired output type Long"
    ):
        n.add_(1.5)
    assert n.tolist() == [1, 2]
    assert n._version == 0


def test_in_place_results_must_have_the_shape_of_self():
    x = torch.ones(2, 3)
    with pytest.raises(
        RuntimeError,
        match=r"output with shape \[2, 3\] doesn't match the broadcast shape \[4, 2, 3\]",
    ):
        x.add_(torch.ones(4, 2, 3))
    assert x._version == 0


def test_leaves_that_require_grad_are_not_written():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"
    ):
        x.add_(1)
    with pytest.raises(
        RuntimeError, match="a view of a leaf Variable that requires grad is being used in an"
    ):
        x[0] = 5
    with torch.no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 2.0]
    assert x.is_leaf


def test_a_leaf_without_grad_takes_on_the_history_of_what_is_written():
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    x.mul_(w)
    assert not x.is_leaf
    assert x.grad_fn.name() == "MulBackward0"
    x.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]


def test_a_formula_gets_the_value_from_before_the_write():
    x = torch.tensor([2.0], requires_grad=True)
    w = torch.tensor([3.0], requires_grad=True)
    y = x * 1
    y.mul_(w)
    y.backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([3.0], [2.0])


def test_augmented_assignment_to_a_number_of_dimensions_more_is_refused():
    x = torch.tensor(1.0)
    with pytest.raises(RuntimeError, match=r"output with shape \[\] doesn't match"):
        x += torch.ones(2)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("floor_divide", lambda x, out: torch.floor_divide(x, 2, out=out)),
        ("conj_physical", lambda x, out: torch.conj_physical(x, out=out)),
        ("diagonal_copy", lambda x, out: torch.diag(x.expand(2, 2), out=out)),
        ("diag_embed", lambda x, out: torch.diag(x, out=out)),
    ],
)
def test_an_out_of_which_autograd_knows_nothing_remembers_its_inputs(name, call):
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=rf"aten::{name}\(\): functions with out=... arguments"):
        call(leaf.detach(), torch.empty(0, requires_grad=True))
    out = call(leaf, torch.empty(0))
    assert out.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match=f"derivative for aten::{name} is not implemented"):
        out.sum().backward()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.put_(torch.tensor([0]), torch.ones(1)),
        lambda x: x.clamp_(0, 1),
        lambda x: x.cumsum_(0),
        lambda x: x.nan_to_num_(),
        lambda x: x.pow_(2),
    ],
)
def test_elements_that_share_memory_are_not_written(write):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers"):
        write(torch.zeros(1).expand(3))


def test_some_operators_write_elements_that_share_memory():
    x = torch.zeros(1)
    for chosen in ([False, False, True], [True, False, False]):
        x.zero_()
        with pytest.warns(UserWarning, match="masked_fill_ on expanded tensors is deprecated"):
            x.expand(3).masked_fill_(torch.tensor(chosen), 2.0)
        assert x.item() == 2.0
    with pytest.warns(UserWarning, match="index_fill_ on expanded tensors is deprecated"):
        x.expand(3).index_fill_(0, torch.tensor([0]), 5.0)
    assert x.item() == 5.0


@pytest.mark.parametrize("call", [torch.neg, torch.logical_not, torch.square, torch.nan_to_num])
def test_out_of_elementwise_operators_neither_shares_memory_nor_takes_part_of_an_input(call):
    x = torch.zeros(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers"):
        call(torch.zeros(3), out=torch.zeros(1).expand(3))
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to"):
        call(x[:2], out=x[1:])
    assert call(x, out=x) is x


def test_two_tensors_are_interpolated_into_any_out_three_into_their_own_dtype():
    out = torch.zeros(2, dtype=torch.float64)
    torch.lerp(torch.zeros(2), torch.ones(2), 0.5, out=out)
    assert out.tolist() == [0.5, 0.5]
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.lerp(torch.zeros(2), torch.ones(2), torch.ones(2), out=out)


def test_a_sum_as_one_dtype_is_not_written_as_another():
    out = torch.zeros(2)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype double, but got flo"):
        torch.sum(torch.ones(2, 2), 0, dtype=torch.float64, out=out)
    with pytest.raises(RuntimeError, match=r"nansum: provided dtype must match dtype of result"):
        torch.nansum(torch.ones(2, 2), 0, dtype=torch.float64, out=out)


def test_memory_of_numpys_is_not_made_larger():
    borrowed = torch.from_numpy(numpy.ones(3, dtype="float32"))
    assert borrowed.resize_(2).shape == (2,)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        borrowed.resize_(4)


@pytest.mark.parametrize("share", [torch.from_numpy, torch.as_tensor, torch.from_dlpack])
def test_the_storage_of_an_array_ends_where_the_array_does(share):
    whole = numpy.arange(10.0)
    part = share(whole[2:9:3])
    assert (part.stride(), part.storage_offset(), part.untyped_storage().nbytes()) == ((3,), 0, 56)
    assert part.as_strided((7,), (1,)).tolist() == whole[2:9].tolist()
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 56"):
        part.as_strided((8,), (1,))
    assert share(whole[3:3]).untyped_storage().nbytes() == 0


def test_memory_that_numpy_may_only_read_is_written_as_in_torch():
    array = numpy.zeros(2)
    array.flags.writeable = False
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
            torch.as_tensor(array).add_(1)
    finally:
        torch.set_warn_always(False)
    assert array.tolist() == [1, 1]


def test_addbmm_warns_of_lost_imaginary_parts_before_it_refuses_real_out():
    x = torch.ones(1, 1, dtype=torch.complex64)
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="imaginary"), pytest.raises(RuntimeError):
            torch.addbmm(x, x[None], x[None], out=torch.ones(1, 1))
    finally:
        torch.set_warn_always(False)


def test_reductions_that_fit_out_before_they_take_dim_away_say_so():
    with pytest.warns(UserWarning, match=r"shape \[3, 1, 3\], which .* shape \[2, 1\]"):
        torch.mode(torch.ones(2, 6), 1, out=(torch.ones(3, 3), torch.ones(3, 3).long()))
    with pytest.warns(UserWarning, match=r"shape \[2\], which .* shape \[1\]"):
        torch.kthvalue(torch.ones(6), 1, out=(torch.ones(2), torch.ones(2).long()))


def test_memory_of_no_bytes_that_is_somebody_elses_has_a_place():
    empty = torch.from_numpy(numpy.zeros((2, 0)))
    assert empty.untyped_storage().data_ptr() == empty.view(0).untyped_storage().data_ptr() != 0
    assert torch.empty(0).untyped_storage().data_ptr() == 0


@pytest.mark.parametrize("name", ["eq", "le", "logical_and", "isin"])
def test_out_of_what_has_no_gradient_takes_inputs_with_one(name: str) -> None:
    x, out = torch.ones(2, requires_grad=True), torch.zeros(2, dtype=torch.bool)
    assert getattr(torch, name)(x, torch.ones(2), out=out) is out
    assert out.tolist() == [True, True]


def test_argmax_searchsorted_and_nonzero_take_out_beside_gradients() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert torch.argmax(x, out=torch.zeros((), dtype=torch.int64)).item() == 1
    assert torch.nonzero(x, out=torch.zeros(2, 1, dtype=torch.int64)).tolist() == [[0], [1]]
    found = torch.searchsorted(x, torch.ones(1), out=torch.zeros(1, dtype=torch.int64))
    assert found.tolist() == [0]


@pytest.mark.parametrize(
    ("name", "error_name"), [("concat", "cat"), ("concatenate", "cat"), ("subtract", "sub")]
)
def test_out_refuses_gradients_under_the_name_of_the_operator(name: str, error_name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    given = ([x, x],) if error_name == "cat" else (x, x)
    with pytest.raises(RuntimeError, match=rf"^{error_name}\(\): functions with out="):
        getattr(torch, name)(*given, out=torch.zeros(4))


def test_out_of_several_results_is_counted_before_anything_else() -> None:
    out = (torch.zeros(1), torch.zeros(1), torch.zeros(1))
    with pytest.raises(TypeError, match=r"^expected tuple of 2 elements but got 3$"):
        torch.sort(torch.ones(2, dtype=torch.complex64), out=out)


@pytest.mark.parametrize("name", ["logical_and_", "logical_or_", "logical_xor_"])
def test_logical_operators_write_leaves_that_require_grad(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    assert getattr(x, name)(torch.ones(2)) is x
    assert x.is_leaf
    assert x.logical_not_().is_leaf


def test_quotients_of_nothing_are_not_divided_by_zero() -> None:
    x = torch.zeros(2, 0, dtype=torch.int64)
    assert x.div(0, rounding_mode="floor").shape == (2, 0)
    assert x.remainder(0).shape == x.fmod(0).shape == (2, 0)


def test_complex_numbers_are_refused_where_real_ones_are_written() -> None:
    with pytest.raises(RuntimeError, match=r"^result type ComplexFloat can't be cast to"):
        torch.ones(2).fmod_(1j)


@pytest.mark.parametrize("name", ["scatter_", "scatter_add_"])
def test_scatter_looks_at_indices_before_it_looks_at_memory(name: str) -> None:
    x = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match=r"^scatter\(\): Expected dtype int32/int64"):
        getattr(x, name)(0, x, x)
    with pytest.raises(IndexError, match=r"^Dimension out of range"):
        getattr(x, name)(3, x, x)


def test_none_stands_for_all_dimensions_in_roll_and_count_nonzero() -> None:
    x = torch.ones(2, 2)
    assert torch.equal(x.roll(1, None), x)
    assert x.count_nonzero(None).item() == 4


def test_a_number_as_out_becomes_a_tensor_where_numbers_are_taken() -> None:
    x = torch.ones(2)
    with pytest.warns(UserWarning, match=r"was resized since it had shape \[\], which does not"):
        result = torch.add(x, x, out=1.5)
    assert result.tolist() == [2.0, 2.0]
    assert result.dtype is torch.float64
    with pytest.raises(RuntimeError, match="Float can't be cast to the desired output type Long"):
        torch.floor_divide(x, x, out=3)
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not float"):
        torch.exp(x, out=1.5)


_SHARED = "refer to a single memory location"


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: torch.logcumsumexp(x, 0, out=out),
        lambda x, out: torch.msort(x, out=out),
        lambda x, out: torch.renorm(x, 1, 0, 2.0, out=out),
        lambda x, out: torch.where(x > 2, x, 0.0 * x, out=out),
        lambda x, out: torch.index_copy(x, 0, torch.tensor([0]), torch.ones(1, 2), out=out),
        lambda x, out: torch.index_add(x, 0, torch.tensor([0]), torch.ones(1, 2), out=out),
        lambda x, out: torch.scatter(x, 0, torch.tensor([[0]]), torch.ones(1, 1), out=out),
        lambda x, out: torch.linalg.multi_dot([x, x, x], out=out),
        lambda x, out: torch.linalg.vector_norm(x, 2, 0, out=out[0]),
    ],
)
def test_out_may_be_the_input_of_what_works_in_its_place(call) -> None:
    def made():
        return torch.tensor([[4.0, 1.0], [3.0, 2.0]])

    x, expected = made(), call(made(), torch.empty(2, 2))
    out = call(x, x)
    assert out.tolist() == expected.tolist()
    assert out.data_ptr() == x.data_ptr()


def test_out_may_not_be_another_input_of_index_copy() -> None:
    x = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match=_SHARED):
        torch.index_copy(torch.zeros(2, 2), 0, torch.tensor([0, 1]), x, out=x)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: torch.gather(x, 0, x, out=out),
        lambda x, out: torch.take_along_dim(x, x, out=out),
        lambda x, out: torch.index_copy(x, 0, x, x, out=out),
        lambda x, out: torch.index_select(x, 0, torch.tensor([7]), out=out),
    ],
)
def test_gathering_looks_at_out_before_its_indices(call) -> None:
    x = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match=_SHARED):
        call(x, x)
    with pytest.raises((RuntimeError, IndexError), match="ndex"):
        call(x, torch.empty(2, 2))


def test_searchsorted_looks_at_its_input_before_out() -> None:
    x = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match="input value can be a scalar only when"):
        torch.searchsorted(x, 0, out=x)
    with pytest.raises(RuntimeError, match=r"output tensor's dtype is wrong.*flag is True"):
        torch.searchsorted(x, x, out_int32=True, out=x)


def test_products_of_other_dtypes_lack_a_kernel_under_the_name_of_their_overload() -> None:
    x = torch.ones(2, 2)
    for name, kwargs in (("mm.dtype", {}), ("mm.dtype_out", {"out": torch.empty(2, 2)})):
        with pytest.raises(NotImplementedError, match=f"'aten::{name}'"):
            torch.mm(x, x, out_dtype=torch.float32, **kwargs)


def test_addmm_takes_its_first_input_as_out():
    # Its inputs do not broadcast: the result says the shape.
    x, a, b = torch.ones(2, 4), torch.ones(2, 3), torch.ones(3, 4)
    assert torch.addmm(x, a, b, alpha=-1, out=x) is x
    assert x.tolist() == [[-2.0] * 4] * 2
