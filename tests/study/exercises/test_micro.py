"""The five steps of micro autograd: the right answer passes, every planted mistake is named."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from minitorch.study.exercises import EXERCISES, check, show
from minitorch.study.exercises.__main__ import main
from minitorch.study.exercises.micro import STATEMENTS, walks
from minitorch.study.exercises.mistake import mark_of, recording_of

SOLUTION = Path(__file__).with_name("solution.py").read_text(encoding="utf-8")


def answer(exercise: str, **lines: str) -> Any:
    """The solution's class or function, after lines of it were replaced by others."""
    source = SOLUTION
    for old, new in lines.items():
        assert source.count(LINES[old]) == 1, old
        source = source.replace(LINES[old], new)
    names: dict[str, Any] = {"__name__": "answer"}
    exec(compile(source, "answer.py", "exec"), names)
    return names["order" if exercise == "order of the walk" else "Value"]


LINES = {
    "requires_grad": "requires_grad or any(value.requires_grad for value in inputs)",
    "data": "self.data = data\n",
    "grad": "self.grad = None\n",
    "inputs": "self.inputs = inputs\n",
    "add": 'Value(self.data + other.data, False, (self, other), "+", (1.0, 1.0))',
    "mul": '(self, other), "*", (other.data, self.data)',
    "radd": "__radd__ = __add__",
    "slope": "exponent * self.data ** (exponent - 1)",
    "pow": '(self,), "**", (slope,)',
    "sum": "self.data.sum()",
    "walk": "walk = order(self)",
    "cleared": "if value.inputs:",
    "root": "self.grad = np.ones_like(self.data)",
    "asked": "if used.requires_grad:",
    "part": "part = value.grad * local * np.ones_like(used.data)",
    "summed": "part = summed_to(part, np.shape(used.data))",
    "kept": "used.grad = part if used.grad is None else used.grad + part",
    "once": "if used not in users:",
    "ready": "if users[used] == 0:",
    "returned": "return ready",
    "new": "tuple(range(new))",
    "repeated": "tuple(i for i, size in enumerate(shape) if size == 1)",
    "keepdims": "axis=repeated, keepdims=True",
}

ALIAS = """part = value.grad * local * np.ones_like(used.data)
                    if np.all(local == 1.0) and np.shape(value.grad) == np.shape(used.data):
                        part = value.grad"""
SUM_IF_NEEDED = """if np.shape(part) != np.shape(used.data):
                        part = summed_to(part, np.shape(used.data))"""
IN_PLACE = """if used.grad is None:
                        used.grad = part
                    else:
                        used.grad += part"""
FIRST_ONLY = "used.grad = part if used.grad is None else used.grad"


class Mistake(NamedTuple):
    """Lines of the solution that are replaced, by name, and a piece of the sentence."""

    exercise: str
    lines: dict[str, str]
    text: str


MISTAKES = [
    Mistake("value and graph", {"requires_grad": "requires_grad"}, "c.requires_grad is False: a"),
    Mistake("value and graph", {"requires_grad": "True"}, "b_.requires_grad is True: a leaf has"),
    Mistake("value and graph", {"data": "self.data = data + 0.5\n"}, "a.data is "),
    Mistake("value and graph", {"grad": "self.grad = 0.0\n"}, "a.grad is 0 before any backward"),
    Mistake(
        "value and graph",
        {"inputs": "self.inputs = tuple(dict.fromkeys(inputs))\n"},
        "c.inputs has to be a tuple of 2, one for each time that a value is used; yours is a tuple "
        "of 1",
    ),
    Mistake("value and graph", {"inputs": "self.inputs = list(inputs)\n"}, "yours is a list of 0"),
    Mistake("value and graph", {"inputs": "self.inputs = inputs[::-1]\n"}, "c.inputs[0] is not a"),
    Mistake("value and graph", {"inputs": "self.made_of = inputs\n"}, "has no attribute .inputs"),
    Mistake("value and graph", {"mul": '(self, other), "+"'}, "c.operation is '+', and '*' is"),
    Mistake("value and graph", {"radd": "pass"}, "c = 1.5 + a raised TypeError"),
    Mistake(
        "local derivatives",
        {"mul": '(self, other), "*", (self.data, other.data)'},
        "The derivative of c = a * b with respect to a is ",
    ),
    Mistake(
        "local derivatives",
        {"slope": "self.data ** (exponent - 1)"},
        "The derivative of c = a ** 3.0 with respect to a is ",
    ),
    Mistake(
        "local derivatives",
        {"slope": "exponent * self.data**exponent"},
        "The derivative of c = a ** 3.0 with respect to a is ",
    ),
    Mistake(
        "local derivatives",
        {"add": "Value(self.data + other.data, False, (self, other), '+', (1.0, self.data))"},
        "The derivative of c = a + b with respect to b is",
    ),
    Mistake("local derivatives", {"pow": '(self,), "**", slope'}, "has to be a tuple of 1"),
    Mistake("local derivatives", {"mul": '(self, other), "*"'}, "c.local has to be a tuple of 2"),
    Mistake("order of the walk", {"once": "if True:"}, "c is in the list before d, which uses it"),
    Mistake("order of the walk", {"returned": "return found"}, "its gradient is not complete yet"),
    Mistake("order of the walk", {"returned": "return ready[::-1]"}, "is in the list before"),
    Mistake("order of the walk", {"returned": "return ready[:-1]"}, "is missing from the list"),
    Mistake("order of the walk", {"returned": "return [*ready, root]"}, "c is in the list twice"),
    Mistake("order of the walk", {"returned": "return [1]"}, "1, which is no value of this graph"),
    Mistake("order of the walk", {"returned": "return None"}, "order(root) raised TypeError"),
    Mistake("accumulation", {"kept": "used.grad = part"}, "b.grad is "),
    Mistake("accumulation", {"kept": "used.grad = part"}, "yours is what one use sends: add them"),
    Mistake("accumulation", {"kept": FIRST_ONLY}, "yours is what one use sends: add them up"),
    Mistake("accumulation", {"kept": "pass"}, "the walk did not reach a"),
    Mistake("accumulation", {"walk": "walk = order(self)[::-1]"}, "f.backward() raised"),
    Mistake("accumulation", {"returned": "return found"}, "goes on before its own gradient is"),
    Mistake("accumulation", {"cleared": "if False:"}, "Did inner values begin the second walk"),
    Mistake("accumulation", {"cleared": "if True:"}, "A backward has to add to what is there"),
    Mistake("accumulation", {"root": "self.grad = 2.0"}, "the walk starts there"),
    Mistake("accumulation", {"root": "pass"}, "c.backward() raised TypeError"),
    Mistake("accumulation", {"asked": "if True:"}, "b_ does not require grad: its .grad stays"),
    Mistake("accumulation", {"slope": "self.data"}, "c = a ** 3.0 is right: look at what goes on"),
    Mistake("broadcasting", {"summed": "pass"}, "c = a + b repeats b: sum its gradient over dimen"),
    Mistake("broadcasting", {"repeated": "()"}, "sum its gradient over dimension 1"),
    Mistake("broadcasting", {"new": "()"}, "sum its gradient over dimension 0"),
    Mistake("broadcasting", {"keepdims": "axis=repeated"}, "has the shape (2,), and b.data has (2"),
    Mistake(
        "broadcasting",
        {"part": ALIAS, "summed": SUM_IF_NEEDED, "kept": IN_PLACE},
        "It shares its memory with ",
    ),
    Mistake("broadcasting", {"kept": "used.grad = part"}, "yours is what one use sends: add them"),
    Mistake("broadcasting", {"part": "part = value.grad * local"}, "a.grad has the shape (), and"),
    Mistake("broadcasting", {"sum": "self.data.mean()"}, "b.data is "),
    Mistake("broadcasting", {"returned": "return found"}, "goes on before its own gradient is"),
]


VERDICTS: dict = {}  # on the mistakes by their identity: to find one takes 0.1 s


def verdict_on(mistake):
    """The text of the check for a mistake."""
    if id(mistake) not in VERDICTS:
        found = check(mistake.exercise, answer(mistake.exercise, **mistake.lines))
        VERDICTS[id(mistake)] = found
    return VERDICTS[id(mistake)]


@pytest.mark.parametrize("exercise", STATEMENTS)
def test_a_right_answer_passes(exercise):
    verdict = check(exercise, answer(exercise))
    assert verdict.right is True, verdict
    assert bool(verdict)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.exercise}: {[*m.lines.values()]}")
def test_a_planted_mistake_is_named(mistake):
    verdict = verdict_on(mistake)
    assert verdict.right is False
    assert mistake.text in verdict.text
    if verdict.value:
        tape = recording_of(verdict.program)
        mark = mark_of(tape, verdict.value, verdict.text)
        assert tape.tensors[mark.tensor].name == verdict.value


def test_most_planted_mistakes_name_the_wrong_value():
    verdicts = [verdict_on(each) for each in MISTAKES]
    nameless = [verdict.text for verdict in verdicts if not verdict.value]
    assert nameless == [
        "The list holds 1, which is no value of this graph.",
        "order(root) raised TypeError: 'NoneType' object is not iterable.",
    ]


def test_a_walk_of_every_path_is_stopped():
    def order(root):
        found = []

        def visit(node):
            for used in node.inputs:
                visit(used)
            if node not in found:
                found.append(node)

        visit(root)
        return found[::-1]

    verdict = check("order of the walk", order)
    assert "were looked at 51 times: your walk follows every path" in verdict.text


def test_a_recursive_walk_is_told_that_its_chain_is_too_deep():
    def order(root):
        found = []

        def visit(node):
            if node not in found:
                for used in node.inputs:
                    visit(used)
                found.append(node)

        visit(root)
        return found[::-1]

    verdict = check("order of the walk", order)
    assert "RecursionError on a graph of 5,000 values" in verdict.text


def test_the_expressions_are_the_same_in_every_run():
    first, second = ([walk.source for walk in walks()] for _ in range(2))
    assert first == second
    assert len(set(first)) > 30


def test_a_verdict_shows_the_program_with_the_mistake():
    verdict = check("accumulation", answer("accumulation", kept="used.grad = part"))
    assert "b.grad is" in verdict.text
    lines = repr(verdict).splitlines()
    assert lines[0].startswith("accumulation: not yet.")
    assert lines[1].startswith("    a = Value(")
    assert lines[-1] == "    e.backward()"


def test_dots_are_no_answer_yet():
    verdict = check("numbers", {"a": ...}, right={"a": 1})
    assert verdict.right is None
    assert not verdict
    assert "no answer" in repr(verdict)


def test_an_unknown_exercise_is_refused():
    with pytest.raises(ValueError, match="there is no exercise 'micro'; there are value and graph"):
        check("micro", 1)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_exercise_says_what_it_asks_for(exercise, capsys):
    show(exercise)
    printed = capsys.readouterr().out
    assert EXERCISES[exercise].statement in printed
    assert EXERCISES[exercise].skeleton in printed


def test_the_command_checks_all_five_steps_of_a_file(tmp_path, capsys):
    path = tmp_path / "micro.py"
    path.write_text(SOLUTION, encoding="utf-8")
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.count("right.") == 5


def test_the_command_stops_at_the_first_step_that_is_not_right(tmp_path, capsys):
    path = tmp_path / "micro.py"
    path.write_text(
        "class Value:\n    def __init__(self, data, requires_grad=False):\n        pass\n"
    )
    assert main([str(path)]) == 1
    assert "c = a + b raised TypeError" in capsys.readouterr().out
    path.write_text("")
    assert main([str(path)]) == 1
    assert "has no Value" in capsys.readouterr().out


def test_the_command_lists_the_exercises_and_refuses_what_is_no_file(capsys):
    assert main([]) == 0
    assert "order of the walk" in capsys.readouterr().out
    assert main(["missing.py"]) == 2
