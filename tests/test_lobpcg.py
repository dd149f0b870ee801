"""torch.lobpcg: eigenpairs by conjugate gradients."""

import pytest

import minitorch as torch

METHODS = ["basic", "ortho"]


def matrix(m, *batch):
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(*batch, m, m, dtype=torch.float64, generator=generator)
    return a @ a.mT + torch.arange(1, m + 1).diag_embed()


def close(a, b):
    return torch.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("layout", ["to_dense", "to_sparse", "to_sparse_csr"])
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state")
def test_lobpcg_finds_the_eigenpairs_at_either_end(method, layout):
    torch.manual_seed(0)
    A = matrix(12)
    exact = torch.linalg.eigvalsh(A)
    for largest, expected in ((True, exact.flip(0)), (None, exact.flip(0)), (False, exact)):
        E, X = torch.lobpcg(getattr(A, layout)(), 2, method=method, largest=largest)
        assert close(E, expected[:2])
        assert torch.allclose(A @ X, X * E, atol=1e-4)
        assert close(X.mT @ X, torch.eye(2, dtype=torch.float64))


@pytest.mark.parametrize("method", METHODS)
def test_lobpcg_solves_generalized_problems_in_batches(method):
    torch.manual_seed(0)
    A = matrix(9, 2, 2)
    B = A.flip(0) / 20 + torch.eye(9, dtype=torch.float64)
    E, X = torch.lobpcg(A, 2, B=B, iK=torch.eye(9, dtype=torch.float64), method=method)
    assert E.shape == (2, 2, 2)
    assert torch.allclose(A @ X, B @ X * E.unsqueeze(-2), atol=1e-4)
    scale = X.mT @ B @ X
    if method == "basic":  # which may find one pair twice, as torch's does
        scale = scale.diagonal(dim1=-2, dim2=-1).diag_embed()
    assert close(scale, torch.eye(2, dtype=torch.float64).expand(2, 2, 2, 2))


def test_lobpcg_draws_its_start_from_the_generator():
    torch.manual_seed(0)
    start = torch.randn(9, 3, dtype=torch.float64)
    after = torch.rand(1)
    torch.manual_seed(0)
    E, X = torch.lobpcg(matrix(9), 2, n=3, niter=3)
    assert torch.equal(torch.rand(1), after)
    again = torch.lobpcg(matrix(9), 2, X=start, n=7, niter=3)
    assert torch.equal(E, again[0])
    assert torch.equal(X, again[1])


def test_lobpcg_basic_writes_into_its_start_and_ortho_does_not():
    start = matrix(9)[:, :2].clone()
    kept = start.clone()
    torch.lobpcg(matrix(9), X=start, niter=2)
    assert torch.equal(start, kept)
    X = torch.lobpcg(matrix(9), X=start, niter=2, method="basic")[1]
    assert torch.equal(start, X)
    assert X._base is start


def test_lobpcg_shows_each_step_to_a_tracker_that_may_end_it():
    steps = []

    def track(worker):
        steps.append((type(worker).__name__, dict(worker.ivars), worker.E.clone()))
        worker.bvars["force_stop"] = worker.ivars["istep"] == 3

    torch.manual_seed(0)
    E = torch.lobpcg(matrix(12), 2, tracker=track, ortho_bparams={"ortho_use_drop": True})[0]
    assert [step[1]["istep"] for step in steps] == [1, 2, 3]
    assert steps[0][0] == "LOBPCG"
    assert not steps[0][2].any()  # the method "ortho" starts without eigenvalues
    assert torch.equal(E, steps[-1][2])
    assert steps[0][1] == {
        "istep": 1,
        "iterations_left": 999,
        "converged_count": 0,
        "converged_end": 4,
        "ortho_i": 0,
        "ortho_j": 0,
    } | {name: steps[0][1][name] for name in ("ortho_i", "ortho_j")}


def test_lobpcg_worker_prints_its_state():
    printed = []

    def track(worker):
        printed.extend(str(worker).splitlines())
        worker.bvars["force_stop"] = True

    torch.manual_seed(0)
    torch.lobpcg(matrix(9), tracker=track, method="basic", tol=0.5)
    assert printed[:4] == [
        "LOBPCG:",
        "  iparams={'m': 9, 'n': 1, 'k': 1, 'niter': 1000}",
        "  fparams={'tol': 0.5}",
        "  bparams={'largest': True}",
    ]


@pytest.mark.parametrize(("k", "largest"), [(1, True), (2, True), (3, False)])
def test_lobpcg_gradient_is_that_of_eigh(k, largest):
    torch.manual_seed(0)
    weights = torch.arange(10.0, dtype=torch.float64)[:, None]
    A = matrix(10, 2).requires_grad_()
    E, X = torch.lobpcg(A, k, largest=largest)
    values, vectors = torch.linalg.eigh(A)
    if largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    found, expected = [
        torch.autograd.grad((E**2).sum() + (X**2 * weights).sum(), A)[0]
        for E, X in ((E, X), (values[..., :k], vectors[..., :k]))
    ]
    assert E.grad_fn.name() == "LOBPCGAutogradFunctionBackward"
    assert torch.allclose(found, (expected + expected.mT) / 2, atol=1e-3)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (lambda A: {"B": torch.eye(9, dtype=A.dtype)}, "backward with B != I yet"),
        (lambda A: {"A": A.to_sparse()}, "sparse input yet. Note that lobpcg.forward does"),
    ],
)
def test_lobpcg_backward_refuses_what_it_cannot_do(given, text):
    torch.manual_seed(0)
    A = matrix(9)
    given = {"A": A, **given(A)}
    given["A"].requires_grad_()
    E = torch.lobpcg(**given)[0]
    with pytest.raises(ValueError, match=f"lobpcg.backward does not support {text}"):
        E.sum().backward()


@pytest.mark.parametrize(
    ("error", "text", "given"),
    [
        (AssertionError, r"A must be square, got shape torch.Size\(\[2, 3\]\)", {"A": (2, 3)}),
        (AssertionError, "A and B must have same shape", {"A": (9, 9), "B": (8, 8)}),
        (AssertionError, r"X shape mismatch: got .* expected \(9, 2\)", {"A": (9, 9), "X": (8, 2)}),
        (
            AssertionError,
            r"X_ shape mismatch: got .* expected \(9, 2\)",
            {"A": (2, 9, 9), "X": (2, 8, 2)},
        ),
        (ValueError, r"number of A rows \(=4\) is smaller than 3 x", {"A": (4, 4), "X": (4, 2)}),
    ],
)
def test_lobpcg_refuses_shapes_that_do_not_fit(error, text, given):
    with pytest.raises(error, match=text):
        torch.lobpcg(**{name: torch.ones(shape) for name, shape in given.items()})


def test_lobpcg_hands_calls_over_with_all_options_by_name():
    calls = []

    class Taking(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append((func, args, kwargs))
            return 7

    A = matrix(9)
    X = A.as_subclass(Taking)
    calls.clear()
    assert torch.lobpcg(A, 2, X=X) == 7
    func, args, kwargs = calls[0]
    assert func is torch.lobpcg
    assert args == (A,)
    assert " ".join(kwargs) == (
        "k B X n iK niter tol largest method tracker ortho_iparams ortho_fparams ortho_bparams"
    )
    assert kwargs["X"] is X
