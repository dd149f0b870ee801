"""`import torch` that gets minitorch: on the command line and inside a block."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import minitorch
from minitorch._public.origins import OWN
from minitorch.drop_in import installed_as_torch

ROOT = Path(minitorch.__file__).parent.parent


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`python` with these arguments, in a folder from which minitorch can be imported."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def both(folder: Path, *arguments: str) -> tuple[tuple[str, str, int], tuple[str, str, int]]:
    """The results of plain Python and of `python -m minitorch` for one command line."""
    plain, ours = run(*arguments, folder=folder), run("-m", "minitorch", *arguments, folder=folder)
    return (plain.stdout, plain.stderr, plain.returncode), (
        ours.stdout,
        ours.stderr,
        ours.returncode,
    )


def test_a_script_sees_torch_and_its_modules(tmp_path):
    (tmp_path / "script.py").write_text(
        "import torch\n"
        "import torch.nn as nn\n"
        "import torch.nn.functional as F\n"
        "from torch import optim\n"
        "import minitorch\n"
        "print(torch is minitorch, nn is torch.nn, optim is minitorch.optim)\n"
        "print(type(torch.ones(1)), torch.float32, torch.Size([2]))\n"
    )
    done = run("-m", "minitorch", "script.py", folder=tmp_path)
    assert done.stderr == ""
    assert done.stdout == "True True True\n<class 'torch.Tensor'> torch.float32 torch.Size([2])\n"


def test_a_script_runs_as_python_runs_it(tmp_path):
    (tmp_path / "script.py").write_text(
        "'''doc'''\n"
        "import sys\n"
        "print(__name__, sys.argv, sys.path[0], __file__, __doc__, __package__, __spec__)\n"
        "print(sys.modules['__main__'].__dict__ is globals(), sorted(globals()))\n"
    )
    plain, ours = both(tmp_path, "script.py", "a", "--b")
    assert ours == plain


def test_a_module_runs_as_python_runs_it(tmp_path):
    (tmp_path / "module.py").write_text(
        "import sys\nprint(__name__, sys.argv, sys.path[0], __file__, __spec__.name)\n"
    )
    plain, ours = both(tmp_path, "-m", "module", "a", "--b")
    assert ours == plain


def test_code_runs_as_python_runs_it(tmp_path):
    plain, ours = both(tmp_path, "-c", "import sys; print(sys.argv, sys.path[0], __name__)", "x")
    assert ours == plain


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    raise ValueError('bad')\nf()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
        "import sys\nsys.exit(7)\n",
        "raise SystemExit('bye')\n",
        "x = (\n",
        "import sys\nsys.excepthook = lambda *args: print(args[0], args[2].tb_lineno)\n1 / 0\n",
    ],
)
def test_failures_look_and_exit_as_in_python(tmp_path, source):
    (tmp_path / "script.py").write_text(source)
    plain, ours = both(tmp_path, str(tmp_path / "script.py"))
    assert ours == plain


def test_missing_files_and_modules_are_reported_as_by_python(tmp_path):
    for arguments in (("nowhere.py",), ("-m", "nowhere")):
        plain, ours = both(tmp_path, *arguments)
        assert ours == plain


def test_without_a_script_the_usage_is_shown(tmp_path):
    done = run("-m", "minitorch", folder=tmp_path)
    assert done.returncode == 2
    assert "python -m minitorch script.py" in done.stderr


def test_inside_the_block_torch_is_minitorch_and_afterwards_it_is_not():
    before = {name for name in sys.modules if name.split(".")[0] == "torch"}
    finders = list(sys.meta_path)
    specs = minitorch.__spec__, minitorch.nn.__spec__
    with installed_as_torch() as torch:
        assert torch is minitorch
        assert importlib.import_module("torch.nn") is minitorch.nn
        assert importlib.import_module("torch.autograd.grad_mode").no_grad is minitorch.no_grad
    assert {name for name in sys.modules if name.split(".")[0] == "torch"} == before
    assert sys.meta_path == finders
    assert (minitorch.__spec__, minitorch.nn.__spec__) == specs


def test_what_was_called_torch_before_the_block_is_so_again_after_it(monkeypatch):
    other = type(sys)("torch")
    monkeypatch.setitem(sys.modules, "torch", other)
    with installed_as_torch():
        assert importlib.import_module("torch") is minitorch
    assert sys.modules["torch"] is other


def test_a_missing_module_says_so_in_one_sentence():
    with installed_as_torch():
        with pytest.raises(ModuleNotFoundError) as caught:
            importlib.import_module("torch.nothing.like_this")
        assert caught.value.name in ("torch.nothing", "torch.nothing.like_this")
        with pytest.raises(
            ModuleNotFoundError, match=r"^torch\.nothing is not implemented by minitorch$"
        ):
            importlib.import_module("torch.nothing")


def test_a_name_that_torch_lacks_is_missing_in_torch_s_words():
    assert not hasattr(minitorch, "nothing_like_this")
    with pytest.raises(
        AttributeError, match=r"^module .torch. has no attribute .nothing_like_this.$"
    ):
        minitorch.nothing_like_this  # noqa: B018  (reading it is the test)


@pytest.mark.parametrize(
    "name",
    ["autograd.gradcheck", "autograd.variable", "nn.utils.weight_norm", "nn.utils.spectral_norm"],
)
def test_a_function_keeps_its_name_when_the_module_of_that_name_is_imported(tmp_path, name):
    program = f"import importlib, torch.{name}; module = importlib.import_module('torch.{name}')\n"
    program += f"print(type(torch.{name}).__name__, type(module).__name__)"
    assert run("-m", "minitorch", "-c", program, folder=tmp_path).stdout == "function module\n"


def test_modules_that_torch_has_not_are_not_found_under_its_name(tmp_path):
    own = sorted(OWN - {"__main__"})
    program = f"""import importlib, torch, torch.nn
for name in {own}:
    try:
        importlib.import_module(f"torch.{{name}}")
    except ModuleNotFoundError as error:
        print(error)"""
    said = run("-m", "minitorch", "-c", program, folder=tmp_path).stdout.splitlines()
    assert said == [f"No module named 'torch.{name}'" for name in own]


def test_programs_find_torchs_name_in_it():
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", "-c", "import torch; print(torch.__name__)"],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "torch\n"


def test_programs_find_all_names_of_a_package_in_its_dictionary():
    program = (
        "import torch, torch.distributions\n"
        "assert 'RMSprop' in torch.optim.__dict__\n"
        "assert torch.distributions.__dict__['Normal'] is torch.distributions.Normal\n"
        "assert issubclass(vars(torch.nn)['Conv2d'], torch.nn.Module)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_functorch_is_found_beside_torch():
    with minitorch.installed_as_torch():
        import functorch
        from functorch.experimental import chunk_vmap

        assert functorch.FunctionalModule.__name__ == "FunctionalModule"
        assert chunk_vmap(minitorch.sin)(minitorch.zeros(3)).tolist() == [0.0] * 3
        with pytest.raises(ModuleNotFoundError, match=r"functorch\.dim is not implemented by"):
            importlib.import_module("functorch.dim")
        with pytest.raises(ModuleNotFoundError, match=r"No module named 'torch\.functorch'"):
            importlib.import_module("torch.functorch")
    assert "functorch" not in sys.modules
