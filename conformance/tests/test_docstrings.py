"""The examples of docstrings: which statements they are."""

import torch

from conformance.cases import docstrings

TEXT = """
Adds.

Example::

    >>> def f(x):
    ...     return x
    >>> class A:
    >>>     def g(self):
    >>>         return 1
    >>>
    >>> y = f([1,
    >>>        2])
    >>> y
    [1, 2]
    >>> not python
    >>> @property
    ... def h(self): ...
"""


def test_statements_take_the_lines_that_continue_them():
    assert docstrings.statements(TEXT) == [
        "def f(x):\n    return x",
        "class A:\n    def g(self):\n        return 1",
        "y = f([1,\n       2])",
        "y",
        "not python",
        "@property\ndef h(self): ...",
    ]


def test_an_example_goes_on_after_an_error_and_keeps_values():
    case = docstrings.Docstring(">>> a = torch.ones(2)\n>>> b = missing\n>>> a + 1", "example")
    seen = case.run(torch)
    assert [statement for statement, _ in seen["error"]] == ["b = missing"]
    assert sorted(seen["value"]) == ["a", "result_2"]
