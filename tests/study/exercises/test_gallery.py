"""Checkers for graphs, numbers, paths and bytes: right answers pass, wrong ones are named."""

import pytest

import minitorch as torch
from minitorch.study.exercises import check
from minitorch.study.exercises.gallery import paths_to, saved_bytes
from minitorch.study.exercises.quiz import QUIZ


def leaf(value: float) -> torch.Tensor:
    return torch.tensor(value, requires_grad=True)


@pytest.fixture
def names() -> dict[str, torch.Tensor]:
    return {"w": leaf(3.0), "x": leaf(2.0), "b": leaf(1.0)}


@pytest.fixture
def log_sigmoid(names) -> torch.Tensor:
    return torch.log(torch.sigmoid(names["w"] * names["x"] + names["b"]))


@pytest.fixture
def loss(names) -> torch.Tensor:
    z = names["w"] * names["x"]
    y = z + names["b"]
    return y**2 + names["x"] * z


DRAWN = {
    "L": ("LogBackward0", ["s"]),
    "s": ("SigmoidBackward0", ["y"]),
    "y": ("AddBackward0", ["z", "b"]),
    "z": ("MulBackward0", ["w", "x"]),
}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"L": ("Log", ["s"]), "s": ("sigmoid", ["y"])},
        {"y": ("Add", ["b", "z"]), "z": ("Mul", ["x", "w"])},
        {"z": ("Mul", {"w": 2, "x": 3}), "y": ("Add", {"z": 1, "b": 1})},
        {"L": ("Log", {"s": 1.0009})},
    ],
    ids=["full names", "short names", "another order", "local derivatives", "three digits"],
)
def test_a_graph_drawn_right_passes(change, log_sigmoid, names):
    verdict = check("graph", {**DRAWN, **change}, of=log_sigmoid, names=names)
    assert verdict.right, verdict


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"s": ("Tanh", ["y"])}, "s is SigmoidBackward0, and not Tanh."),
        (
            {"y": ("Add", ["z"])},
            "y (AddBackward0) has 2 inputs with a gradient, MulBackward0 and b",
        ),
        ({"z": ("Mul", ["w", "w"])}, "In the place of w is the leaf x."),
        ({"z": ("Mul", ["w", "b"])}, "In the place of b is the leaf x."),
        ({"y": ("Add", ["q", "b"])}, "In the place of q is MulBackward0, which has inputs of its"),
        ({"u": ("Exp", ["w"])}, "No edge leads from L to u."),
        ({"z": ("Mul", {"w": 3, "x": 2})}, "The local derivative from z to w is 2, and not 3."),
        ({"x": ("AccumulateGrad", [])}, "In the place of x is a leaf."),
    ],
)
def test_the_first_wrong_node_of_a_drawn_graph_is_named(change, text, log_sigmoid, names):
    verdict = check("graph", {**DRAWN, **change}, of=log_sigmoid, names=names)
    assert verdict.right is False
    assert text in verdict.text


def test_a_value_with_two_uses_is_one_node_of_the_drawing(names):
    z = names["w"] * names["x"]
    y = z.exp() + z.sin()
    apart = {
        "y": ("Add", ["e", "s"]),
        "e": ("Exp", ["z"]),
        "s": ("Sin", ["z2"]),
        "z": ("Mul", ["w", "x"]),
        "z2": ("Mul", ["w", "x"]),
    }
    verdict = check("graph", apart, of=y, names=names)
    assert verdict.text == "z and z2 are one node: it is used twice."
    joined = {**apart, "s": ("Sin", ["z"])}
    del joined["z2"]
    assert check("graph", joined, of=y, names=names)


def test_two_nodes_drawn_as_one_are_told_apart(names):
    y = (names["w"] * 2) + (names["x"] * 3)
    drawn = {"y": ("Add", ["p", "p"]), "p": ("Mul", ["w"])}
    verdict = check("graph", drawn, of=y, names=names)
    assert "p is one node in your graph, and two in the library's" in verdict.text


def test_a_graph_is_asked_of_a_tensor_with_a_history(names):
    with pytest.raises(TypeError, match="a tensor with a history is needed"):
        check("graph", DRAWN, of=names["w"])


def test_gradients_by_hand_are_compared_with_autograd(loss, names):
    assert check("gradients", {"w": 32, "x": 54, "b": 14}, of=loss, wrt=names)
    assert check("gradients", {"w": 32.0, "x": 54.01, "b": leaf(14.0)}, of=loss, wrt=names)
    assert names["w"].grad is None


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"w": 28}, "The gradient of w is not 28: it is larger."),
        ({"b": -14}, "The gradient of b is not -14: it is the negative of that."),
        ({"x": [54]}, "The gradient of x has the shape (), and yours has (1,)."),
        ({"x": None}, "The gradient of x is not nan"),
        ({"x": "54"}, "The gradient of x"),
        ({"q": 1}, "q was not asked for; w, x and b were."),
    ],
)
def test_a_wrong_gradient_is_named_without_the_right_one(wrong, text, loss, names):
    right = {"w": 32, "x": 54, "b": 14}
    verdict = check("gradients", {**right, **wrong}, of=loss, wrt=names)
    if wrong == {"x": "54"}:  # a text of a number is one
        assert verdict
        return
    assert verdict.right is False
    assert text in verdict.text


def test_a_missing_gradient_is_asked_for(loss, names):
    verdict = check("gradients", {"w": 32, "b": 14}, of=loss, wrt=names)
    assert verdict.text == "x is missing from your answer."


def test_a_wrong_number_of_an_array_is_named_by_its_place():
    verdict = check("numbers", {"g": [[1, 2], [3, 5]]}, right={"g": torch.tensor([[1, 2], [3, 4]])})
    assert verdict.text == "g is not 5 at [1, 1]: it is smaller."


def test_predictions_are_numbers_texts_truth_values_and_none():
    right = {"x.grad": leaf(33.0), "name": "MulBackward0", "leaf": True, "y.grad": None}
    assert check("numbers", {**right, "x.grad": 33}, right=right)
    for name, wrong in [("x.grad", 27), ("name", "AddBackward0"), ("leaf", False), ("y.grad", 0)]:
        verdict = check("numbers", {**right, name: wrong}, right=right)
        assert verdict.right is False
        assert name in verdict.text


def test_paths_are_compared_factor_by_factor_or_as_products(loss, names):
    x = names["x"]
    assert check("paths", [[1, 14, 1, 3], [1, 6], [1, 2, 3]], of=loss, wrt=x)
    verdict = check("paths", [6, 42, 6], of=loss, wrt=x)
    assert verdict.text == "3 paths: 42 + 6 + 6 = 54, the gradient."


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        ([42, 6], "None of your products fits the path through AddBackward0, MulBackward0 and Mul"),
        ([42, 6, 6, 7], "The number of paths is 3, and you have 4: 7 is one too many."),
        ([[14, 3], [6], [5]], "None of your products fits the path through AddBackward0, MulBack"),
        ([14, 6, 6], "None of your products fits the path through AddBackward0, PowBackward0, Add"),
    ],
)
def test_a_missing_or_wrong_path_is_named(paths, text, loss, names):
    verdict = check("paths", paths, of=loss, wrt=names["x"])
    assert verdict.right is False
    assert text in verdict.text


def test_more_paths_than_can_be_listed_are_refused():
    x = y = leaf(1.0)
    for _ in range(14):
        y = y + y
    with pytest.raises(ValueError, match="more than 10,000 paths"):
        list(paths_to(y, x))


@pytest.fixture
def model_loss() -> torch.Tensor:
    model = torch.nn.Sequential(torch.nn.Linear(2, 6), torch.nn.ReLU(), torch.nn.Linear(6, 2))
    return torch.nn.functional.cross_entropy(model(torch.randn(8, 2)), torch.arange(8) % 2)


KEPT = {"NllLossBackward0": 64 + 64 + 4, "AddmmBackward0": 192 + 64}


def test_bytes_that_a_graph_keeps_count_each_storage_once(model_loss):
    assert saved_bytes(model_loss) == KEPT
    assert check("bytes", KEPT, of=model_loss)
    assert check("bytes", 388, of=model_loss)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (128, "It is more than 128 bytes."),
        (
            388 + 192,
            "It is less than 580 bytes. Something is kept by: NllLossBackward0 and AddmmBackward0.",
        ),
        ({**KEPT, "ReluBackward0": 192}, "ReluBackward0 keeps 0 bytes, and not 192."),
        ({"AddmmBackward0": 256}, "NllLossBackward0 keeps 132 bytes, and not 0."),
    ],
)
def test_wrong_bytes_are_named(answer, text, model_loss):
    verdict = check("bytes", answer, of=model_loss)
    assert verdict.right is False
    assert text in verdict.text


def test_bytes_behind_hooks_are_not_unpacked():
    def unpack(_):
        raise AssertionError("looked at")

    x = torch.ones(4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        y = x.exp()
    assert saved_bytes(y) == {"ExpBackward0": 16}


def test_what_hooks_packed_counts_as_it_was_packed():
    x = torch.ones(4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t.half(), "half"), lambda t: t[0]):
        y = x.exp()
    assert saved_bytes(y) == {"ExpBackward0": 8}


def test_of_a_checkpoint_nothing_is_kept_inside():
    x = torch.ones(4, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: t.exp().exp(), x, use_reentrant=False)
    assert saved_bytes(y) == {}


@pytest.mark.parametrize("name", QUIZ)
def test_each_option_of_the_quiz_has_its_reason(name):
    asked = QUIZ[name]
    assert set(asked.reasons) == set(asked.options) - {asked.right}
    for letter in asked.options:
        verdict = check("quiz", letter, question=name)
        assert verdict.right is (letter == asked.right)
        assert verdict.text == (asked.because if verdict else asked.reasons[letter])
    assert "letters a, b, c" in check("quiz", "z", question=name).text
