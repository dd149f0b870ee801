"""Formulas are shown in mathematical form, with the reader's own names."""

import pytest

from minitorch.study.rules.catalogue import RULES, rule_of
from minitorch.study.rules.notation import Notation


def shown(text, names=None, shapes=None, constants=None, where=None):
    return Notation(names or {}, shapes or {}, constants or {}, where or {}).expression(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("self.T @ grad", "selfᵀ @ G"),
        ("batch.mT @ (grad @ other)", "batchᵀ @ (G @ other)"),
        ("grad * result * (1 - result)", "G · result · (1 − result)"),
        ("grad * (1 - result**2)", "G · (1 − result²)"),
        ("self ** (exponent - 1)", "self^(exponent − 1)"),
        ("x**-2", "x⁻²"),
        ("(x + 1)**0.5", "√(x + 1)"),
        ("sqrt(1 - x**2)", "√(1 − x²)"),
        ("-grad * self / other**2", "−G · self / other²"),
        ("a / (b * c)", "a / (b · c)"),
        ("a * (b / c)", "a · (b / c)"),
        ("a - (b - c)", "a − (b − c)"),
        ("a - b - c", "a − b − c"),
        ("-(a + b)", "−(a + b)"),
        ("(-a) ** 2", "(−a)²"),
        ("abs(x) * 2", "|x| · 2"),
        ("where(x > 0, grad, 0)", "G if x > 0 else 0"),
        ("grad * where(x <= 0, 1, 2)", "G · (1 if x ≤ 0 else 2)"),
        ("where((a == 0) & ~(b != 0), 0, grad)", "0 if a == 0 and not b ≠ 0 else G"),
        ("(a | b) & c", "(a or b) and c"),
        ("not training", "not training"),
        ("zeros(self.shape)", "0"),
        ("zeros(self.shape).scatter(dim, index, grad)", "zeros.scatter(dim, index, G)"),
        ("spread(grad, self.shape, dim, keepdim) / n", "spread(G) / n"),
        ("x.sum(dim, keepdim=True)", "x.sum(dim)"),
        ("[a, b][0]", "[a, b][0]"),
        ("f(*a, 2 * pi)", "f(*a, 2 · π)"),
        ("0.5 * x", "0.5 · x"),
        ("1e-12 + x", "1e−12 + x"),
        ("a // b % c", "a // b % c"),
        ("a if b is None else c", "a if b is None else c"),
    ],
)
def test_expressions_are_written_as_in_mathematics(text, expected):
    assert shown(text) == expected


def test_names_of_the_reader_stand_for_arguments():
    names = {"self": "x", "mat2": "model.0.weight", "result": "h"}
    assert shown("self.T @ grad", names) == "xᵀ @ G"
    assert shown("grad @ mat2.T", names) == "G @ model.0.weightᵀ"


def test_names_that_are_expressions_are_put_in_brackets():
    assert shown("grad * other", {"other": "x + 1"}) == "G · (x + 1)"
    assert shown("self.T @ grad", {"self": "relu(x + 1)"}) == "relu(x + 1)ᵀ @ G"


def test_constants_are_filled_in_and_factors_of_one_left_out():
    assert shown("alpha * (grad @ m.T)", constants={"alpha": 1}) == "G @ mᵀ"
    assert shown("alpha * grad", constants={"alpha": -0.5}) == "−0.5 · G"
    assert shown("self ** (exponent - 1)", constants={"exponent": 3}) == "self^(3 − 1)"
    assert shown("x / n", constants={"n": 1.0}) == "x"


def test_branches_that_are_known_are_taken():
    text = "grad if weight is None else grad * weight"
    assert shown(text, constants={"weight": None}) == "G"
    assert shown(text, {"weight": "w"}) == "G · w"
    assert shown(text) == "G if weight is None else G · weight"
    assert shown("a if kind == 'none' else b", constants={"kind": "tanh"}) == "b"


def test_sums_over_broadcast_dimensions_are_left_out_where_there_are_none():
    text = "sum_to(grad * other, self.shape)"
    assert shown(text) == "sum_to(G · other, self.shape)"
    assert shown(text, shapes={"self": (3,), "result": (3,)}) == "G · other"
    assert shown(text, shapes={"self": (3,), "result": (2, 3)}) == "sum_to(G · other, (3,))"


def test_means_are_divided_by_their_number():
    shapes = {"self": (4, 2), "result": ()}
    mse = RULES["MseLossBackward0"]
    names = {"self": "y", "target": "t"}
    assert (
        mse.with_names(names, shapes, {"reduction": 1})["self"] == "∂L/∂y = 2 · (y − t) · (G / 8)"
    )
    assert mse.with_names(names, shapes, {"reduction": 2})["self"] == "∂L/∂y = 2 · (y − t) · G"
    mean = RULES["MeanBackward1"]
    found = mean.with_names({"self": "y"}, shapes, {"dim": (0,), "keepdim": False})
    assert found == {"self": "∂L/∂y = spread(G) / 4"}


def test_a_linear_layer_reads_as_in_a_textbook():
    names = {"self": "b", "mat1": "x", "mat2": "w"}
    shapes = {"self": (3,), "mat1": (5, 4), "mat2": (4, 3), "result": (5, 3)}
    assert rule_of("AddmmBackward0").with_names(names, shapes, {"alpha": 1, "beta": 1}) == {
        "self": "∂L/∂b = sum_to(G, (3,))",
        "mat1": "∂L/∂x = G @ wᵀ",
        "mat2": "∂L/∂w = xᵀ @ G",
    }


def test_definitions_follow_the_equations_that_use_them():
    found = RULES["SiluBackward0"].with_names({"self": "x"})
    assert found == {
        "self": "∂L/∂x = G · (gate + x · gate · (1 − gate))",
        "gate": "gate = sigmoid(x)",
    }


def test_definitions_that_are_not_used_are_left_out():
    exact = RULES["GeluBackward0"].with_names({"self": "x"}, constants={"approximate": "none"})
    assert list(exact) == ["self", "share", "bell"]
    tanh = RULES["GeluBackward0"].with_names({"self": "x"}, constants={"approximate": "tanh"})
    assert list(tanh) == ["self", "share", "bell", "bent"]


def test_a_leaf_has_an_equation_for_its_grad():
    names, constants = {"variable": "w"}, {"variable.grad": None}
    assert rule_of("AccumulateGrad").with_names(names, constants=constants) == {
        "variable.grad": "w.grad = G"
    }
    assert rule_of("AccumulateGrad").with_names(names) == {
        "variable.grad": "w.grad = G if w.grad is None else w.grad + G"
    }
