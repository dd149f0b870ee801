"""Classes with a __torch_function__ that are no Tensors: functions ask them from the first call."""

import subprocess
import sys
import traceback

import pytest

from minitorch.core.declare.protocols.noticing import Noticing

CLASS = """
class Scalar:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__
"""
IMPORT = "import minitorch as torch\n"
CALL = "\nprint(torch.nn.functional.relu(Scalar()), torch.ones(2) == Scalar())\n"
INNER = CLASS.replace("\n", "\n    ")
IN_FUNCTION = f"\ndef made():\n{INNER}\n    return Scalar\nScalar = made()"


def printed(*command: str) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    "source",
    [
        IMPORT + CLASS + CALL,
        CLASS + IMPORT + CALL,
        IMPORT + IN_FUNCTION + CALL,
        f"{IMPORT}exec({CLASS!r}){CALL}",
    ],
    ids=["after the import", "before the import", "in a function", "in executed text"],
)
def test_class_of_a_script_is_asked(source, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(source)
    assert printed(str(script)) == "relu eq\n"


def test_class_of_an_imported_module_is_asked(tmp_path):
    (tmp_path / "scalars.py").write_text(CLASS)
    script = tmp_path / "script.py"
    script.write_text(f"{IMPORT}from scalars import Scalar{CALL}")
    assert printed(str(script)) == "relu eq\n"


def test_class_of_a_script_that_stands_on_torch_is_asked(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import torch\n{CLASS}{CALL}")
    assert printed("-m", "minitorch", str(script)) == "relu eq\n"


def test_other_classes_leave_functions_alone(tmp_path):
    script = tmp_path / "script.py"
    source = "from minitorch.core.declare.protocols import torch_function\nclass Other: pass\n"
    script.write_text(f"{IMPORT}{source}print(torch_function._asked)\n")
    assert printed(str(script)) == "set()\n"


def test_error_in_the_body_of_a_class_shows_the_frames_of_the_program_alone():
    with pytest.raises(ZeroDivisionError) as caught:

        class Broken:
            1 / 0  # noqa: B018

    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names == [
        "test_error_in_the_body_of_a_class_shows_the_frames_of_the_program_alone",
        "Broken",
    ]


def test_notice_is_given_of_each_class_with_the_method_of_its_own():
    notices = []
    build = Noticing(__build_class__, notices.append)
    namespace = {"__builtins__": {"__build_class__": build}, "__name__": "program"}
    exec("class A: pass\nclass B: pass", namespace)
    assert not notices
    exec("class A: __torch_function__ = None\nclass B(A): pass", namespace)
    assert notices == [namespace["A"]]
    exec("class C: pass\nC.__torch_function__ = None", namespace)
    assert notices == [namespace["A"], None]


def test_names_in_methods_are_no_sign_of_a_class_that_takes_calls_over():
    notices = []
    build = Noticing(__build_class__, notices.append)
    namespace = {"__builtins__": {"__build_class__": build}, "__name__": "program"}
    exec("class A:\n    def f(self): self.__torch_function__", namespace)
    assert not notices


def test_class_of_a_mode_leaves_functions_alone(tmp_path):
    script = tmp_path / "script.py"
    mode = CLASS.replace("class Scalar:", "class Mode(torch.overrides.TorchFunctionMode):")
    taken = "from minitorch.core.declare.protocols import torch_function\n"
    asked = f"{taken}print(torch_function._asked)\n"
    script.write_text(f"{IMPORT}import minitorch.overrides\n{mode}{asked}")
    assert printed(str(script)) == "set()\n"
