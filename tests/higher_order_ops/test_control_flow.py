"""Branches, loops and scans: results against plain loops, gradients and refusals."""

import pytest

import minitorch as mt
from minitorch._higher_order_ops import associative_scan, cond, map, scan, while_loop

X = mt.arange(1.0, 5.0)


@pytest.mark.parametrize("chosen", [True, False])
def test_cond_takes_a_branch_by_a_bool_or_a_tensor(chosen):
    expected = X.sin() if chosen else X.cos()
    for condition in (chosen, mt.tensor(chosen)):
        assert mt.equal(cond(condition, mt.sin, mt.cos, (X,)), expected)
    assert mt.cond is cond


def test_gradients_go_through_the_branch_that_was_taken():
    x = X.clone().requires_grad_()
    cond(x.sum() > 0, mt.sin, mt.cos, (x,)).sum().backward()
    assert mt.equal(x.grad, X.cos())


def test_while_loop_carries_its_results():
    count, x = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x), (mt.tensor(0), X))
    assert (count.item(), x.tolist()) == (3, (8 * X).tolist())
    assert mt.while_loop is while_loop


@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan_combines_all_up_to_each_place(n, reverse):
    factors, terms = mt.rand(n, 2).double(), mt.rand(n, 2).double()

    def compose(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]

    found = associative_scan(compose, (factors, terms), 0, reverse, combine_mode="generic")
    state = None
    for i in range(n)[:: -1 if reverse else 1]:
        here = factors[i], terms[i]
        state = here if state is None else compose(state, here)
        assert mt.allclose(found[0][i], state[0])
        assert mt.allclose(found[1][i], state[1])


def test_scan_carries_a_state_and_stacks_outputs():
    last, outputs = scan(lambda c, y: (c + y, c * y), mt.tensor(0.0), X)
    assert (last.item(), outputs.tolist()) == (10.0, [0.0, 2.0, 9.0, 24.0])
    _, backwards = scan(lambda c, y: (c + y, c), mt.tensor(0.0), X, reverse=True)
    assert backwards.tolist() == [9.0, 7.0, 4.0, 0.0]
    _, columns = scan(lambda c, y: (c + y, c), mt.zeros(2), mt.ones(2, 3), dim=1)
    assert columns.tolist() == [[0.0, 1.0, 2.0]] * 2


def test_map_stacks_results_of_slices():
    doubled = map(lambda x, n: {"out": x[0] * n + x[1]}, (X, X), mt.tensor(2.0))
    assert doubled["out"].tolist() == (3 * X).tolist()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cond("a", mt.sin, mt.cos, (X,)), RuntimeError, "Expected pred to be bool or"),
        (lambda: cond(X, mt.sin, mt.cos, (X,)), RuntimeError, "single-element tensor"),
        (lambda: cond(X.any(), 3, mt.cos, (X,)), RuntimeError, "both branches to be callable"),
        (lambda: cond(X.any(), mt.sin, mt.cos, (3,)), RuntimeError, "tensor leaves, but got"),
        (lambda: while_loop(3, mt.sin, (X,)), RuntimeError, "cond_fn and body_fn"),
        (lambda: while_loop(mt.sin, mt.sin, ("a",)), RuntimeError, "tensor or int leaves"),
        (lambda: while_loop(lambda x: x, mt.sin, (X,)), RuntimeError, "boolean scalar tensor"),
        (lambda: while_loop(lambda x: True, mt.sin, (X,)), RuntimeError, "return a tuple"),
        (lambda: associative_scan(mt.add, X, 0), ValueError, "need to be on CUDA or XPU"),
        (lambda: associative_scan(mt.add, X, 1, combine_mode="generic"), IndexError, "range"),
        (lambda: scan(3, X, X), RuntimeError, "must be a callable"),
        (lambda: scan(mt.add, 3, X), RuntimeError, "All init leaves must be a Tensor"),
        (lambda: map(mt.sin, [X, X[:2]]), RuntimeError, "must be consistent"),
        (lambda: map(mt.sin, X[:0]), RuntimeError, "cannot be 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
