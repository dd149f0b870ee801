"""Memory in long programs: shared, empty, or read through a bit."""

from copy import deepcopy

import pytest

import minitorch as torch


def conjugates():
    a = torch.tensor([2.75 - 2.5j, 3 - 0.75j, -3 + 1j], dtype=torch.complex128)
    return a, a.conj()


def test_what_is_read_through_a_bit_is_copied_before_a_write():
    a, b = conjugates()
    b[:2].add_(b[1:])
    assert a.tolist() == [5.75 - 3.25j, 0.25j, -3 + 1j]
    c = a.conj().imag[:1]
    c.index_add_(0, torch.tensor([0]), c)
    assert a[0].item() == 5.75 - 6.5j
    with pytest.raises(RuntimeError, match="input tensor and the written-to tensor"):
        b[:2].copy_(b[1:])


def test_no_conjugate_is_written_whose_elements_share_memory():
    _, b = conjugates()
    for write in (torch.Tensor.zero_, torch.Tensor.tril_, lambda x: x.float_power_(2)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to"):
            write(b.expand(2, 3))


def test_clamping_looks_at_dtypes_first():
    a = torch.tensor([False, True]).expand(2, 2)
    with pytest.raises(RuntimeError, match="result type Long can't be cast"):
        a.clamp_(-1, 1)


def test_a_view_of_integers_gets_a_history_by_a_write():
    a = torch.ones(2, requires_grad=True)
    b = torch.zeros(4, dtype=torch.int64).reshape(2, 2)
    b[:, 0] = a.sum()
    assert b.grad_fn.name() == "AsStridedBackward0"
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
        b[0]


@pytest.mark.parametrize("dtype", [torch.bool, torch.float16, torch.float64])
def test_steps_of_0_in_what_is_empty(dtype):
    a = torch.zeros((), dtype=dtype).expand(0, 2)
    assert a.stride() == (0, 0)
    assert a[:, ::2].stride() == (0, 0)
    assert a.t().clone().stride() == (0, 0)
    assert torch.zeros(2, 0, dtype=dtype).stride() == (1, 1)


def test_truths_have_a_product_where_there_is_nothing_to_compute():
    a = torch.zeros(2, 0, dtype=torch.bool)
    assert not (a @ a.t()).any()
    with pytest.raises(RuntimeError, match="result type Long"):
        torch.addmm(a @ a.t(), a, a.t())
    with pytest.raises(NotImplementedError, match="addmm_impl_cpu_"):
        (a @ a.t()) @ (a @ a.t())


def test_saved_tensors_that_were_detached():
    a = torch.ones(2, requires_grad=True)
    for write, text in ((1, "has been detached in-place"), (a, "which is output 0 of Add")):
        b = a * 2
        c = b * b
        b.detach_()
        b += write
        with pytest.raises(RuntimeError, match=text):
            c.sum().backward()


def test_writes_under_vmap_are_cast_as_without():
    with pytest.raises(RuntimeError, match="result type Long can't be cast"):
        torch.func.vmap(lambda t: t.clone().mul_(2))(torch.tensor([False]))


def test_tangents_are_not_written_where_elements_share_memory():
    a = torch.ones(2).expand(2, 2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to"):
        torch.func.jvp(torch.tanh, (a,), (torch.ones(2, 2),))


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        (lambda x: x, lambda x: x[2].detach()),
        (lambda x: x[:-1].detach(), lambda x: x[1:].data),
        (lambda x: x[:1].data, lambda x: x[0]),
    ],
)
def test_detached_parts_of_the_same_memory_overlap(whole, part):
    a = torch.arange(4.0)
    b = whole(a)
    with pytest.raises(RuntimeError, match="input tensor and the written-to tensor"):
        b *= part(a)
    assert a.tolist() == [0, 1, 2, 3]
    b *= a.detach().clone()[: len(b)]
    assert a.tolist() == [each**2 for each in range(len(b))] + [*range(len(b), 4)]


def test_blocks_have_the_dtype_of_what_has_dimensions():
    number = torch.tensor(1.5, dtype=torch.float64)
    assert torch.block_diag(torch.ones(2, 1), number).dtype is torch.float32
    assert torch.block_diag(torch.tensor(2), number).dtype is torch.float64


def test_copies_of_idle_strides_keep_them():
    a = deepcopy(torch.arange(2.0).reshape(2, 1).t())
    assert [each.stride() for each in (a, 2 - a, -a)] == [(1, 1), (1, 1), (2, 1)]


def test_sums_of_gradients_with_a_history_say_that_they_lie_otherwise():
    a = torch.ones(2, 3).t().requires_grad_()
    a.grad = torch.ones(3, 2)
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="create_graph|layout contract") as told:
            (a * 2).sum().backward(create_graph=True)
    finally:
        torch.set_warn_always(False)
    assert "do not obey the gradient layout contract" in str(told[-1].message)


def test_a_gradient_may_have_the_size_that_its_leaf_had():
    a = torch.tensor([1.25], requires_grad=True)
    b = a[[0, -1]]
    a.data = torch.tensor(2.0)
    (b @ b).backward()
    assert a.grad.tolist() == [5.0]


def test_a_gradient_is_a_view_of_the_sum_that_another_is():
    a = torch.ones(2, 1, requires_grad=True)
    b = a.t()
    c, d = torch.autograd.grad(b + b, [a, b], torch.ones(1, 2))
    assert c._base is d


def test_stale_views_complain_before_masks_do():
    a = torch.tensor([1.0, 2.0]).requires_grad_()
    c = a.unbind(0)[1]
    with torch.no_grad():
        d = c.view(c.shape)
        c.lerp_(c, 0.25)
    with pytest.raises(RuntimeError, match="created in no_grad mode and its base"):
        d.masked_fill(d, 1.5)


def test_words_of_no_numbers_have_gradients_of_none():
    a = torch.zeros((2, 0), requires_grad=True)
    torch.nn.functional.embedding(torch.tensor([0, 1, 0]), a).sum().backward()
    assert a.grad.shape == (2, 0)


def test_gradients_of_products_of_zeros():
    a, b = (torch.tensor(x, requires_grad=True) for x in ([1.0, 0.0, 3.0], [0.0, 0.0, 3.0]))
    found = [torch.autograd.grad((x * 1).prod(), x)[0] for x in (a, b)]
    assert [x.tolist() for x in found] == [[0, 3, 0], [0, 0, 0]]
    assert torch.autograd.grad(b.prod(), b, create_graph=True)[0].requires_grad
    columns = torch.zeros(3, 2).t().requires_grad_()
    assert torch.autograd.grad(columns.prod(), columns)[0].stride() == (3, 1)


def test_a_sum_of_exponentials_refuses_complex_gradients_of_real_numbers():
    a, b = torch.tensor([1 + 1j], requires_grad=True), torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
        torch.autograd.grad(torch.logaddexp(a, b), b, torch.ones_like(a))


def test_masks_made_in_inference_mode_are_not_saved():
    with torch.inference_mode():
        mask = torch.ones(3)
    a = torch.ones(3, requires_grad=True) * 1
    for fill in (a.masked_fill, a.masked_fill_):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
            fill(mask, 0.5)
    with torch.no_grad(), pytest.raises(RuntimeError, match="only supports boolean masks"):
        a.masked_fill(mask, 0.5)


def test_stale_views_stand_beside_dual_tensors_where_nothing_is_recorded():
    a = torch.ones(2, 2, requires_grad=True).sin()
    with torch.no_grad():
        b = a.t()
        a.add_(1)
        with torch.autograd.forward_ad.dual_level():
            c = torch.autograd.forward_ad.make_dual(torch.ones(2, 2), torch.ones(2, 2))
            assert torch.autograd.forward_ad.unpack_dual(c * b).tangent.equal(b)
            assert torch.autograd.forward_ad.unpack_dual(b).tangent is None


def test_what_a_node_saved_is_looked_at_also_where_no_formula_asks_for_it():
    a, b = torch.tensor([2.0, 3.0]), torch.tensor([-1.0, 1.0], requires_grad=True)
    loss = torch.nn.functional.mse_loss(a, b)
    c = torch.autograd.grad(loss, b, create_graph=True)[0]
    a.add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        c.sum().backward()


def test_a_function_that_must_not_write_lets_go_of_the_gradient():
    class Shift(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

    a = torch.ones(4, requires_grad=True)
    b = a[:]
    b.retain_grad()
    (b * 2).sum().backward()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        Shift.apply(b)
    assert b.grad is None


def test_complex_numbers_of_parts_that_are_read_through_a_bit():
    a = torch.tensor([-3 + 1j, -2.75 + 2.75j]).reshape(2, 1).t()
    found = [
        f(x, x).stride() for f in (torch.polar, torch.complex) for x in (a.conj().imag, a.imag)
    ]
    assert found == [(2, 1), (1, 1)] * 2


def test_a_view_taken_without_gradient_is_a_root_that_requires_one():
    a = torch.ones(3, requires_grad=True).exp()
    with torch.no_grad():
        b = a.reshape(3)
    with pytest.raises(RuntimeError, match="implicitly created only for scalar outputs"):
        b.backward()


def test_a_gradient_with_a_history_has_the_sizes_that_its_leaf_has_got():
    a = torch.zeros((1, 3), requires_grad=True)
    b = torch.cat([a, a, a])
    a.data = b.detach()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="create_graph"):
            b.backward(torch.ones(3, 3), create_graph=True)
    finally:
        torch.set_warn_always(False)
    assert a.grad.shape == (3, 3)


def test_a_complex_root_needs_a_gradient_also_when_its_one_is_known():
    a = torch.tensor(-3j, requires_grad=True)
    b = a * 1.0
    with pytest.raises(RuntimeError, match="only for real scalar outputs"):
        b.backward()


def test_graphs_from_before_a_leaf_got_another_dtype_lead_to_the_end_that_they_had():
    a = torch.ones(2, requires_grad=True)
    b, seen = a * a, []
    a.register_hook(lambda grad: seen.append(grad.dtype))
    a.data = torch.ones(2, dtype=torch.float64)
    c = a * 3
    assert b.grad_fn.next_functions[0] != c.grad_fn.next_functions[0]
    assert torch.autograd.grad(b.sum(), a, retain_graph=True, allow_unused=True) == (None,)
    (b.sum() + c.sum()).backward()
    assert seen == [torch.float64, torch.float32]
    assert (a.grad.tolist(), a.grad.dtype) == ([5, 5], torch.float64)


def test_the_end_of_a_graph_keeps_its_sizes_while_a_view_that_is_taken_again_leads_there():
    a = torch.ones(3, requires_grad=True)
    b = a[:]
    with torch.no_grad():
        a.unsqueeze_(0)
    assert b.grad_fn.name() == "AsStridedBackward0"
    a.grad = None
    edge = torch.autograd.graph.get_gradient_edge(a)
    assert edge.node._input_metadata[0].shape == [3]


def test_a_gradient_keeps_strides_that_no_address_depends_on():
    a = torch.ones(1, 3, requires_grad=True)
    given = torch.ones(3, 1).t()
    found = [torch.autograd.grad(x, a, given)[0].stride() for x in (a / 2, (a * 3) / 2)]
    assert found == [(1, 1)] * 2


def test_a_node_whose_gradient_is_refused_keeps_what_it_saved():
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    c = torch.where(torch.tensor([True, False]), a, b)
    given = torch.full((2,), 1j)
    for backward in (c.backward, c.backward, lambda x: torch.autograd.grad(c, a, x)):
        with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
            backward(given)
    assert torch.autograd.grad(c, b, given)[0].tolist() == [0, 1j]
    with pytest.raises(RuntimeError, match="a second time"):
        c.backward(given)


def test_whole_numbers_with_a_history_need_a_gradient():
    a = torch.tensor([[0]])
    a.fill_(torch.ones(2, requires_grad=True).sum())
    with pytest.raises(RuntimeError, match="real scalar outputs but got"):
        a.backward()


def test_a_function_of_several_outputs_is_walked_for_one_input():
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x + 1

        @staticmethod
        def backward(ctx, first, second):
            return first * 2 + second

    x = torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(sum(Pair.apply(x)).sum(), x)[0].tolist() == [3, 3]


def test_that_a_mask_does_not_fit_is_said_before_it_overlaps_what_is_written():
    a = torch.tensor([[False, True], [True, False]])
    with pytest.raises(IndexError, match="The shape of the mask"):
        a[None][a] = True


def test_what_wrote_a_view_looks_at_what_it_saved_also_where_no_gradient_is_wanted():
    b = torch.ones(2, requires_grad=True).sin()
    c = b[:1]
    c *= c
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.backward(inputs=[b])
