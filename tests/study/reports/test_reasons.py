"""why(): its arguments, the recording it looks into, and answers without one."""

from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch import nn, study
from minitorch.study.reports.case_table import CASES
from minitorch.study.reports.live_cases import LIVE
from tests.study.recorded_programs import recorded


def test_why_of_none_says_to_ask_about_the_tensor() -> None:
    w = minitorch.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match=r"None has no history: ask about the tensor, why\(w\)"):
        study.why(w.grad)


@pytest.mark.parametrize("x", [3, [1.0], nn.Linear(1, 1)])
def test_why_takes_tensors_nodes_and_exceptions_only(x: Any) -> None:
    with pytest.raises(TypeError, match="why takes a tensor, a node or an exception, not"):
        study.why(x)


def test_why_of_an_unknown_question_lists_the_questions() -> None:
    with pytest.raises(ValueError, match="one of grad, requires_grad, view and version, not 'x'"):
        study.why(minitorch.ones(3), "x")


def test_why_of_an_unknown_name_lists_the_names(tmp_path: Path) -> None:
    tape = recorded(tmp_path, "w = torch.ones(3)\nv = w + 1").tape
    with pytest.raises(ValueError, match="no tensor of the recording is called 'u'; there are v"):
        study.why("u", tape=tape)


def test_why_of_a_name_needs_a_recording() -> None:
    with pytest.raises(ValueError, match="pass tape="):
        study.why("w")


def test_why_finds_the_recording_in_the_variables_of_the_caller() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    x = minitorch.randn(4, 2)
    with study.record() as tape:
        h = model(x)
        h.sum().backward()
    assert str(study.why(model[0].weight)).startswith("0.weight.grad is there: 1 backward added")
    assert study.why(h).case == "non_leaf"
    assert study.why(h.grad_fn).case == "ran_and_let_go"
    assert study.why(h, tape=tape).places[0].expression == "model(x)"


def test_why_tells_parameters_of_one_name_apart_by_their_modules() -> None:
    a, b, c = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)
    x = minitorch.randn(4, 3)
    with study.record() as tape:
        loss = a(x) + b(x).detach()
        loss.sum().backward()
    assert study.why(a.weight, tape=tape).case == "there"
    assert study.why(b.weight, tape=tape).case == "detached"
    assert study.why(c.weight, tape=tape).case == "no_gradient_came"  # in no recording


def test_why_does_not_guess_which_of_several_tensors_is_meant() -> None:
    x = minitorch.randn(4, 3)
    with study.record() as tape:
        for _ in range(2):
            w = minitorch.ones(3, requires_grad=True)
            (x * w).sum().backward()
    reason = study.why(w, tape=tape)
    assert (reason.case, reason.places) == ("there", [])


def test_why_of_a_node_that_was_not_recorded_says_so() -> None:
    node = minitorch.ones(3, requires_grad=True).sum().grad_fn
    assert str(study.why(node)).startswith("SumBackward0 is in no recording")


def live_tensors() -> dict[str, tuple[str, Any]]:
    """Returns for each case of a live tensor its question and a tensor that is one."""
    leaf = minitorch.ones(3, requires_grad=True)
    used = minitorch.ones(3, requires_grad=True)
    used.sum().backward()
    zero = minitorch.ones(3, requires_grad=True)
    (zero * 0).sum().backward()
    written = minitorch.ones(3)
    written += 1
    plain = minitorch.ones(3)
    integers = minitorch.arange(3)
    return {
        "grad integers": ("grad", integers),
        "grad does_not_require": ("grad", plain),
        "grad non_leaf": ("grad", leaf * 2),
        "grad zero": ("grad", zero),
        "grad there": ("grad", used),
        "grad no_gradient_came": ("grad", leaf),
        "requires_grad leaf": ("requires_grad", leaf),
        "requires_grad spread": ("requires_grad", leaf * 2),
        "requires_grad integers": ("requires_grad", integers),
        "requires_grad no_history": ("requires_grad", plain),
        "view view": ("view", plain[0]),
        "view no_view": ("view", plain),
        "version never_written": ("version", plain),
        "version written": ("version", written),
    }


LIVE_TENSORS = live_tensors()


@pytest.mark.parametrize("case", LIVE_TENSORS)
def test_why_says_what_a_tensor_itself_knows_without_a_recording(case: str) -> None:
    question, tensor = LIVE_TENSORS[case]
    reason = study.why(tensor, question)
    assert f"{reason.question} {reason.case}" == case
    assert "tensor" in str(reason)


def test_every_case_of_live_tensors_has_an_example() -> None:
    live = [each for each in CASES if each.question.startswith(LIVE)]
    assert {f"{each.question.removeprefix(LIVE)} {each.key}" for each in live} == {*LIVE_TENSORS}


def test_a_reason_shows_itself_as_text_and_as_html() -> None:
    w = minitorch.arange(3)
    reason = study.why(w, "requires_grad")
    assert repr(reason) == str(reason) == reason.sentences
    assert "<p>w requires no grad: it holds int64" in reason._repr_html_()
