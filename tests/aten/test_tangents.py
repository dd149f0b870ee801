"""The forward-mode formula of every row is the transpose of its gradient formulas."""

import pytest

import minitorch as torch
from minitorch.autograd.forward_ad import (
    _set_fwd_grad_enabled,
    dual_level,
    make_dual,
    unpack_dual,
)
from minitorch.core.declare.registry import ROWS
from tests.aten.samples import has_samples, samples
from tests.aten.samples.calling import differentiable, gradients, is_random, run, with_leaves
from tests.aten.test_rows import NOT_THE_DERIVATIVE, REAL_ONLY, as_complex, inner, weights_for

# Rows whose tangents torch itself leaves out.
WITHOUT_TANGENTS = {"scatter_reduce_two"}  # of products

KEYS = [
    key
    for key in sorted(filter(has_samples, ROWS))
    if differentiable(key) and ROWS[key].result is not None and key not in NOT_THE_DERIVATIVE
]


def directions(leaves):
    """A tangent for each leaf, all elements different."""
    return [weights_for([leaf])[0].flip(list(range(leaf.dim()))) + 0.3 for leaf in leaves]


def pushed(key, sample, tangents, leaves, call):
    """The outputs of a row for dual tensors in the place of the leaves."""
    duals = {id(x): make_dual(x, t) for x, t in zip(leaves, tangents, strict=True)}
    return run(key, call.map(lambda x: duals.get(id(x), x), torch.Tensor))


def check_tangents(key, sample):
    """Compares <w, J v> with <J' w, v>, of the row and of its gradients."""
    call, leaves = with_leaves(key, sample)
    tangents = directions(leaves)
    with dual_level():
        outputs = [
            each for each in pushed(key, sample, tangents, leaves, call) if each.requires_grad
        ]
        pairs = [(each, unpack_dual(each).tangent) for each in outputs]
        pairs = [(each, tangent) for each, tangent in pairs if tangent is not None]
        if not pairs:
            assert key in WITHOUT_TANGENTS or not outputs or is_random(key)
            return
        outputs = [each for each, _ in pairs]
        for each, tangent in pairs:
            assert tangent.shape == each.shape
            assert tangent.dtype is each.dtype
            assert tangent.stride() == each.stride() or 1 in each.shape or not each.numel()
        weights = weights_for(outputs)
        forward = inner(weights, [tangent.detach() for _, tangent in pairs])
        with _set_fwd_grad_enabled(False):
            found = gradients(outputs, leaves, weights, retain_graph=True)
        there = [(g, t) for g, t in zip(found, tangents, strict=True) if g is not None]
        backward = inner([g.detach() for g, _ in there], [t for _, t in there])
        assert forward == pytest.approx(backward, rel=1e-7, abs=1e-9)
        check_second(outputs, leaves, weights, tangents)


def check_second(outputs, leaves, weights, tangents):
    """Compares tangents of gradients with gradients of gradients."""
    try:
        found = gradients(outputs, leaves, weights, create_graph=True)
    except (NotImplementedError, RuntimeError) as refusal:
        if "forward AD" in str(refusal) or "derivative" in str(refusal):
            return
        raise
    pairs = [(g, unpack_dual(g).tangent) for g in found if g is not None]
    pairs = [(g, t) for g, t in pairs if t is not None and g.requires_grad]
    if not pairs:
        return
    weights = weights_for([g for g, _ in pairs])
    forward = inner(weights, [t.detach() for _, t in pairs])
    again = gradients([g for g, _ in pairs], leaves, weights)
    there = [(g, t) for g, t in zip(again, tangents, strict=True) if g is not None]
    backward = inner([g.detach() for g, _ in there], [t for _, t in there])
    assert forward == pytest.approx(backward, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("key", KEYS)
def test_tangents_are_the_transposes_of_gradients(key):
    for sample in samples(key):
        if sample.exact:
            check_tangents(key, sample)


@pytest.mark.parametrize("key", [k for k in KEYS if not (REAL_ONLY.fullmatch(k) or is_random(k))])
def test_tangents_of_complex_numbers_are_too_or_those_are_refused(key):
    for sample in samples(key):
        if sample.exact:
            try:
                check_tangents(key, sample.map(as_complex))
            except (NotImplementedError, RuntimeError, TypeError) as refusal:
                if "complex" not in str(refusal).lower():
                    raise


def test_gradients_of_layers_without_elements_have_no_tangents():
    x, w = torch.ones(0, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    with dual_level():
        out = torch.layer_norm(make_dual(x, torch.ones(0, 3)), (3,), make_dual(w, torch.ones(3)))
        by_x, by_w = torch.autograd.grad(out, (x, w), torch.ones(0, 3), create_graph=True)
        assert unpack_dual(out).tangent is not None
        assert unpack_dual(by_x).tangent is None
        assert unpack_dual(by_w).tangent is None
