"""Docstrings of public classes and functions explain every argument, and name their source.

An argument is explained in the section `Args:`, where an entry begins with its name, or with the
names of several: `stride, dilation: ...`. A source is a line that begins with `As torch`, `As ATen`
or `As https://`, or the address of a paper.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

from minitorch import nn
from minitorch.core.declare.registry import resolved

MODULES = """
    minitorch.nn minitorch.nn.attention minitorch.nn.grad minitorch.nn.init
    minitorch.nn.parallel.data_parallel minitorch.nn.parameter
    minitorch.nn.modules.activation minitorch.nn.modules.adaptive minitorch.nn.modules.batchnorm
    minitorch.nn.modules.channelshuffle minitorch.nn.modules.container minitorch.nn.modules.conv
    minitorch.nn.modules.distance minitorch.nn.modules.dropout minitorch.nn.modules.flatten
    minitorch.nn.modules.fold minitorch.nn.modules.instancenorm minitorch.nn.modules.lazy
    minitorch.nn.modules.linear
    minitorch.nn.modules.linear_cross_entropy_options minitorch.nn.modules.loss
    minitorch.nn.modules.module minitorch.nn.modules.normalization minitorch.nn.modules.padding
    minitorch.nn.modules.pixelshuffle minitorch.nn.modules.pooling minitorch.nn.modules.rnn
    minitorch.nn.modules.sparse minitorch.nn.modules.transformer minitorch.nn.modules.upsampling
    minitorch.nn.modules.utils
    minitorch.nn.utils minitorch.nn.utils.clip_grad minitorch.nn.utils.parametrizations
    minitorch.nn.utils.parametrize minitorch.nn.utils.prune minitorch.nn.utils.rnn
    minitorch.nn.utils.spectral_norm minitorch.nn.utils.stateless minitorch.nn.utils.weight_norm
""".split()
FUNCTIONS = """
    minitorch.autograd minitorch.autograd.forward_ad minitorch.autograd.functional
    minitorch.autograd.graph minitorch.func minitorch.nn.functional minitorch.optim
    minitorch.optim.lr_scheduler minitorch.optim.optimizer minitorch.optim.swa_utils
    minitorch.utils.data
""".split()
WITH_METHODS = """
    Module ModuleDict ModuleList ParameterDict ParameterList Sequential
""".split()
SOURCE = re.compile(r"^As (torch|ATen|https://)|https://arxiv\.org/|arXiv \d", re.MULTILINE)
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def explained(text: str) -> set[str]:
    """The names that the section `Args:` of a docstring explains."""
    section = re.search(r"^Args:\n((?:(?: .*)?\n)+)", text + "\n", re.MULTILINE)
    if section is None:
        return set()
    entries = re.findall(r"^    ([\w*]+(?:, [\w*]+)*):", section[1], re.MULTILINE)
    return {name.lstrip("*") for entry in entries for name in entry.split(", ")}


def unexplained(documented: Callable[..., Any]) -> list[str]:
    """The arguments that the docstring of a class, function or method leaves out."""
    text = inspect.cleandoc(documented.__doc__ or "")
    is_enum = inspect.isclass(documented) and issubclass(documented, Enum)  # no program calls it
    parameters = () if is_enum else inspect.signature(documented).parameters.values()
    names = [
        each.name
        for each in parameters
        if each.kind not in VARIADIC and not each.name.startswith("_") and each.name != "self"
    ]
    return [f"explains no {name}" for name in names if name not in explained(text)]


def defects(documented: Callable[..., Any]) -> list[str]:
    """The parts that the docstring of a class or function lacks."""
    has_source = SOURCE.search(inspect.cleandoc(documented.__doc__ or ""))
    return unexplained(documented) + ([] if has_source else ["names no source"])


def is_own(module: str, name: str, value: Any) -> bool:
    """Whether a public class or function is a module's own, which names none of them itself."""
    home = getattr(value, "__module__", None)
    return not name.startswith("_") and home in (module, module.removeprefix("mini"))


def public(module: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public classes and functions of a module by their names."""
    found = importlib.import_module(module)
    own = [name for name, value in vars(found).items() if is_own(module, name, value)]
    for name in getattr(found, "__all__", own):
        value = getattr(found, name)
        if inspect.isfunction(value):
            yield name, resolved(value)  # an operator has its signature from its first call on
        elif inspect.isclass(value) and value.__module__ != "builtins":
            yield name, value


@pytest.mark.parametrize("module", [*MODULES, *FUNCTIONS])
def test_docstrings_explain_every_argument_and_name_their_source(module):
    lacking = {name: found for name, each in public(module) if (found := defects(each))}
    assert lacking == {}


@pytest.mark.parametrize("name", WITH_METHODS)
def test_docstrings_of_methods_explain_every_argument(name):
    # A forward's arguments stand in the section Shape of its class.
    methods = {
        name: value
        for name, value in vars(getattr(nn, name)).items()
        if inspect.isfunction(value) and not name.startswith("_") and name != "forward"
    }
    assert methods
    assert {name: each for name, value in methods.items() if (each := unexplained(value))} == {}


def test_a_docstring_without_an_argument_or_a_source_is_found():
    def scaled(x, factor, *rest, _private=None):
        """The product.

        Args:
            x: any numbers.

        Returns:
            factor: no argument here.
        """

    assert defects(scaled) == ["explains no factor", "names no source"]


def test_arguments_may_share_an_explanation():
    def between(low, high):
        """The middle.

        Args:
            low, high: the ends,
                in any order: both count.

        As torch.lerp.
        """

    assert defects(between) == []
