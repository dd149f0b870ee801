"""Exercises that check themselves: micro autograd in five steps, graphs, numbers and memory.

`show("value and graph")` prints what is asked for, and lines to begin with;
`check("value and graph", Value)` compares the reader's class with the library;
`python -m minitorch.study.exercises micro.py` checks the five steps of a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import drawn_graph, gallery, micro, quiz
from .verdict import Verdict, WrongAnswer

__all__ = ["EXERCISES", "Verdict", "check", "show"]


class Exercise(NamedTuple):
    """An exercise: the question, lines to begin with, and the checker."""

    statement: str
    skeleton: str
    checker: Callable[..., str]
    """Returns a sentence, or raises WrongAnswer."""


_MICRO = {
    "value and graph": micro.check_value,
    "local derivatives": micro.check_local,
    "order of the walk": micro.check_order,
    "accumulation": micro.check_backward,
    "broadcasting": micro.check_broadcasting,
}

EXERCISES = {
    **{
        name: Exercise(micro.STATEMENTS[name], micro.SKELETONS[name], checker)
        for name, checker in _MICRO.items()
    },
    "graph": Exercise(
        "Draw the graph of a tensor: its nodes, each with a name and inputs, the root first.\n"
        "Leave inputs out that need no gradient. For the local derivative of each edge write\n"
        '{"s": 1.25} for ["s"].',
        'check("graph", {"L": ("Log", ["s"]), "s": ("Sigmoid", ["w"])}, of=L, names={"w": w})',
        drawn_graph.check_graph,
    ),
    "gradients": Exercise(
        "Work the gradients of a scalar out by hand.",
        'check("gradients", {"w": 28, "b": 14}, of=loss, wrt={"w": w, "b": b})',
        gallery.check_gradients,
    ),
    "numbers": Exercise(
        "Say what the program makes, before you look.",
        'check("numbers", {"x.grad": 33}, right={"x.grad": x.grad})',
        gallery.check_numbers,
    ),
    "paths": Exercise(
        "Write down the local derivatives along each path from a scalar to a leaf.",
        'check("paths", [[14, 1, 3], [6], [2, 3]], of=loss, wrt=x)',
        gallery.check_paths,
    ),
    "bytes": Exercise(
        "Count the bytes that a graph keeps for backward. What two nodes keep counts once,\n"
        "at the node that runs first; leaves that require grad do not count.",
        'check("bytes", {"AddmmBackward0": 192, "ReluBackward0": 64}, of=loss)',
        gallery.check_bytes,
    ),
    "quiz": Exercise(
        "Choose an answer.",
        'check("quiz", "b", question="when")',
        quiz.check_quiz,
    ),
}


def check(exercise: str, answer: Any, **given: Any) -> Verdict:
    """Checks an answer.

    Args:
        exercise: one of EXERCISES.
        answer: a class, a function, a dict, a number or a letter, as the exercise asks for.
        given: the other arguments of the exercise's checker, such as the tensor that it is about.

    Returns:
        Verdict, which prints itself. It is unanswered while there is a `...` in the answer.

    Raises:
        ValueError: there is no such exercise.
    """
    asked = _exercise(exercise)
    if _has_dots(answer):
        return Verdict(exercise, None, "Put your answer in the place of the three dots.")
    try:
        return Verdict(exercise, True, asked.checker(answer, **given))
    except WrongAnswer as error:
        return Verdict(exercise, False, error.text, error.program, error.value)


def show(exercise: str, question: str | None = None) -> None:
    """Prints what an exercise asks for, and lines to begin with.

    Args:
        exercise: one of EXERCISES.
        question: for "quiz", the name of the question.
    """
    asked = _exercise(exercise)
    if question is not None:
        print(quiz.question(question))
    else:
        print(f"{asked.statement}\n\n{asked.skeleton}")


def _exercise(name: str) -> Exercise:
    if name not in EXERCISES:
        raise ValueError(f"there is no exercise {name!r}; there are {', '.join(EXERCISES)}")
    return EXERCISES[name]


def _has_dots(answer: Any) -> bool:
    if isinstance(answer, dict):
        return any(_has_dots(value) for value in answer.values())
    if isinstance(answer, list | tuple):
        return any(_has_dots(value) for value in answer)
    return answer is ...
