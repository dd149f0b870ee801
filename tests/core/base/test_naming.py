"""minitorch/core/base/naming.py: methods that errors name after the class that a program knows."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.core.base.naming import copy_of, named_by_subclasses


def test_errors_name_the_class_that_was_called():
    for cls in (
        nn.ConvTranspose2d,
        nn.ReflectionPad1d,
        nn.ConstantPad3d,
        nn.TransformerEncoderLayer,
    ):
        with pytest.raises(TypeError, match=rf"^{cls.__name__}.__init__\(\) missing"):
            cls()
    with pytest.raises(TypeError, match=r"^Conv1d.forward\(\) missing 1 required"):
        nn.Conv1d(1, 1, 1)()
    with pytest.raises(TypeError, match=r"^LambdaLR.__init__\(\) got an unexpected keyword"):
        torch.optim.lr_scheduler.LambdaLR(nothing=1)


def test_a_class_of_a_program_inherits_the_copy():
    class Own(nn.Conv2d):
        pass

    with pytest.raises(TypeError, match=r"^Conv2d.forward\(\) missing"):
        Own(1, 1, 1)()


def test_a_method_of_its_own_stays():
    @named_by_subclasses("ask")
    class Base:
        def ask(self):
            return type(self).__name__

    class One(Base):
        def ask(self):
            return "own"

    class Two(Base):
        pass

    assert (One().ask(), Two().ask()) == ("own", "Two")
    assert Two.ask.__qualname__.endswith("Two.ask")


def test_a_copy_has_the_defaults_and_the_closure():
    base = 2

    def power(x, *, to=3):
        """x to a power, times a number."""
        return base * x**to

    made = copy_of(power)
    assert made is not power
    assert (made(2), made.__doc__) == (16, power.__doc__)
