"""Families of operators wait until one of their names is called or asked for."""

import subprocess
import sys
import textwrap

import pytest

START = """
import sys
import minitorch as torch
from minitorch import aten
from minitorch.core.base.formulas import OPS, RAW

def is_there(family):
    return f"minitorch.aten.{family}" in sys.modules

x = torch.tensor([[0.5, 1.0], [2.0, 3.0]])
"""


def run(program: str) -> None:
    """Runs a program in a fresh process, in which no family has been asked for."""
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(program)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_function_of_torch_brings_its_family():
    run("""
        assert not is_there("signal.stft") and "stft" not in vars(torch)
        assert torch.stft is torch.stft and is_there("signal.stft")
    """)


def test_a_method_brings_its_family_and_stays_the_same_object():
    run("""
        row, alias, composite = torch.Tensor.digamma, torch.Tensor.igamma_, torch.Tensor.det
        assert not is_there("elementwise.special") and not is_there("linalg.solving")
        assert x.digamma().shape == (2, 2) and x.det().item() == -0.5
        assert (torch.Tensor.digamma, torch.Tensor.det) == (row, composite)
        assert torch.equal(torch.special.psi(x), x.digamma())
        assert torch.det is not composite and torch.Tensor.igamma_ is alias
    """)


def test_formulas_find_operators_that_wait():
    run("""
        x.requires_grad_()
        assert not is_there("elementwise.special")
        x.digamma().sum().backward()  # whose slope is polygamma
        assert is_there("elementwise.special") and x.grad.shape == (2, 2)
    """)


def test_waiting_methods_are_asked_of_subclasses_by_the_objects_that_programs_hold():
    run("""
        handled = {torch.Tensor.det: "det", torch.Tensor.bincount: "bincount"}

        class Named(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return handled[func]

        y = x.as_subclass(Named)
        assert (y.det(), y.bincount()) == ("det", "bincount")
    """)


def test_a_program_sees_all_names_of_torch():
    run("""
        assert "stft" in dir(torch) and hasattr(torch, "einsum")
        names = {}
        exec("from minitorch import *", names)
        assert names["stft"] is torch.stft and names["float32"] is torch.float32
        assert "os" not in names and "_aten" not in names
    """)


@pytest.mark.parametrize("order", ["aten.WAITING", "reversed(aten.WAITING)"])
def test_after_a_family_was_imported_nothing_stands_in_for_it(order):
    run(f"""
        for family in {order}:
            groups = aten._INDEX[family].items()
            methods, operators, functions = [
                " ".join([names for at, names in groups if place in at]).split() for place in "mof"
            ]
            early = {{name: torch.Tensor.__dict__[name] for name in methods}}
            aten.load(family)
            assert [name for name in operators if OPS.lacks(name) and RAW.lacks(name)] == []
            assert [name for name in functions if not hasattr(torch, name)] == []
            for name, function in early.items():
                assert torch.Tensor.__dict__[name] is function
                become = function.__kwdefaults__.get("_become")
                assert become is None or become[0].__name__ == "_assembled", name
        from minitorch.core.declare.expose import _stand_ins
        assert set(_stand_ins) == set()
    """)


def test_threads_may_call_what_waits_at_once():
    run("""
        from threading import Barrier, Thread

        start, found = Barrier(8), []

        def work():
            start.wait()
            found.append((x.det().item(), torch.fft.fft(x[0]).shape, x.lgamma().shape))

        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(-0.5, (2,), (2, 2))] * 8
    """)
