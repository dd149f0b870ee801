"""The rules of the house: small files, layers that import downwards, a light import, whole rows."""

import ast
import functools
import importlib.util
import io
import os
import re
import subprocess
import sys
import tokenize
import zipfile
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minitorch"

FULL_FILE = 700  # lines
FULL_WHEEL = 3_100_000  # bytes, of everything that is published

# The first prefix that fits decides; whatever of minitorch is not named here is layer 5.
LAYERS = [
    ("minitorch.core.arrays", 0),
    ("minitorch.core.numbers", 0),
    ("minitorch.core.sampling", 0),
    ("minitorch.core.base", 1),
    ("minitorch.core.graph", 2),
    ("minitorch.core.tensor", 2),
    ("minitorch.core.declare", 3),
    ("minitorch.core", 0),  # the package itself: empty, or the same for all
    ("minitorch.aten", 4),
    ("minitorch", 5),
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
    yield from imports_by_name(source)


def imports_by_name(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of every module that a text imports by import_module("its.name").

    A package's own __getattr__ is left out: it hands out what stands in its folder.
    """
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__" and not node.col_offset:
            continue
        waiting += ast.iter_child_nodes(node)
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        name = getattr(node.args[0], "value", None)
        if called.lstrip("_") == "import_module" and isinstance(name, str) and is_module(name):
            yield node.lineno, name


def imports_within_functions(path: Path) -> Iterator[tuple[int, str]]:
    """The imports of this package's modules within functions: line, and the comment that says why.

    The comment stands at the end of the statement, or in the line above.
    """
    text = path.read_text(encoding="utf-8")
    lines, own = text.splitlines(), {line for line, name in imports_of(path) if is_own(name)}
    for node in statements(ast.parse(text), for_type_checkers):
        if (
            isinstance(node, (ast.Import, ast.ImportFrom))
            and node.col_offset
            and node.lineno in own
        ):
            places = [lines[node.lineno - 1], lines[(node.end_lineno or 0) - 1]]
            if lines[node.lineno - 2].strip().startswith("#"):
                places.append(lines[node.lineno - 2])
            yield node.lineno, " ".join([each.partition("#")[2].strip() for each in places]).strip()


def asked_from_above(path: Path) -> set[str]:
    """The paths that a file asks rooms above for."""
    calls = [
        each
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.Call)
    ]
    return {
        each.args[0].value
        for each in calls
        if getattr(each.func, "id", "").lstrip("_") == "from_above"
    }


def is_own(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE.name


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
    folders = ("minitorch", "tests", "conformance", "benchmarks", "examples", "tools", "docs")
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


# "The same" and "It" have nothing beside them to refer to; "What" and "Whom" leave out the thing.
UNNAMED = re.compile(r"(The same|It|What|Whom|Whose)\b")


def unnamed_openings(files: list[Path]) -> list[str]:
    """The docstrings that do not name their thing first, as `file:line`."""
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    return [
        f"{path}:{line}"
        for path, source in texts.items()
        if re.search(rf'"""{UNNAMED.pattern}', source)  # few sources: to parse all takes 4 s
        for line, text in docstrings(source)
        if UNNAMED.match(text)
    ]


def test_every_docstring_can_be_read_alone():
    # An editor shows one docstring at a time.
    files = sources("minitorch", "tests", "conformance", "benchmarks", "examples", "tools")
    snippets = ROOT / "conformance" / "cases" / "snippets"  # programs as people write them
    assert unnamed_openings([path for path in files if snippets not in path.parents]) == []


def test_a_docstring_that_names_nothing_is_found(tmp_path: Path):
    file = tmp_path / "file.py"
    file.write_text('def f():\n    """What is left."""\n\ndef g():\n    """Whatever, of x."""\n')
    assert unnamed_openings([file]) == [f"{file}:2"]


SECTION = re.compile(r"^( *)(?:Args|Returns|Yields|Raises):$", re.MULTILINE)


def test_sections_of_a_docstring_stand_under_one_another():
    # help() and the pages would show a deeper one as the last argument's text.
    uneven = [
        f"{relative(path)}:{line}"
        for path in sources("minitorch", "tools")
        if SECTION.search(source := path.read_text(encoding="utf-8"))
        for line, text in docstrings(source)
        if len(set(SECTION.findall(text))) > 1
    ]
    assert uneven == []


# Words for people: a sentence about references, threads or classes names those.
PEOPLE = re.compile(r"\b(nobody|whoever)\b", re.IGNORECASE)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every comment of a source."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of the docstrings and comments of a module, or of the lines of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
    elif PEOPLE.search(text):  # few modules: to parse all takes 4 s
        yield from docstrings(text)
        yield from comments(text)


def sentences_about_people(files: list[Path]) -> list[str]:
    return [
        f"{path.name}:{line}" for path in files for line, text in prose(path) if PEOPLE.search(text)
    ]


def test_sentences_name_their_subjects():
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "_site" not in path.parts]
    assert sentences_about_people([*sources("minitorch", "tools", "benchmarks"), *pages]) == []


def test_a_sentence_about_people_is_found_wherever_it_stands(tmp_path: Path):
    module, page = tmp_path / "module.py", tmp_path / "page.md"
    module.write_text(
        'TOLD = "nobody"\n\n\ndef f():\n    """One.\n\n    Whoever asks."""\n    f()  # nobody\n'
    )
    page.write_text("# A page\n\nNobody else holds it.\n")
    assert sentences_about_people([module, page]) == ["module.py:5", "module.py:8", "page.md:3"]


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


# An import within a function hides what a module is made of. Those that remain spare programs that
# do not need them the time that they say. This number only shrinks.
WITHIN_FUNCTIONS = 54


def test_imports_within_functions_are_few_and_say_why():
    found = {path: list(imports_within_functions(path)) for path in sources("minitorch")}
    # The package itself imports its parts within a `with` statement.
    found = {path: each for path, each in found.items() if path != PACKAGE / "__init__.py"}
    bare = [f"{relative(path)}:{at}" for path, each in found.items() for at, why in each if not why]
    assert bare == []
    assert sum(map(len, found.values())) <= WITHIN_FUNCTIONS


def test_a_circle_that_an_import_within_a_function_closes_is_found():
    first, second = (PACKAGE / "core" / "numbers" / f"{name}.py" for name in ("dtype", "size"))
    texts = {
        first: "from minitorch.core.numbers import size",
        second: "def f():\n    from minitorch.core.numbers.dtype import dtype",
    }
    modules = {"minitorch.core.numbers.dtype", "minitorch.core.numbers.size"}
    assert set(circle([first, second], texts)) == modules
    assert circle([first, second], {**texts, second: ""}) == []


def test_a_circle_that_an_import_by_name_closes_is_found():
    first, second = (PACKAGE / "core" / "numbers" / f"{name}.py" for name in ("dtype", "size"))
    by_name = 'import_module("minitorch.core.numbers.dtype")'
    texts = {first: "from minitorch.core.numbers import size", second: f"def f():\n    {by_name}"}
    assert len(circle([first, second], texts)) == 3
    texts[second] = f"def __getattr__(name):\n    {by_name}"
    assert circle([first, second], texts) == []


def test_each_question_to_a_room_above_is_listed_and_each_listed_one_is_asked():
    paths = {path for file in sources("minitorch") for path in asked_from_above(file)}
    script = "import minitorch.core.base.above as above; print(*above.PATHS)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) == paths


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
    """A wheel of this checkout; without the build tools, an archive of its files."""
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
    assert missing == set()
    assert PACKAGE / "py.typed" in files


# ---- functions: small, but for those listed

LONG = 80  # lines of code
DEEP = 5  # levels of nesting
BRANCHED = 30  # branches
# Each with its reason; these lists only shrink.
LONG_FUNCTIONS = {
    "core/graph/fast_walk.py:fast_walk": "a call takes 25 to 50 ns of 1 us a node",
}
DEEP_FUNCTIONS = {
    "core/graph/fast_walk.py:fast_walk": "as above",
}
BRANCHED_FUNCTIONS = {
    "core/graph/fast_walk.py:fast_walk": "as above",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
BRANCHING = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.match_case)


def code_of(function: Function) -> list[ast.stmt]:
    """The statements of a function, without its docstring."""
    return function.body[ast.get_docstring(function) is not None :]


def lines_in(function: Function) -> int:
    body = code_of(function)
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def levels_in(body: list[ast.stmt]) -> int:
    """The depth of nested statements; elif is no level, nor is a function within another."""
    deepest = 0
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, [])
            flat = field == "orelse" and len(inner) == 1 and isinstance(inner[0], ast.If)
            if inner and isinstance(inner[0], (ast.ExceptHandler, ast.match_case)):
                inner = [statement for each in inner for statement in each.body]
            if inner:
                deepest = max(deepest, levels_in(inner) + (not flat))
    return deepest


def branches_in(function: Function) -> int:
    """The number of forks in the code: statements, expressions, comprehensions, and/or."""
    count, stack = 0, list[ast.AST](code_of(function))
    while stack:
        node = stack.pop()
        count += isinstance(node, (*BRANCHING, ast.comprehension))
        count += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        if not isinstance(node, (*Function.__args__, ast.ClassDef, ast.Lambda)):
            stack += ast.iter_child_nodes(node)
    return count


def test_functions_are_small_but_for_those_listed():
    found: dict[str, set[str]] = {"long": set(), "deep": set(), "branched": set()}
    for path in sources("minitorch"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, Function):
                continue
            name = f"{path.relative_to(PACKAGE).as_posix()}:{node.name}"
            if lines_in(node) > LONG:
                found["long"].add(name)
            if levels_in(node.body) > DEEP:
                found["deep"].add(name)
            if branches_in(node) > BRANCHED:
                found["branched"].add(name)
    assert found["long"] == set(LONG_FUNCTIONS)
    assert found["deep"] == set(DEEP_FUNCTIONS)
    assert found["branched"] == set(BRANCHED_FUNCTIONS)


def test_a_function_is_measured_by_lines_levels_and_branches():
    source = (
        'def f(x):\n    """Text."""\n    for y in x:\n        if y and x:\n            pass\n'
        "        elif x:\n            try:\n                z = 1 if y else 2\n"
        "            except E:\n                pass\n    return [a for a in x]\n"
    )
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    assert lines_in(node) == 9
    assert levels_in(node.body) == 3
    assert branches_in(node) == 7


# ---- rooms: what may stand in a folder that others share (docs/decisions/0031-rooms.md)

# Of torch's own, and what programs and packages import of minitorch besides.
TOP = """
    _C _VF __config__ __future__ __init__ __main__ _classes _custom_ops _dynamo _functorch _guards
    _higher_order_ops _jit_internal _library _linalg_utils _lobpcg _lowrank _ops _subclasses _tensor
    _tensor_str _utils _vendor _vmap_internals _weights_only_unpickler accelerator amp ao autograd
    backends compiler
    cpu cuda distributed distributions fft func functional functorch futures fx hub jit library
    linalg masked multiprocessing nested nn onnx optim overrides profiler quasirandom random
    return_types serialization signal sparse special storage testing torch_version types utils
    version
    _public aten core drop_in study
"""
CHAPTERS = """
    creation elementwise indexing layers linalg losses reduction shape signal sparse
"""
ROOMS = {
    "": TOP,
    "core": """
        __init__ arrays base declare graph numbers sampling tensor
        determinism hash_tables public_pickles tables warning warning_filters
    """,
    "core/base": "__init__ above collector deferred fields formulas latches modes naming",
    # The language in which operators are declared; the code made of it has rooms of its own.
    "core/declare": """
        __init__ __main__ calls expose families out registry row schema struct vmap
        codegen general protocols wording
    """,
    # What belongs to no chapter, or to all.
    "aten": f"""
        __init__ chapter index {CHAPTERS}
        absent_devices assertions attributes in_formulas nested other_backends processor
        rare_attributes removed storages
    """,
    "func": "__init__ autograd_function levels mapping rearranging stateless transforms",
    "nn": """
        __init__ _functional _reduction attention common_types functional grad init modules
        nested_attention parallel parameter uninitialized utils
    """,
}
FULL_CHAPTER = 25  # families
DISCOVERED = re.compile(r"found|seldom|corner|fault")  # how a difference was met, not its subject
SUBJECTS = ("operators", "layers", "views", "autograd", "func", "errors")


def modules_in(folder: Path) -> set[str]:
    """The modules and packages of a folder."""
    files = {path.stem for path in folder.glob("*.py")}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


@pytest.mark.parametrize("folder", ROOMS)
def test_a_room_holds_its_own_modules_and_no_others(folder: str):
    assert modules_in(PACKAGE / folder) == set(ROOMS[folder].split())


def test_a_chapter_can_be_read_in_an_afternoon():
    rooms = {name: modules_in(PACKAGE / "aten" / name) - {"__init__"} for name in CHAPTERS.split()}
    sizes = {name: len(families) for name, families in rooms.items()}
    assert {name: n for name, n in sizes.items() if n > FULL_CHAPTER} == {}


def test_tests_stand_where_the_package_does():
    # In the rooms that have rooms; a test of several modules stands above them.
    rooms = {
        path.relative_to(ROOT / "tests").as_posix()
        for name in ("core", "aten", "func", "nn")
        for path in (ROOT / "tests" / name).rglob("*")
        if path.is_dir() and path.name not in ("__pycache__", "samples", "scripts")
    }
    assert {room for room in rooms if not (PACKAGE / room).is_dir()} == set()


def test_no_piece_is_filed_by_how_it_was_found():
    folder = ROOT / "conformance" / "cases" / "snippets"
    files = [path for path in folder.rglob("*.*") if "__pycache__" not in path.parts]
    assert [relative(path) for path in files if DISCOVERED.search(path.stem)] == []
    assert {path.name for path in folder.iterdir()} >= set(SUBJECTS)
