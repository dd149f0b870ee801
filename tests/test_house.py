"""The rules of the house: small files, layers that import downwards only, a light import."""

import ast
import functools
import importlib.util
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minitorch"

FULL_FILE = 700  # lines
FULL_WHEEL = 3_000_000  # bytes, of everything that is published

# The first prefix that fits decides; whatever of minitorch is not named here is layer 4.
LAYERS = [
    ("minitorch.core.arrays", 0),
    ("minitorch.core.numbers", 0),
    ("minitorch.core.sampling", 0),
    ("minitorch.core.graph", 1),
    ("minitorch.core.tensor", 1),
    ("minitorch.core.declare", 2),
    ("minitorch.core", 0),  # the package itself: empty, or the same for all
    ("minitorch.aten", 3),
    ("minitorch", 4),
]
BELOW_CORE = {"cupy", "cupyx", "ml_dtypes", "numpy", "scipy", *sys.stdlib_module_names}
NOT_AT_IMPORT = {"cupy", "ml_dtypes", "mpi4py", "rich", "scipy", "torch"}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def layer_of(module: str) -> int:
    return next(n for name, n in LAYERS if module == name or module.startswith(f"{name}."))


def for_type_checkers(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    names = [getattr(x, "id", getattr(x, "attr", None)) for x in ast.walk(node.test)]
    return "TYPE_CHECKING" in names


def statements(node: ast.AST, skipped: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """The statements below `node`, and what holds statements, but for those that are skipped."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)) and not skipped(child):
            yield child
            yield from statements(child, skipped)


@functools.cache  # to parse a file takes 5 ms
def imports_of(path: Path) -> list[tuple[int, str]]:
    """Line and full name of every module that a file imports, inside functions too."""
    return list(imports(path, path.read_text(encoding="utf-8")))


def imports(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file of this text imports."""
    package = module_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in statements(ast.parse(source), for_type_checkers):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                full = f"{origin}.{alias.name}"
                yield node.lineno, full if is_module(full) else origin


def backward_imports(path: Path, source: str | None = None) -> list[str]:
    """The imports of a file that reach a higher layer than its own."""
    own = layer_of(module_of(path))
    found = imports_of(path) if source is None else imports(path, source)
    return [
        f"{relative(path)}:{line} is layer {own} and imports {name}, layer {layer_of(name)}"
        for line, name in found
        if name.split(".")[0] == "minitorch" and layer_of(name) > own
    ]


def test_no_file_is_longer_than_a_full_page():
    folders = ("minitorch", "tests", "conformance", "benchmarks", "examples", "docs")
    files = [
        path
        for folder in folders
        for pattern in ("*.py", "*.md", "*.toml")
        for path in (ROOT / folder).rglob(pattern)
    ]
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lengths.items() if n > FULL_FILE} == {}


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring of a source."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(source)
    for node in (tree, *statements(tree, lambda child: False)):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text


def test_every_docstring_can_be_read_alone():
    # An editor shows one docstring at a time: "The same" has nothing beside it to refer to.
    files = sources("minitorch", "tests", "conformance", "benchmarks", "examples")
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    found = [
        f"{relative(path)}:{line}"
        for path, source in texts.items()
        if "The same" in source  # few sources: to parse all takes 4 s
        for line, text in docstrings(source)
        if text.startswith("The same")
    ]
    assert found == []


def test_imports_go_down_the_layers_and_never_back():
    # A __main__ is a program's front door: it stands outside the house and may enter any room.
    files = [path for path in sources("minitorch") if path.name != "__main__.py"]
    assert [line for path in files for line in backward_imports(path)] == []


def test_an_import_up_the_layers_is_found_however_it_is_spelled():
    path = PACKAGE / "core" / "numbers" / "example.py"
    for source in (
        "import minitorch.core.graph",
        "from minitorch.core import graph",
        "from .. import graph",
        "from ..graph import anything",
        "def late():\n    from minitorch import nn",
    ):
        assert len(backward_imports(path, source)) == 1, source
    for source in (
        "from ..arrays import anything",
        "from . import anything",
        "import numpy",
        "if TYPE_CHECKING:\n    from minitorch.core.graph import anything",
    ):
        assert backward_imports(path, source) == [], source


def circle(files: list[Path], texts: dict[Path, str] | None = None) -> list[str]:
    """Modules that import one another in a circle, within functions too; none if there is none."""
    modules = {module_of(path): path for path in files}
    found = {
        name: imports(path, texts[path]) if texts else imports_of(path)
        for name, path in modules.items()
    }
    graph = {
        name: {other for _, other in each if other in modules} - {name}
        for name, each in found.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("folder", ["minitorch", "conformance"])
def test_no_modules_import_one_another_in_a_circle(folder):
    assert circle(sources(folder)) == []


def test_a_circle_that_an_import_within_a_function_closes_is_found():
    first, second = (PACKAGE / "core" / "numbers" / f"{name}.py" for name in ("dtype", "size"))
    texts = {
        first: "from minitorch.core.numbers import size",
        second: "def f():\n    from minitorch.core.numbers.dtype import dtype",
    }
    modules = {"minitorch.core.numbers.dtype", "minitorch.core.numbers.size"}
    assert set(circle([first, second], texts)) == modules
    assert circle([first, second], {**texts, second: ""}) == []


def test_core_stands_on_the_array_libraries_alone():
    found = [
        f"{relative(path)}:{line} {name}"
        for path in sources("minitorch/core")
        if path.name != "__main__.py"
        for line, name in imports_of(path)
        if name.split(".")[0] not in BELOW_CORE and not name.startswith("minitorch.core")
    ]
    assert found == []


def test_neither_the_package_nor_its_tests_import_torch():
    found = [
        f"{relative(path)}:{line}"
        for path in sources("minitorch", "tests")
        if path.parent.name != "scripts"  # which `python -m minitorch` runs
        for line, name in imports_of(path)
        if name.split(".")[0] == "torch"
    ]
    assert found == []


def test_import_minitorch_loads_nothing_heavy():
    script = "import sys, minitorch; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert {"minitorch", "numpy"} <= loaded
    assert loaded & NOT_AT_IMPORT == set()


def test_import_minitorch_loads_nothing_of_distributed():
    script = "import sys, minitorch; print(*(x for x in sys.modules if 'distributed.' in x))"
    command = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout; without the build tools, an archive of what it would hold."""
    folder = tmp_path_factory.mktemp("wheel")
    if importlib.util.find_spec("build") and importlib.util.find_spec("hatchling"):
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
        subprocess.run([*command, ROOT], capture_output=True, check=True)
        return next(folder.glob("*.whl"))
    with zipfile.ZipFile(folder / "minitorch.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in PACKAGE.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, relative(path))
    return folder / "minitorch.whl"


def test_the_wheel_is_small(wheel: Path):
    assert wheel.stat().st_size <= FULL_WHEEL


def test_the_wheel_holds_every_module_and_stub(wheel: Path):
    files = [path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".pyi", ".typed"}]
    with zipfile.ZipFile(wheel) as archive:
        missing = {relative(path) for path in files} - set(archive.namelist())
    assert missing <= {f"minitorch/core/declare/{name}.py" for name in ("index", "stubs")}
    assert PACKAGE / "py.typed" in files
