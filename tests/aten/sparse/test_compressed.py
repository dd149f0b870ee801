"""Tensors of the compressed sparse layouts."""

import copy
import io
import pickle

import pytest

import minitorch as torch
from minitorch import sparse

pytestmark = [
    pytest.mark.filterwarnings("ignore:Sparse CS:UserWarning", "ignore:Sparse inv:UserWarning"),
    # A tensor that the traceback of a caught error holds would be taken off a later test's count.
    pytest.mark.usefixtures("no_garbage"),
]
LAYOUTS = ("csr", "csc", "bsr", "bsc")


def dense():
    return torch.tensor([[0, 1.0, 0, 0], [2, 0, 3, 0], [0, 0, 0, 4], [0, 5, 0, 0]])


def of(layout, x=None):
    x = dense() if x is None else x
    if layout == "coo":
        return x.to_sparse()
    blocks = ((2, 2),) if layout[0] == "b" else ()
    return getattr(x, f"to_sparse_{layout}")(*blocks)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_to_dense_gives_back_what_was_converted(layout):
    x = of(layout)
    assert str(x.layout) == f"torch.sparse_{layout}"
    assert torch.equal(x.to_dense(), dense())
    assert torch.equal(x.to_sparse().to_dense(), dense())
    assert (x.is_sparse, x.is_sparse_csr) == (False, layout == "csr")


@pytest.mark.parametrize("own", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_to_sparse_converts_between_compressed_layouts(own, other):
    if own[0] == "b" and other[0] != "b":
        with pytest.raises(RuntimeError, match="expected SparseCsr or SparseCsc layout"):
            of(other, of(own))
    else:
        assert torch.equal(of(other, of(own)).to_dense(), dense())


def test_sparse_csr_tensor_prints_its_parts():
    x = torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2), check_invariants=False)
    assert repr(x) == (
        "tensor(crow_indices=tensor([0, 1, 2]),\n"
        "       col_indices=tensor([0, 1]),\n"
        "       values=tensor([1., 2.]), size=(2, 2), nnz=2, layout=torch.sparse_csr)"
    )


def test_sparse_csr_tensor_finds_its_size_and_keeps_index_dtypes():
    starts, columns = (torch.tensor(x, dtype=torch.int32) for x in ([0, 1, 2], [0, 2]))
    x = torch.sparse_csr_tensor(starts, columns, torch.ones(2), check_invariants=True)
    assert x.shape == (2, 3)
    assert x.crow_indices().dtype is torch.int32
    y = torch.sparse_bsr_tensor([0, 1, 2], [0, 1], [[[1.0, 2]], [[3, 4]]], check_invariants=True)
    assert y.shape == (2, 4)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (([0, 1], [0, 1]), "crow_indices.shape[-1] must be equal to the number of rows + 1 (=3)"),
        (([0, 1, 3], [0, 1]), "`crow_indices[..., -1] == nnz` is not satisfied."),
        (([1, 1, 2], [0, 1]), "`crow_indices[..., 0] == 0` is not satisfied."),
        (([0, 1, 2], [0, 5]), "`0 <= col_indices < ncols` is not satisfied."),
        (([0, 2, 2], [1, 0]), "are sorted and distinct along the last dimension values"),
        (([0, 1, 2], [0]), "col_indices.shape[-1] must be equal to nnz (=2)"),
        (([[0, 1, 2]], [0, 1]), "crow_indices and col_indices dimensionalities must be equal"),
    ],
)
def test_sparse_csr_tensor_refuses_parts_that_break_invariants(parts, text):
    with pytest.raises(RuntimeError) as caught:
        torch.sparse_csr_tensor(*parts, [1.0, 2.0], (2, 2), check_invariants=True)
    assert text in str(caught.value)


def test_sparse_compressed_tensor_wants_a_compressed_layout():
    with pytest.raises(RuntimeError, match="expected sparse compressed tensor layout but got none"):
        torch.sparse_compressed_tensor([0, 1], [0], [1.0], (1, 1), check_invariants=False)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.sparse_csr_tensor((2, 2), check_invariants=False)


def test_beta_warning_is_given_for_compressed_tensors():
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="tensor support is in beta state"):
            dense().to_sparse_csr()
    finally:
        torch.set_warn_always(False)


def test_transposing_csr_gives_csc_on_the_same_memory():
    x = of("csr")
    y = x.t()
    assert y.layout is torch.sparse_csc
    assert y.values().data_ptr() == x.values().data_ptr()
    assert torch.equal(y.to_dense(), dense().t())
    assert torch.equal(of("bsr").transpose(0, 1).to_dense(), dense().t())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_operators_that_keep_zeros_compute_on_values(layout):
    x = of(layout)
    for name in ("sin", "neg", "abs", "relu", "sqrt", "expm1"):
        found = getattr(x, name)()
        assert found.layout is x.layout
        assert torch.equal(found.to_dense(), getattr(dense(), name)())
    assert torch.equal((x * 2).to_dense(), dense() * 2)
    assert torch.equal((x + x).to_dense(), dense() * 2)
    assert x.sum() == dense().sum()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.cos(), RuntimeError, "unsupported tensor layout: SparseCsr"),
        (lambda x: x - x, RuntimeError, "unsupported tensor layout: SparseCsr"),
        (lambda x: x == x, RuntimeError, "unsupported tensor layout: SparseCsr"),
        (lambda x: x.stride(), RuntimeError, "Sparse CSR tensors do not have strides"),
        (lambda x: x.reshape(16), RuntimeError, "Sparse CSR tensors do not have is_contiguous"),
        (lambda x: x[:1], RuntimeError, "Sparse CSR tensors do not have strides"),
        (lambda x: x.mean(), NotImplementedError, "Could not run 'aten::mean.out'"),
        (lambda x: x.cumsum(0), NotImplementedError, "Could not run 'aten::cumsum"),
        (lambda x: x.numpy(), TypeError, "can't convert SparseCsr layout tensor to numpy"),
        (lambda x: x.sum(0), RuntimeError, "keepdim=False is unsupported"),
        (lambda x: x.indices(), RuntimeError, "layout but got SparseCsr"),
        (lambda x: x.ccol_indices(), RuntimeError, "layout but got SparseCsr"),
        (lambda x: x.__setitem__(0, 1), TypeError, "Cannot assign to a sparse tensor"),
        (lambda x: x + 1, RuntimeError, "does not currently support broadcasting"),
        (lambda x: x @ x.double(), RuntimeError, "expected scalar type"),
        (lambda x: x.int() @ dense().int(), NotImplementedError, "not implemented for 'Int'"),
        (lambda x: copy.deepcopy(x), NotImplementedError, "Cannot access storage"),
        (lambda x: sparse.spsolve(x, dense()), NotImplementedError, "_spsolve"),
    ],
)
def test_csr_tensors_refuse_what_torch_refuses(call, error, text):
    with pytest.raises(error) as caught:
        call(of("csr"))
    assert text in str(caught.value)


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_mm_of_compressed_matrices(layout):
    x, d = of(layout), dense()
    assert torch.equal(x @ d, d @ d)
    assert torch.equal(d @ x, d @ d)
    assert torch.equal(x @ torch.ones(4), d @ torch.ones(4))
    assert torch.equal((x @ x).to_dense(), d @ d)
    assert torch.equal(torch.addmm(d, x, d, beta=2, alpha=3), 2 * d + 3 * (d @ d))
    assert torch.equal(torch.addmv(torch.ones(4), x, torch.ones(4)), 1 + d.sum(1))
    assert torch.equal(sparse.mm(x, d), d @ d)


def test_sampled_addmm_and_reductions():
    x, d = of("csr"), dense()
    found = sparse.sampled_addmm(x, d, d, beta=2, alpha=3)
    assert torch.equal(found.to_dense(), (2 * d + 3 * (d @ d)) * (d != 0))
    assert torch.equal(sparse.mm(x, d, "sum"), d @ d)
    assert sparse.mm(x, d, "amax")[1].tolist() == [0, 2, 0, 12]
    assert sparse.mm(x, d, "max")[1].tolist() == [0, 2, 0, 12]
    with pytest.raises(RuntimeError, match="reduce type of prod has not been enabled"):
        sparse.mm(x, d, "prod")


def test_triangular_solve_of_csr_triangles():
    a = (dense() + torch.eye(4)).triu()
    found = torch.triangular_solve(torch.ones(4, 1), a.to_sparse_csr())[0]
    assert found.flatten().tolist() == [-9, 10, -3, 1]


def test_select_of_csr_gives_coordinates():
    x = of("csr")
    assert x[1].is_sparse
    assert x[1].to_dense().tolist() == [2, 0, 3, 0]
    assert x[1, 2] == 3
    batch = torch.stack([dense(), dense()]).to_sparse_csr()
    assert batch[0].layout is torch.sparse_csr
    with pytest.raises(RuntimeError, match="not supported for batched"):
        batch.select(1, 0)


def test_batches_need_as_many_elements_each():
    with pytest.raises(RuntimeError, match="same number of specified elements per batch"):
        torch.stack([dense(), dense() * 0]).to_sparse_csr()


def test_gradients_of_products_are_as_torchs():
    x = of("csr").requires_grad_()
    y = x @ torch.ones(4, 2)
    assert y.grad_fn.name() == "MmBackward0"
    y.sum().backward()
    assert x.grad.layout is torch.strided
    x = of("csr").requires_grad_()
    y = sparse.mm(x, torch.ones(4, 2))
    assert y.grad_fn.name() == "SparseAddmmBackward0"
    y.sum().backward()
    assert x.grad.layout is torch.sparse_csr
    assert x.grad.values().tolist() == [2] * 5


def test_gradients_of_conversions_come_back_in_their_layout():
    d = dense().requires_grad_()
    y = d.to_sparse_csc()
    assert y.grad_fn.name() == "ToSparseCscBackward0"
    y.to_dense().sum().backward()
    assert torch.equal(d.grad, (dense() != 0).float())
    x = of("csr").requires_grad_()
    x.to_sparse().to_dense().sum().backward()
    assert x.grad.layout is torch.sparse_csr
    v = torch.ones(2, requires_grad=True)
    made = torch.sparse_csr_tensor([0, 1, 2], [0, 1], v, (2, 2), check_invariants=False)
    assert made.grad_fn.name() == "SparseCompressedTensorBackward0"
    (made * 3).to_dense().sum().backward()
    assert v.grad.tolist() == [3, 3]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_and_pickles_keep_compressed_tensors(layout):
    x = of(layout)
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    for found in (torch.load(file), pickle.loads(pickle.dumps(x))):
        assert found.layout is x.layout
        assert torch.equal(found.to_dense(), dense())


@pytest.mark.parametrize("layout", [*LAYOUTS, "coo"])
def test_parameters_keep_their_layout(layout):
    x = of(layout)
    p = torch.nn.Parameter(x)
    assert isinstance(p, torch.nn.Parameter)
    assert (p.layout, p.requires_grad) == (x.layout, True)
    assert repr(p).startswith("Parameter containing:\ntensor(")
    assert repr(p).endswith("requires_grad=True)")
    assert torch.equal(p.to_dense(), dense())


def test_writing_in_place_counts_versions():
    x = of("csr")
    x.sin_().mul_(2)
    assert x._version == 2
    assert torch.equal(x.to_dense(), dense().sin() * 2)
    assert x.zero_()._nnz() == 0


def shorts(warned):
    """The layouts that warnings of the beta state name."""
    return [str(each.message).split()[1] for each in warned]


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ("coo", "csc", ["CSR", "CSC"]),
        ("coo", "bsc", ["CSR", "CSC", "BSC"]),
        ("csr", "bsc", ["CSC", "BSC"]),
        ("csc", "bsr", ["CSR", "BSR"]),
        ("bsr", "bsc", ["BSC"]),
    ],
)
def test_conversions_warn_of_the_layouts_on_their_way(own, other, expected):
    x = of(own)
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="beta state") as warned:
            of(other, x)
    finally:
        torch.set_warn_always(before)
    assert shorts(warned) == expected


def test_conversions_save_the_sizes_of_blocks_alone():
    x = of("bsr").requires_grad_()
    node = x.to_sparse_bsc((2, 2)).grad_fn
    assert node._saved_self_self_sym_blocksize_opt == (2, 2)
    assert not hasattr(node, "_saved_self")
    assert x.to_sparse(2).grad_fn.name() == "ToSparseBackward0"


def test_to_dense_refuses_the_gradient_of_batches():
    x = torch.stack([dense(), 2 * dense()]).to_sparse_csr().requires_grad_()
    with pytest.raises(RuntimeError, match=r"sparse_coo_to_sparse: .* sparse_dim.*!=2"):
        x.to_dense().sum().backward()


def test_mm_leaves_columns_in_the_order_of_their_first_terms():
    x = torch.tensor([[1.0, 1, 0], [0, 1, 1], [1, 0, -1]]).to_sparse_csr()
    y = torch.tensor([[0.0, 0, 1], [1, 0, 1], [0, 0, 1]]).to_sparse_csr()
    found = x @ y
    assert found.col_indices().tolist() == [2, 0, 0, 2, 2]
    assert found.values().tolist() == [2, 1, 1, 2, 0]


@pytest.mark.parametrize(
    ("layout", "call", "text"),
    [
        ("csc", lambda x: x + x.clone(), "crow_indices expected sparse row compressed"),
        ("bsc", lambda x: x.clone().add_(x), "crow_indices expected sparse row compressed"),
        ("csr", lambda x: x.clone().add_(x.double()), "expected scalar type Float but found"),
        ("csc", lambda x: x.mul_(dense()), "Expected result Tensor to be of format CSR"),
        ("bsr", lambda x: x * x, "empty_sparse_compressed expected .*non-block.* SparseBsr"),
        ("csc", lambda x: x.sparse_mask(x.clone()), "Expected result Tensor to be of format CSR"),
        ("bsc", lambda x: x.mv(torch.ones(4)), "torch.addmv: operation not supported"),
        ("bsr", lambda x: x.addmm(x, x), "empty_sparse_compressed expected .*non-block"),
        ("bsc", lambda x: dense()[:3].addmm(x, dense()), "The expanded size of the tensor"),
        ("csr", lambda x: dense()[:3].addmm_(x, dense()), "Bad in-place call: input tensor size"),
    ],
)
def test_sums_and_products_check_layouts_as_torch_does(layout, call, text):
    with pytest.raises(RuntimeError, match=text):
        call(of(layout))


def test_add_takes_a_tensor_and_itself_in_any_layout():
    for layout in LAYOUTS:
        x = of(layout)
        assert torch.equal((x + x).to_dense(), 2 * dense())


def test_mul_by_csr_refuses_gradients_of_another_layout():
    x = dense().requires_grad_()
    y = (x * of("csr")).to_dense()
    text = "MulBackward0 returned an invalid gradient at index 0 - expected layout Strided but got"
    with pytest.raises(RuntimeError, match=text):
        y.sum().backward()
    assert y.grad_fn.next_functions[0][0]._saved_other is not None  # nothing was freed


def test_sparse_mask_of_csr_keeps_common_places():
    x, mask = of("csr"), (dense() > 2).float().to_sparse_csr()
    assert x.sparse_mask(mask).values().tolist() == [3, 4, 5]
    assert x.to_sparse().sparse_mask(mask).values().tolist() == [3, 4, 5]


@pytest.mark.parametrize(
    ("layout", "call", "error", "text"),
    [
        ("csr", lambda x: x.cumsum(0), NotImplementedError, "'aten::cumsum.out'.*SparseCsrCPU"),
        ("csr", lambda x: x.cumsum(7), IndexError, "Dimension out of range"),
        ("bsr", lambda x: x.cumsum(0), RuntimeError, "empty_sparse_compressed .* SparseBsr"),
        ("csc", lambda x: x.max(0), RuntimeError, r"torch.empty: .* but got size \[4\]"),
        ("csc", lambda x: x.amax(), NotImplementedError, "'aten::amax.out'"),
        ("bsc", lambda x: x.amax(0), RuntimeError, "resize_reduction: .* SparseBsc layout"),
        ("csr", lambda x: x.logsumexp(0), RuntimeError, r"torch.empty: .* size \[0\]"),
        ("csr", lambda x: 2**x, NotImplementedError, "'aten::pow.Scalar_out'"),
        ("csr", torch.special.airy_ai, RuntimeError, "unsupported tensor layout: SparseCsr"),
        ("csr", lambda x: torch.rsub(x, x), NotImplementedError, "'aten::rsub.Tensor'"),
        ("csr", lambda x: torch.rsub(x, 2), RuntimeError, "unsupported tensor layout"),
        ("csr", lambda x: x.logical_not(), RuntimeError, r"torch.empty: .* size \[0\]"),
        ("csr", lambda x: x.logical_not_(), NotImplementedError, "'aten::logical_not.out'"),
        ("csr", lambda x: x.floor_divide(2), NotImplementedError, "'aten::floor_divide'"),
        ("csr", lambda x: x.narrow(0, 3, 4), RuntimeError, "exceeds dimension size"),
        ("csr", lambda x: x.narrow(0, 0, 1), RuntimeError, "do not have strides"),
        ("csr", lambda x: torch.hstack([x, x]), RuntimeError, "do not have is_contiguous"),
        ("csr", lambda x: torch.stack([x, x], -1), RuntimeError, "do not have strides"),
        ("csr", lambda x: x[torch.tensor([0])], RuntimeError, "do not have strides"),
        ("csr", lambda x: x[9], IndexError, "index 9 is out of bounds for dimension 0"),
        ("csr", lambda x: x.permute(0, 0), RuntimeError, "duplicate dims are not allowed"),
        ("csc", lambda x: x.round_(), RuntimeError, "INTERNAL ASSERT FAILED"),
        ("csr", lambda x: x.round(decimals=1), RuntimeError, "unsupported tensor layout"),
        ("csr", lambda x: x.sum([]), RuntimeError, "keepdim=False is unsupported"),
        ("bsr", lambda x: x.new_ones(2), RuntimeError, r"torch.empty: .* size \[2\]"),
        ("csc", lambda x: dense().copy_(x), RuntimeError, "copy_sparse_compressed_ expected"),
        ("csc", lambda x: x.resize_(2, 2), RuntimeError, "Resizing columns of sparse CSR"),
    ],
)
def test_operators_without_kernels_are_refused_in_torchs_words(layout, call, error, text):
    with pytest.raises(error, match=text):
        call(of(layout))


def test_select_wants_values_at_equal_distances():
    x = torch.tensor([[1.0, 0, 2, 3], [0, 4, 0, 0]]).to_sparse_csc()
    assert x[1].values().tolist() == [4]
    with pytest.raises(RuntimeError, match=r"select\(\): no view exists"):
        x[0]


def test_unbind_is_recorded_as_one_node():
    x = of("csr").requires_grad_()
    nodes = {each.grad_fn.name() for each in x.unbind()}
    assert nodes == {"UnbindBackward0"}


def test_ones_like_fills_the_elements_that_there_are():
    for layout in LAYOUTS:
        x = torch.full_like(of(layout), 3)
        assert str(x.layout) == f"torch.sparse_{layout}"
        assert set(x.values().flatten().tolist()) == {3}
        assert x._version == 0


def test_copies_and_pickles_of_leaves_are_made_of_values_that_require_grad():
    x = of("csr").requires_grad_()
    other = copy.copy(x)
    assert other.grad_fn.name() == "SparseCompressedTensorBackward0"
    assert other.grad_fn.next_functions[0][0].name() == "ValuesBackward0"
    again = pickle.loads(pickle.dumps(x))
    assert again.grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"


def test_plain_indices_are_the_second_half_of_places():
    x = of("csr")
    assert x.col_indices().storage_offset() == x._nnz()
    assert x.clone().col_indices().storage_offset() == 0


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("csc", "col_indices expected sparse row compressed tensor layout but got SparseCsc"),
        ("bsr", "sparse compressed layout must be SparseCsr but got SparseBsr"),
    ],
)
def test_gradients_times_a_number_are_refused_but_for_csr(layout, text):
    with pytest.raises(RuntimeError, match=text):
        of(layout).requires_grad_().deg2rad().to_dense().sum().backward()


@pytest.mark.parametrize(
    ("layout", "call", "error", "text"),
    [
        ("csc", lambda x: torch.sin(x, out=x.clone()), RuntimeError, r"self.is_sparse_csr\(\)"),
        ("csr", lambda x: torch.sin(x, out=dense()), RuntimeError, r"result.is_sparse_csr\(\)"),
        ("csr", lambda x: torch.sin(x.int(), out=x.int()), RuntimeError, "can't be cast to the"),
        ("csr", lambda x: x.bool().sum(0), NotImplementedError, "_sparse_csr_sum_cpu"),
        ("csr", lambda x: x.bool() * dense().bool(), NotImplementedError, "mul_out_sparse"),
        ("csr", lambda x: x[0, 1, 1], IndexError, "too many indices for tensor of dimension 2"),
        ("csr", lambda x: x.int() @ x.int(), NotImplementedError, "impl_mkl_sparse. not impl"),
        ("csr", lambda x: x.all((0, 1)), RuntimeError, "resize_reduction"),
        ("bsr", lambda x: x + x.clone(), RuntimeError, "SPARSE_STATUS_INVALID_VALUE"),
        ("bsc", lambda x: sparse.mm(x, dense(), "sum"), RuntimeError, "to be SparseCsr, got"),
    ],
)
def test_dtypes_and_layouts_are_refused_where_torch_does(layout, call, error, text):
    with pytest.raises(error, match=text):
        call(of(layout))


def test_normal_draws_the_elements_that_there_are():
    x = of("csc")
    torch.manual_seed(3)
    x.normal_(1, 2)
    torch.manual_seed(3)
    assert torch.equal(x.values(), torch.empty(x._nnz()).normal_(1, 2))


def test_sparse_mask_by_itself_is_itself_in_any_layout():
    for layout in LAYOUTS:
        x = of(layout)
        assert x.sparse_mask(x) is x


def test_mul_of_hybrid_tensors_keeps_dense_dimensions():
    x = torch.stack([dense(), 2 * dense()], -1).to_sparse_csr(dense_dim=1)
    assert torch.equal((x * x).to_dense(), x.to_dense() ** 2)
    with pytest.raises(RuntimeError, match="hybrid sparse compressed tensors"):
        x.transpose(0, 1)
