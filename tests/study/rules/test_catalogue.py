"""Every rule of study.rules is run: its formulas give the library's gradients on all samples."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

import minitorch as torch
from minitorch.core.declare.registry import ROWS
from minitorch.study.rules.catalogue import RULES, rule_of, table
from minitorch.study.rules.language import TAGS, Outline, Scope, compiled, kept_values
from minitorch.study.rules.words import WORDS
from tests.aten.samples import samples
from tests.aten.samples.calling import gradients, recorded, run, weights_for, with_leaves
from tests.aten.samples.registry import call, deep_map

NAN, INF = float("nan"), float("inf")
a = numpy.array

# Nodes that round a constant to float32 first, as torch's do: 1 / alpha, 1 / 6. Their rules show
# the formula that a reader knows.
ROUNDED = {"CeluBackward0", "HardsigmoidBackward0"}

TIES = a([[-1.0, 0.0, 0.0], [2.0, 2.0, -0.0]])
WITH_ZEROS = a([[3.0, 0.0, 2.0], [0.0, 0.0, 5.0]])
BOUNDS = a([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])

# Calls at ties, kinks and zeros, which the samples keep off, by the row's key.
EDGES = {
    "relu": [call(TIES)],
    "threshold": [call(TIES, 0.0, 7.0)],
    "abs": [call(TIES)],
    "sign": [call(TIES)],
    "leaky_relu": [call(TIES, 0.1)],
    "elu": [call(TIES, 0.7, 1.5, 2.0)],
    "hardtanh": [call(BOUNDS)],
    "hardsigmoid": [call(BOUNDS)],
    "hardswish": [call(BOUNDS)],
    "hardshrink": [call(BOUNDS)],
    "softshrink": [call(BOUNDS)],
    "_prelu_kernel": [call(TIES, a([[0.1, 0.2, 0.3]]))],
    "maximum": [call(TIES, a([0.0, 0.0, NAN])), call(a([NAN, 1.0]), a([1.0, 1.0]))],
    "minimum": [call(TIES, a([0.0, 0.0, NAN])), call(a([NAN, 1.0]), a([1.0, 1.0]))],
    "fmax": [call(TIES, a([0.0, 0.0, NAN])), call(a([NAN, 1.0]), a([1.0, 1.0]))],
    "fmin": [call(TIES, a([0.0, 0.0, NAN])), call(a([NAN, 1.0]), a([1.0, 1.0]))],
    "clamp": [call(TIES, 0.0, 2.0), call(BOUNDS, -1.0), call(BOUNDS, None, 1.0)],
    "clamp_Tensor": [
        call(BOUNDS, a(-1.0), a(1.0)),
        call(BOUNDS, a(1.0), a(-1.0)),
        call(BOUNDS, a(-1.0)),
        call(BOUNDS, None, a(1.0)),
    ],
    "clamp_min": [call(BOUNDS, 0.5)],
    "clamp_max": [call(BOUNDS, 0.5)],
    "clamp_min_Tensor": [call(BOUNDS, a(0.5))],
    "clamp_max_Tensor": [call(BOUNDS, a(0.5))],
    "max": [call(TIES), call(a([NAN, 1.0, NAN]))],
    "min": [call(a([3.0, 1.0, 1.0])), call(a([NAN, 1.0, NAN]))],
    "median": [call(a([3.0, 1.0, 1.0, 1.0, 4.0]))],
    "max_dim": [call(TIES, 1), call(TIES, -1, True)],
    "min_dim": [call(TIES, 1), call(TIES, -2, True)],
    "amax": [call(TIES, [0, 1]), call(TIES, [1]), call(TIES)],
    "amin": [call(TIES, [0, 1]), call(TIES, [-1], True)],
    "prod": [call(WITH_ZEROS), call(a([3.0, 0.0, 2.0])), call(numpy.zeros((0, 2)))],
    "prod_dim_int": [call(WITH_ZEROS, 1), call(WITH_ZEROS, 0, True)],
    "pow_Tensor_Tensor": [call(a([0.0, 0.0, 2.0, 0.0]), a([0.0, 2.0, 0.0, 0.5]))],
    "pow_Tensor_Scalar": [call(TIES, 0), call(TIES, 1), call(TIES, 2)],
    "pow_Scalar": [call(0, a([0.0, 2.0, 0.5])), call(-2, a([2.0, 3.0]))],
    "atan2": [call(a([0.0, 1.0]), a([0.0, 0.0]))],
    "logit": [call(a([0.01, 0.1, 0.5, 0.9, 0.99]), 0.1), call(a([-1.0, 0.5, 2.0]))],
    "xlogy_Tensor": [call(a([0.0, 0.0, 1.0]), a([0.0, 2.0, 2.0]))],
    "nan_to_num": [call(a([NAN, INF, -INF, 1.0]))],
    "std_correction": [call(a([[1.0, 1.0], [1.0, 2.0]]), 1), call(TIES)],
    "norm_Scalar": [call(TIES * 0, p) for p in (0, 0.5, 1, 1.5, 2, 3, INF)],
    "norm_ScalarOpt_dim": [
        call(a([[0.0, 0.0], [0.0, 3.0], [3.0, -3.0]]), p, [1]) for p in (0, 0.5, 1, 1.5, 2, 3, INF)
    ],
    "linalg_vector_norm": [
        call(a([[0.0, 0.0], [0.0, 3.0], [3.0, -3.0]]), p, [1])
        for p in (0, 0.5, 1, 1.5, 2, 3, INF, -INF, -1)
    ],
    "logsumexp": [call(a([[-INF, 0.0], [0.0, 0.0]]), [1])],
    "smooth_l1_loss": [call(BOUNDS, BOUNDS * 0, 0, beta) for beta in (0.5, 1.0)],
    "huber_loss": [call(BOUNDS, BOUNDS * 0, 0, delta) for delta in (0.5, 1.0)],
    "binary_cross_entropy": [call(a([0.0, 1.0, 0.5]), a([0.0, 1.0, 1.0]))],
}
# Rules of nodes that no operator of the table makes; they have tests of their own.
WITHOUT_A_ROW = {"AccumulateGrad"}
# Rules that hold for real numbers alone though the operator gives complex results.
REAL_ONLY = {
    "PowBackward1",  # it compares exponents with 0
    "SgnBackward0",  # it has no complex derivative
    "VdotBackward0",  # it conjugates one input itself
}
NAMES = sorted(set(RULES) - WITHOUT_A_ROW)
KEYS = {name: [key for key, row in ROWS.items() if row.node == name] for name in RULES}


def as_complex(x):
    """Floats made complex numbers, off the real axis."""
    return numpy.asarray(x + 0.6j * numpy.roll(x, 1)) if x.dtype.kind == "f" else x


def arguments_of(row, sample):
    """The arguments of a call by name."""
    names = [each.name for each in row.schema.arguments]
    return dict(zip(names, sample.args, strict=False)) | sample.kwargs


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def is_leaf(value):
    return any(isinstance(each, torch.Tensor) and each.requires_grad for each in as_list(value))


class Call:
    """A row called with a sample, and what its node keeps."""

    def __init__(self, key, sample):
        self.row = ROWS[key]
        self.sample, self.leaves = with_leaves(key, sample)
        self.all_outputs = run(key, self.sample)
        self.outputs = recorded(self.all_outputs)[: self.followed(key)]
        self.node = self.outputs[0].grad_fn
        self.given = arguments_of(self.row, self.sample)
        # What the node does not keep is there as an outline: a formula may use its shape alone.
        self.values = {n: deep_map(Outline, each, torch.Tensor) for n, each in self.given.items()}
        self.values["result"] = Outline(self.outputs[0])
        self.values |= kept_values(self.node)

    def node_is_complex(self):
        return all(each.is_complex() for each in (*self.leaves, *self.outputs))

    @staticmethod
    def followed(key):
        """The number of outputs with a gradient: all, or the first if the rule knows no other."""
        texts = RULES[ROWS[key].node].formulas.values()
        return None if any("grads" in each for each in texts) else 1

    def check_gradients(self, rule):
        weights = weights_for(self.outputs)
        values = self.values | {"grads": weights, "grad": weights[0]}
        inputs = [each for each in self.row.inputs if is_leaf(self.given.get(each))]
        with torch.no_grad():
            found = rule.gradients(values, torch, inputs)
        results = [each for name in inputs for each in as_list(found[name])]
        expected = gradients(self.outputs, self.leaves, weights)
        assert len(results) == len(expected)
        for got, grad in zip(results, expected, strict=True):
            grad = torch.zeros_like(got) if grad is None else grad.to_dense()
            check_equal(got, grad, 1e-6 if rule.name in ROUNDED else 1e-9)

    def check_forward(self, rule):
        optional = [each for each in self.row.schema.arguments if each.default is not None]
        numbers = {each.name: ast.literal_eval(each.default) for each in optional}
        outputs = dict(zip(self.row.schema.outputs, self.all_outputs, strict=False))
        values = numbers | outputs | self.given
        with torch.no_grad():
            check_equal(Scope(values, rule.where, torch).value(rule.forward), self.all_outputs[0])


def check_equal(got, expected, relative=1e-9):
    assert got.shape == expected.shape
    assert got.dtype is expected.dtype
    numpy.testing.assert_allclose(
        got.detach().numpy(), expected.detach().numpy(), rtol=relative, atol=1e-12
    )


def calls(name):
    """All calls that make a node of this name."""
    assert KEYS[name]
    for key in KEYS[name]:
        for sample in (*samples(key), *EDGES.get(key, ())):
            made = Call(key, sample)
            assert made.node.name().rpartition("::")[2] == name
            yield made


@pytest.mark.parametrize("name", NAMES)
def test_formulas_of_a_rule_give_the_gradients_of_the_library(name):
    for each in calls(name):
        each.check_gradients(RULES[name])


@pytest.mark.parametrize("name", NAMES)
def test_forward_of_a_rule_gives_the_output_of_the_operator(name):
    for each in calls(name):
        each.check_forward(RULES[name])


def test_formulas_hold_for_complex_numbers_with_all_values_conjugated():
    held, wrong = set(), set()
    for name in NAMES:
        for key in KEYS[name]:
            for sample in samples(key):
                try:
                    made = Call(key, sample.map(as_complex))
                except (RuntimeError, TypeError, NotImplementedError):
                    continue  # the operator takes no complex numbers
                if not made.node_is_complex():
                    continue
                made.values = {
                    n: deep_map(torch.Tensor.conj, each, torch.Tensor)
                    for n, each in made.values.items()
                }
                try:
                    made.check_gradients(RULES[name])
                    held.add(name)
                except (AssertionError, RuntimeError, NotImplementedError):
                    wrong.add(name)
    assert wrong == REAL_ONLY
    assert len(held) >= 100


def test_a_wrong_formula_is_found():
    right = RULES["MulBackward0"]
    swapped = {"self": right.formulas["other"], "other": right.formulas["self"]}
    with pytest.raises(AssertionError):
        Call("mul_Tensor", samples("mul_Tensor")[0]).check_gradients(
            replace(right, formulas=swapped)
        )


def test_a_formula_may_not_use_what_the_node_does_not_keep():
    call_of_add, right = Call("add_Tensor", samples("add_Tensor")[0]), RULES["AddBackward0"]
    with pytest.raises(TypeError):
        call_of_add.check_gradients(replace(right, formulas={"self": "grad * self"}))


def test_the_rule_of_a_leaf_adds_up_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    for weight in (3.0, 5.0):
        grad = torch.full((2,), weight)
        expected = rule_of(node).gradients({"grad": grad, "variable": x}, torch)
        x.backward(grad)
        assert torch.equal(expected["variable.grad"], x.grad)


# ---- names ---------------------------------------------------------------------------------------


def test_rule_of_takes_a_node_or_its_name():
    x = torch.ones(2, 2, requires_grad=True)
    assert rule_of((x @ x).grad_fn) is rule_of("MmBackward0") is RULES["MmBackward0"]
    assert rule_of(x.clone().zero_().copy_(x).grad_fn) is RULES["CopyBackwards"]
    assert rule_of("torch::autograd::AccumulateGrad") is RULES["AccumulateGrad"]


@pytest.mark.parametrize("wrong", [3, None, torch.ones(2)])
def test_rule_of_refuses_what_is_no_node(wrong):
    with pytest.raises(TypeError, match=r"a node such as loss\.grad_fn or its name is needed"):
        rule_of(wrong)


def test_every_node_has_something_to_show():
    for name in {row.node for row in ROWS.values()} - {None}:
        found = rule_of(name)
        assert found.sentence.endswith(".")
        assert found.tag in TAGS
        assert found.shown or "derivative" in found.sentence


def test_a_node_without_a_rule_shows_the_formula_of_its_row():
    found = rule_of("AsinhBackward0")
    assert found.tag == "computes"
    assert found.formulas == {"self": "grad * rsqrt(pow(self, 2) + 1)"}
    assert found.sentence == "By the formula of asinh, from what it keeps: self."
    assert rule_of("PixelShuffleBackward0").shown == {
        "self": "∂L/∂self = pixel_unshuffle(G, upscale_factor)"
    }
    assert rule_of("LinalgQrBackward0").formulas["A"].startswith("qr_backward(")


def test_own_functions_and_unknown_nodes_have_a_sentence():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    found = rule_of(Double.apply(torch.ones(2, requires_grad=True)).grad_fn)
    assert found.sentence.startswith("Double is a Function of the reader's own")
    assert found.formulas == {}
    assert rule_of("GraphRoot").sentence == "No rule is known for GraphRoot."
    assert rule_of("NotImplemented").sentence == "The operator has no derivative."


def test_tags_are_a_closed_vocabulary():
    with pytest.raises(ValueError, match="no tag is called 'flows'"):
        replace(RULES["MulBackward0"], tag="flows")
    assert {each.tag for each in RULES.values()} == set(TAGS) - {"computes"}


def test_every_word_of_the_language_is_used_and_explained():
    texts = [
        t for r in RULES.values() for t in (r.forward, *r.formulas.values(), *r.where.values())
    ]
    used = {name for text in texts for name in compiled(text)[1]}
    assert set(WORDS) - used == set()
    assert all(WORDS.values())


def test_the_table_in_the_documentation_is_current():
    page = Path(__file__).parents[3] / "docs" / "study" / "rules.md"
    assert page.read_text(encoding="utf-8") == table()
