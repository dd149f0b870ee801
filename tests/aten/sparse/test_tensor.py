"""Tensors of layout torch.sparse_coo, and gradients that are such."""

import copy
import gc
import pickle
import subprocess
import sys

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.nn import functional as F


def sparse(indices=((0, 2, 0), (1, 0, 1)), values=(1.0, 2.0, 3.0), size=(3, 2)):
    return torch.sparse_coo_tensor(indices, values, size, check_invariants=False)


def looked_up(weight, rows, **options):
    return F.embedding(torch.tensor(rows), weight, sparse=True, **options)


def test_nothing_of_it_is_loaded_by_who_does_not_use_it():
    code = """
import sys, minitorch as torch
w = torch.nn.Embedding(3, 2)
w(torch.tensor([1])).sum().backward()
torch.optim.SGD(w.parameters(), 0.1).step()
sys.exit("minitorch.aten.sparse" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_elements_at_the_same_place_add_up():
    s = sparse()
    assert s.to_dense().tolist() == [[0, 4], [0, 0], [2, 0]]
    c = s.coalesce()
    assert (s.is_coalesced(), c.is_coalesced(), c._nnz()) == (False, True, 2)
    assert c.indices().tolist() == [[0, 2], [1, 0]]
    assert c.values().tolist() == [4, 2]
    with pytest.raises(RuntimeError, match=r"please call .coalesce\(\) first"):
        s.values()


def test_it_prints_its_parts():
    assert repr(sparse()) == (
        "tensor(indices=tensor([[0, 2, 0],\n                       [1, 0, 1]]),\n"
        "       values=tensor([1., 2., 3.]),\n       size=(3, 2), nnz=3, layout=torch.sparse_coo)"
    )


def test_a_dense_tensor_there_and_back():
    x = torch.arange(24.0).reshape(2, 3, 4)
    for rank in (1, 2, 3):
        s = x.to_sparse(rank)
        assert (s.sparse_dim(), s.dense_dim(), s.is_coalesced()) == (rank, 3 - rank, True)
        assert torch.equal(s.to_dense(), x)
    assert torch.tensor(3.0).to_sparse().to_dense() == 3
    assert (s.is_sparse, s.layout, x.is_sparse) == (True, torch.sparse_coo, False)


def test_arithmetic_is_that_of_the_dense_tensors():
    s, t = sparse(), sparse(((1, 0), (0, 1)), (5.0, 7.0))
    d = torch.ones(3, 2)
    for made in (
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a.add(b, alpha=3),
        lambda a, b: a * 2,
        lambda a, b: -a / 4,
        lambda a, b: a.coalesce() + b.coalesce() if a.is_sparse else a + b,
        lambda a, b: d + a,
        lambda a, b: d.clone().sub_(a),
        lambda a, b: a.clone().add_(b).mul_(3),
        lambda a, b: a.pow(2),
        lambda a, b: a.sum(),
    ):
        result, wanted = made(s, t), made(s.to_dense(), t.to_dense())
        assert torch.equal(result.to_dense(), wanted)


def test_what_it_cannot_do_it_refuses_by_name():
    with pytest.raises(NotImplementedError, match="Could not run 'aten::exp' with arguments from"):
        sparse().exp()
    with pytest.raises(RuntimeError, match=r"add\(sparse, dense\) is not supported"):
        sparse() + torch.ones(3, 2)
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        sparse().numpy()


def test_the_gradient_of_an_embedding_has_the_rows_that_were_looked_up():
    w = torch.randn(5, 2, requires_grad=True)
    looked_up(w, [[1, 3], [1, 0]], padding_idx=3).sum().backward()
    assert w.grad.is_sparse
    assert w.grad._indices().tolist() == [[1, 1, 0]]
    dense = torch.zeros(5, 2)
    dense[[1, 1, 0]] += 1
    assert w.grad.to_dense().tolist() == [[1, 1], [2, 2], [0, 0], [0, 0], [0, 0]]


def test_sparse_and_dense_gradients_add_up():
    w = torch.ones(3, 2, requires_grad=True)
    ways = [lambda: looked_up(w, [1]).sum(), lambda: (w * 2).sum()]
    for first, then in (ways, ways[::-1]):
        w.grad = None
        first().backward()
        then().backward()
        assert not w.grad.is_sparse
        assert w.grad.tolist() == [[2, 2], [3, 3], [2, 2]]
        w.grad = None
        (first() + then()).backward()
        assert w.grad.tolist() == [[2, 2], [3, 3], [2, 2]]
    w.grad = None
    for _ in range(2):
        looked_up(w, [1]).sum().backward()
    assert w.grad.is_sparse
    assert w.grad.to_dense()[1].tolist() == [2, 2]


def test_bags_give_sparse_gradients_as_dense_ones():
    rows = torch.tensor([[1, 3], [1, 0]])
    for mode in ("sum", "mean"):
        grads = []
        for kind in (False, True):
            w = torch.ones(5, 2, requires_grad=True)
            (F.embedding_bag(rows, w, mode=mode, sparse=kind) * 3).sum().backward()
            grads.append(w.grad.to_dense())
        assert torch.equal(*grads)


@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.SGD(p, 0.1),
        lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
        lambda p: torch.optim.Adagrad(p, 0.1),
    ],
)
def test_optimizers_step_as_with_dense_gradients(make):
    weights = []
    start = torch.randn(4, 2)
    for kind in (False, True):
        layer = nn.Embedding(4, 2, sparse=kind, _weight=start.clone())
        optimizer = make(layer.parameters())
        for rows in ([0, 1], [1, 1], [3]):
            optimizer.zero_grad()
            layer(torch.tensor(rows)).pow(2).sum().backward()
            optimizer.step()
        weights.append(layer.weight.detach())
    torch.testing.assert_close(*weights)


def test_sparse_adam_leaves_rows_alone_that_have_no_gradient():
    layer = nn.Embedding(4, 2, sparse=True)
    before = copy.deepcopy(layer.weight.detach())
    optimizer = torch.optim.SparseAdam(layer.parameters(), 0.1)
    layer(torch.tensor([1, 1])).sum().backward()
    optimizer.step()
    assert (layer.weight != before).any(1).tolist() == [False, True, False, False]
    optimizer.zero_grad(set_to_none=False)
    assert layer.weight.grad._nnz() == 0
    with pytest.raises(RuntimeError, match="Adam does not support sparse gradients"):
        torch.optim.AdamW(layer.parameters()).step()


def test_products_with_dense_matrices_are_dense_sparse_or_of_dense_rows() -> None:
    dense = torch.arange(6.0).reshape(3, 2)
    s = torch.sparse_coo_tensor(
        torch.tensor([[3, 0, 3], [1, 0, 1]]),
        torch.tensor([3.0, 4.0, 5.0]),
        (4, 3),
        check_invariants=True,
    )
    expected = s.to_dense() @ dense
    for product in (torch.mm, torch.spmm, torch.dsmm, torch.matmul):
        assert torch.equal(product(s, dense), expected)
    rows = torch.hspmm(s, dense)
    assert (rows.sparse_dim(), rows.dense_dim(), rows._nnz()) == (1, 1, 2)
    assert torch.equal(rows.to_dense(), expected)
    assert torch.equal(torch.smm(s, dense).to_dense(), expected)
    ones = torch.ones(4, 2).to_sparse()
    both = torch.sspaddmm(ones, s, dense, beta=2, alpha=3)
    assert both._nnz() == 12
    assert torch.equal(both.to_dense(), 2 + 3 * expected)
    assert torch.equal(ones.sspaddmm(s, dense).to_dense(), 1 + expected)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mm", r"addmm: Argument #3 \(dense\): Expected dim 0 size 4, got 3"),
        ("hspmm", "hspmm: Argument #3: Expected dim 0 size 4, got 3"),
        ("smm", "sspaddmm: Argument #3: Expected dim 0 size 4, got 3"),
    ],
)
def test_products_of_sizes_that_do_not_fit_are_refused(name, text) -> None:
    with pytest.raises(RuntimeError, match=text):
        getattr(torch, name)(torch.eye(4).to_sparse(), torch.ones(3, 2))
    with pytest.raises(RuntimeError, match="can only be called on sparse tensors"):
        torch.smm(torch.eye(3), torch.eye(3))


def test_operators_of_sparse_leaves_give_sparse_gradients():
    s = sparse().coalesce().requires_grad_()
    m = torch.arange(4.0).reshape(2, 2).requires_grad_()
    y = torch.sparse.mm(s, m)
    assert y.grad_fn.name() == "SparseAddmmBackward0"
    y.sum().backward()
    assert s.grad.is_sparse
    assert s.grad.to_dense().tolist() == [[0, 5], [0, 0], [1, 0]]
    assert m.grad.tolist() == [[2, 2], [4, 4]]


def test_the_values_of_a_sparse_tensor_get_the_gradient_of_their_places():
    v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 2, 0], [1, 0, 1]], v, (3, 2), check_invariants=False)
    assert s.grad_fn.name() == "SparseCooTensorWithDimsAndTensorsBackward0"
    (s.to_dense() * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert v.grad.tolist() == [1, 4, 1]


def test_products_of_sparse_tensors_have_the_places_of_one_of_them():
    s = sparse()
    assert (s * s.coalesce()).to_dense().tolist() == [[0, 16], [0, 0], [4, 0]]
    assert (s * torch.full((3, 2), 2.0)).to_dense().tolist() == [[0, 8], [0, 0], [4, 0]]


def test_writes_into_dense_tensors_keep_what_they_were_for_the_gradient():
    d = torch.full((3, 2), 3.0)
    s = sparse().coalesce().requires_grad_()
    d.clone().mul_(s).sum().backward()
    assert s.grad.tolist() == [[3, 3]] * 3


def test_sums_softmax_and_shapes_keep_what_is_sparse():
    s = sparse().coalesce()
    assert torch.sparse.sum(s, 0).to_dense().tolist() == [2, 4]
    assert torch.sparse.softmax(s, 1).to_dense().tolist() == [[0, 1], [0, 0], [1, 0]]
    assert s.t().to_dense().tolist() == [[0, 0, 2], [4, 0, 0]]
    assert torch.cat([s, s], 1).shape == (3, 4)
    assert s[0].to_dense().tolist() == [0, 4]


def test_invariants_are_checked_where_somebody_asks():
    bad = ([[0, 1], [1, 5]], [1.0, 2.0], (2, 2))
    with (
        torch.sparse.check_sparse_tensor_invariants(),
        pytest.raises(RuntimeError, match="size is 2 but found index 5"),
    ):
        torch.sparse_coo_tensor(*bad)
    assert not torch.sparse.check_sparse_tensor_invariants.is_enabled()


def test_pickles_and_files_bring_sparse_tensors_back(tmp_path):
    for s in (sparse(), sparse().coalesce()):
        torch.save(s, tmp_path / "s.pt")
        for back in (pickle.loads(pickle.dumps(s)), torch.load(tmp_path / "s.pt")):
            assert repr(back) == repr(s)
            assert back.is_coalesced() == s.is_coalesced()


def test_signs_change_without_bringing_elements_into_order():
    s = torch.sparse_coo_tensor(
        [[0, 2, 0], [1, 0, 1]], [1.0, 2.0, 3.0], (3, 2), check_invariants=False
    )
    assert (-s)._values().tolist() == [-1.0, -2.0, -3.0]
    assert not (-s).is_coalesced()
    assert s.neg_()._values().tolist() == [-1.0, -2.0, -3.0]


def test_sparse_gradients_are_retained():
    w = torch.ones(3, 2, requires_grad=True)
    x = w * 2
    x.retain_grad()
    torch.nn.functional.embedding(torch.tensor([1, 1]), x, sparse=True).sum().backward()
    assert x.grad.layout is torch.sparse_coo
    assert w.grad.to_dense().tolist() == [[0.0, 0.0], [4.0, 4.0], [0.0, 0.0]]
    assert (
        torch.ones(2, requires_grad=True).to_sparse().grad_fn._saved_self_self_sym_blocksize_opt
        is None
    )


def test_legacy_types_make_sparse_tensors():
    indices, values = torch.tensor([[0, 1]]), torch.ones(2)
    x = torch.sparse.FloatTensor(indices, values, torch.Size([3]))
    assert x.to_dense().tolist() == [1.0, 1.0, 0.0]
    assert torch.sparse.LongTensor(indices, values).dtype == torch.float32  # the values keep theirs
    for size in ((2, 3), (torch.Size([2, 3]),)):
        empty = torch.sparse.HalfTensor(*size)
        assert (empty.shape, empty._nnz(), empty.dtype) == ((2, 3), 0, torch.float16)
    assert torch.sparse.FloatTensor().shape == (0,)
    assert x.type(torch.sparse.DoubleTensor).dtype == torch.float64
    for wrong in (values, x, [[1.0]]):
        with pytest.raises(TypeError, match=r"new\(\) received an invalid combination of arg"):
            torch.sparse.FloatTensor(wrong)


def test_legacy_types_tell_layouts_apart():
    x = torch.ones(2)
    assert isinstance(x.to_sparse(), torch.sparse.FloatTensor)
    assert not isinstance(x, torch.sparse.FloatTensor)
    assert not isinstance(x.to_sparse(), torch.FloatTensor)
    assert repr(torch.sparse.FloatTensor) == "<class 'torch.sparse.FloatTensor'>"
    assert torch.sparse.FloatTensor.layout is torch.sparse_coo


def test_parts_that_are_refused_leave_the_count_of_watchers():
    before = ASSEMBLED_GLOBALS["WATCHED"]
    for wrong in ((), (None, None, None)):
        with pytest.raises(TypeError):
            Coordinates(*wrong)
    gc.collect()
    assert ASSEMBLED_GLOBALS["WATCHED"] == before


def test_views_of_sparse_tensors_share_their_versions():
    s = torch.eye(3).to_sparse()
    t, v = s.t(), s.values()
    assert t._base is s
    assert v._base is s
    v.mul_(2)
    assert s._version == t._version == 1
    assert s.to_dense().equal(2 * torch.eye(3))


def test_nodes_of_sparse_operators_save_what_torch_saves():
    s = torch.eye(3).to_sparse().requires_grad_()
    saved = [name for name in dir(s.to_dense().grad_fn) if name.startswith("_saved")]
    assert saved == ["_saved_self"]
    assert not [name for name in dir(s.double().grad_fn) if name.startswith("_saved")]
    assert s.mm(torch.ones(3, 2)).grad_fn._saved_self_sym_strides == ()
    assert s.sum(-1).grad_fn._saved_dim == (2**64 - 1,)


def test_log1p_of_sparse_tensors_has_a_gradient_and_a_warning():
    s = torch.eye(2).to_sparse().requires_grad_()
    with pytest.warns(UserWarning, match="log1p_backward"):
        s.log1p().to_dense().sum().backward()
    assert s.grad.to_dense().equal(torch.eye(2) / 2)


def test_dense_tensors_keep_their_rows_after_sparse_ones():
    s = torch.eye(2).to_sparse().requires_grad_()
    with pytest.raises(NotImplementedError, match="masked_fill_"):
        s.norm().backward()
    x = torch.ones(4, requires_grad=True)
    x.norm().backward()
    assert x.grad.tolist() == [0.5] * 4


def test_products_of_coalesced_tensors_have_the_places_of_both():
    a = torch.tensor([[1.0, 2], [0, 0]]).to_sparse()
    b = torch.tensor([[0, 3.0], [4, 0]]).to_sparse()
    assert (a * b)._nnz() == 1


@pytest.mark.filterwarnings("ignore:Sparse C")
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: torch.full((2,), 1.0, layout=torch.sparse_coo), r"full\(...\) is not implemented"),
        (lambda: torch.rand(2, layout=torch.sparse_coo), "'aten::uniform_'.*'SparseCPU'"),
        (lambda: torch.rand(2, 2, layout=torch.sparse_csr), "'aten::uniform_'.*'SparseCsrCPU'"),
        (lambda: torch.eye(2, layout=torch.sparse_coo), "'aten::eye.m_out'"),
        (lambda: torch.arange(3, layout=torch.sparse_csr), "but got size .0."),
        (lambda: torch.ones(2, layout=torch._mkldnn), "'aten::fill_.Scalar'.*'MkldnnCPU'"),
        (lambda: torch.ones_like(torch.ones(2), layout=torch.sparse_coo), "'aten::empty_strided'"),
        (lambda: torch.ones(2).new_ones(2, layout=torch.sparse_coo), "'aten::fill_.Scalar'"),
    ],
)
def test_factories_refuse_sparse_layouts_as_torch_does(make, text):
    with pytest.raises((RuntimeError, NotImplementedError), match=text):
        make()


@pytest.mark.filterwarnings("ignore:Sparse C")
def test_zeros_like_makes_tensors_of_sparse_layouts():
    for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        assert torch.zeros_like(torch.ones(2, 3), layout=layout).layout is layout


def test_scalars_of_sparse_layout_are_indexed_in_words_of_torch():
    s = torch.tensor(3.0).to_sparse()
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 0"):
        s[0, 1]
    with pytest.raises(IndexError, match=r"slice\(\) cannot be applied to a 0-dim tensor"):
        s[0:1]


def test_copy_and_floor_divide_of_sparse_tensors_refuse_gradients():
    s = torch.eye(2).to_sparse().requires_grad_()
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide_ is not"):
        (s * 1).floor_divide_(2).to_dense().sum().backward()
    with pytest.raises(RuntimeError, match="only supported by strided tensors"):
        (s * 1).copy_(torch.eye(2).to_sparse()).to_dense().sum().backward()


@pytest.mark.filterwarnings("ignore:Sparse C")
def test_casts_of_compressed_tensors_have_gradients_of_their_layout():
    s = torch.eye(2).to_sparse_csr().requires_grad_()
    s.double().to_dense().sum().backward()
    assert s.grad.layout is torch.sparse_csr
    assert s.grad.dtype is torch.float32


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([[0]], [1.0], None), {}),
        (([[0]], [1.0], 3), {}),
        (([[0]], [1.0], (1,)), {"nonsense": 1}),
        (([[0]], [1.0], (1,)), {"size": (1,)}),
        (((1,),), {"pin_memory": True}),
        (((1,),), {"is_coalesced": False}),
    ],
)
def test_sparse_coo_tensor_refuses_what_its_signatures_do(args, kwargs):
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.sparse_coo_tensor(*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([0, 1], [0], [1.0], None), {}),
        (([0, 1], [0], [1.0], (1, 1), 1), {}),
        (([0, 1], [0], [1.0], (1, 1)), {"nonsense": 1}),
        (([0, 1], [0], [1.0], (1, 1)), {"size": (1, 1)}),
    ],
)
def test_sparse_csr_tensor_refuses_what_its_signatures_do(args, kwargs):
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.sparse_csr_tensor(*args, **kwargs)


def test_the_size_of_sparse_coo_tensor_may_be_written_out():
    assert torch.sparse_coo_tensor(3, 4, 5).shape == (3, 4, 5)
    assert torch.sparse_coo_tensor(3).shape == (3,)


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        (None, "'NoneType' object cannot be interpreted as an integer"),
        ("a", "invalid data type 'str'"),
        (["a"], "too many dimensions 'str'"),
    ],
)
def test_indices_of_sparse_coo_tensor_are_read_as_integers(indices, text):
    with pytest.raises((TypeError, ValueError), match=text):
        torch.sparse_coo_tensor(indices, [1.0])


def test_sparse_coo_tensor_looks_at_the_size_before_the_indices():
    with pytest.raises(RuntimeError, match=r"is not satisfied: len\(size\) = 2, sparse_dim = 1"):
        torch.sparse_coo_tensor([[0]], [1.0, 2.0], (3, 4))
    with pytest.raises(RuntimeError, match="for dim 0, size is 3 but found index 5"):
        torch.sparse_coo_tensor([[5]], [1.0, 2.0], (3,), check_invariants=True)
    with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
        torch.sparse_coo_tensor([[0]], [1.0, 2.0], (3,), pin_memory=True)


def test_integers_in_sparse_coo_tensor_require_no_gradients():
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype"):
        torch.sparse_coo_tensor([[0]], [1], requires_grad=True)


def test_starts_of_no_rows_at_all_are_not_looked_at():
    made = torch.sparse_csr_tensor([1], [1], [1.0], check_invariants=True)
    assert made.shape == (0, 2)
