"""`import torch` that gets minitorch: for scripts that were written for torch.

    python -m minitorch script.py arguments...      runs a script
    python -m minitorch -m module arguments...      runs a module
    python -m minitorch -c code arguments...        runs a line of code
    python -m minitorch install-as-torch            lets every program of this environment find it

    with minitorch.installed_as_torch():            in a notebook or a test
        import torch

`torch` and `torch.x.y` are then the very modules `minitorch` and `minitorch.x.y`. No other process,
and nothing outside the `with` block, sees any of it; of installing it, installing.py tells.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from minitorch._public.origins import is_nameless, is_own, stand
from minitorch._public.private_names import complete
from minitorch._public.standard_modules import SUBMODULES, hide_all, show_all, show_submodules
from minitorch.core.public_pickles import STANDS

_PREFIX = "torch."
_COMPANION = "functorch"  # a package of torch's own, beside torch


class TorchFinder:
    """Finds `torch` and its sub-modules in minitorch. For sys.meta_path.

    for_children: whether processes that multiprocessing starts anew are to find it as well.
    is_package: whether it answers importlib.metadata for the package torch.
    """

    def __init__(self, for_children: bool = False, is_package: bool = True) -> None:
        self.for_children, self.is_package = for_children, is_package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec that loads torch's `name`, else None. ModuleNotFoundError if it is missing."""
        if name.partition(".")[0] == _COMPANION:
            return _spec(name, f"minitorch.{name}")
        if name.startswith("minitorch."):
            return self._completed(name, path, target)
        if name in SUBMODULES and "torch" in sys.modules:
            spec = self._from_others(name, path, target)
            return _then(spec, show_submodules)
        if name != "torch" and not name.startswith(_PREFIX):
            if name == "multiprocessing.popen_spawn_posix" and self.for_children:
                install_in_children()
            return None
        own = "mini" + name
        if is_own(name) and not _asked_from_here():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return _spec(name, own, renamed=self.for_children or not self.is_package)

    def _completed(self, name: str, path: Any, target: Any) -> ModuleSpec | None:
        """The spec that loads a module of this package, which has torch's names once it has run."""
        spec = self._from_others(name, path, target)
        renamed = self.for_children or not self.is_package
        return spec if is_nameless(name) else _then(spec, lambda module: _finish(module, renamed))

    @staticmethod
    def _from_others(name: str, path: Any, target: Any) -> ModuleSpec | None:
        """The spec of a module that has nothing to do with the name torch."""
        others = [each for each in sys.meta_path if type(each) is not TorchFinder]
        found = (each.find_spec(name, path, target) for each in others)
        return next((each for each in found if each is not None), None)

    def find_distributions(self, context: Any = None) -> list[Any]:
        """The metadata of the package torch for importlib.metadata: version and requirements."""
        if not self.is_package or getattr(context, "name", None) not in (None, "torch"):
            return []
        return [import_module("minitorch._public.distribution").TorchDistribution()]


def _asked_from_here() -> bool:
    """Whether code of this package imports: `from minitorch import x` looks for torch.x, too, where
    the package goes by torch's name."""
    frame: Any = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None and os.path.realpath(frame.f_code.co_filename).startswith(_HERE)


_HERE = os.path.join(os.path.realpath(os.path.dirname(__file__)), "")


def _spec(name: str, own: str, renamed: bool = False) -> ModuleSpec:
    """The spec that loads the module `own` as `name`. ModuleNotFoundError if it is missing."""
    if find_spec(own) is None:
        raise ModuleNotFoundError(f"{name} is not implemented by minitorch", name=name)
    return ModuleSpec(name, Alias(own, renamed))


def _then(spec: ModuleSpec | None, complete: Callable[[ModuleType], None]) -> ModuleSpec | None:
    """The spec, with a loader that calls `complete` with the module that has run."""
    if spec is not None and spec.loader is not None:
        spec.loader = _Completing(spec.loader, complete)
    return spec


class _Completing:
    """Loads a module as another loader does, and completes it."""

    def __init__(self, loader: Any, complete: Callable[[ModuleType], None]) -> None:
        self.loader, self.complete = loader, complete

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module that the other loader makes."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module, and hands it back to its own loader."""
        self.loader.exec_module(module)
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.complete(module)


def _finish(module: ModuleType, renamed: bool) -> None:
    """Completes a module with torch's names; if `renamed`, objects have them from now on."""
    if renamed and not STANDS:
        stand()
        import_module("minitorch._public.public_pickling").install()
    complete(module)


class Alias:
    """Loads a module by handing out one that exists under another name."""

    def __init__(self, own: str, renamed: bool = False) -> None:
        self.own, self.renamed = own, renamed

    def get_code(self, name: str) -> CodeType | None:
        """The code of the module, for `-m torch.distributed.run`."""
        loader: Any = getattr(find_spec(self.own), "loader", None)
        return loader.get_code(self.own) if hasattr(loader, "get_code") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself."""
        self.module = import_module(self.own)
        self.spec = self.module.__spec__
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Undoes what the import system wrote into the module, which has long run.

        Its submodules that are there already get their other names, too. Imported later by these,
        each would take its name in the package from a function: torch.autograd.gradcheck.
        """
        module.__spec__ = self.spec
        _finish(module, self.renamed)
        if self.own == "minitorch":
            show_all()
        below = self.own + "."
        children = [(name, x) for name, x in sys.modules.items() if name.startswith(below)]
        for name, each in children:
            if not is_own(name):
                sys.modules.setdefault(name.removeprefix("mini"), each)
            if not is_nameless(name):
                _finish(each, self.renamed)


def install(for_children: bool = False, is_package: bool = True) -> TorchFinder:
    """Lets `import torch` find minitorch in this process from now on."""
    finder = TorchFinder(for_children, is_package)
    sys.meta_path.insert(0, finder)
    return finder


def stand_for_torch() -> None:
    """Puts minitorch in the place of the installed package torch, while that is being imported."""
    spec: Any = install(is_package=False).find_spec("torch")
    sys.modules["torch"] = module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)


def stand_for_functorch() -> None:
    """Puts minitorch's functorch in the place of the installed package, while it is imported."""
    import_module("torch")
    spec: Any = _spec(_COMPANION, f"minitorch.{_COMPANION}")
    sys.modules[_COMPANION] = module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)


@contextmanager
def installed_as_torch() -> Iterator[ModuleType]:
    """Lets `import torch` find minitorch inside the block, and leaves all as it was before."""
    before = _taken_out()
    finder = install()
    try:
        yield import_module("torch")
    finally:
        sys.meta_path.remove(finder)
        _taken_out()
        hide_all()
        sys.modules.update(before)


def _taken_out() -> dict[str, ModuleType]:
    """The modules called torch, removed from those that are imported."""
    roots = "torch", _COMPANION
    names = [name for name in sys.modules if name.partition(".")[0] in roots]
    return {name: sys.modules.pop(name) for name in names}


# ---- processes that multiprocessing starts anew


class _Standing:
    """Installs minitorch as torch in the process that unpickles it."""

    def __reduce__(self) -> Any:
        return _install_once, ()


def _install_once() -> None:
    if not any(type(each) is TorchFinder for each in sys.meta_path):
        install(for_children=True)


def install_in_children() -> None:
    """Lets processes that are started by 'spawn' or 'forkserver' find minitorch as torch, too.

    What prepares such a process is unpickled there before its main module is imported.
    """
    from multiprocessing import spawn

    plain = spawn.get_preparation_data
    if getattr(plain, "__module__", None) == __name__:
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {"torch": _Standing(), **plain(name)}

    spawn.get_preparation_data = get_preparation_data


# ---- the command line


def main() -> None:
    """Runs the script, module or code that the command line names, as `python` itself would."""
    _, *arguments = sys.argv
    if not arguments or (arguments[0] in ("-m", "-c") and len(arguments) < 2):
        print(__doc__, file=sys.stderr)
        raise SystemExit(2)
    if arguments[0] in ("-h", "--help"):
        print(__doc__)
        return
    if arguments[0] in ("install-as-torch", "uninstall-as-torch"):
        raise SystemExit(import_module("minitorch._public.installing").main(arguments))
    install(for_children=True)
    if arguments[0] == "-m":
        _run_module(arguments[1:])
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path[0] = ""
        _run_code(lambda: compile(arguments[1], "<string>", "exec", dont_inherit=True), None)
    else:
        _run_script(arguments)


def _run_script(arguments: Sequence[str]) -> None:
    path = os.path.abspath(arguments[0])
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        sys.argv = list(arguments)
        _watched(lambda: runpy.run_path(path, run_name="__main__"))
        return
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(
            f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    _run_code(lambda: compile(source, path, "exec", dont_inherit=True), path)


def _run_module(arguments: Sequence[str]) -> None:
    import runpy

    sys.argv = ["-m", *arguments[1:]]
    _emptied_main(None)
    # What `python -m` itself calls: it runs in the true __main__.
    _watched(lambda: runpy._run_module_as_main(arguments[0]))


def _run_code(compiled: Callable[[], CodeType], path: str | None) -> None:
    names = _emptied_main(path)
    _watched(lambda: exec(compiled(), names))


def _emptied_main(path: str | None) -> dict[str, Any]:
    """The names of the module __main__, as they are before a script's first line."""
    names = sys.modules["__main__"].__dict__
    names.clear()
    names.update(
        __name__="__main__",
        __doc__=None,
        __package__=None,
        __loader__=None,
        __spec__=None,
        __annotations__={},
        __builtins__=builtins,
    )
    if path is not None:
        names.update(__file__=path, __cached__=None)
    return names


def _watched(run: Callable[[], Any]) -> None:
    """Calls `run`; an exception is reported as Python does, without the frames of this module."""
    try:
        run()
    except SystemExit:
        raise
    except BaseException as error:
        error.__traceback__ = _from_script(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        _leave(error)


def _from_script(traceback: TracebackType | None) -> TracebackType | None:
    """The part of a traceback behind the last of its leading frames that belong to this module."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


def _leave(error: BaseException) -> NoReturn:
    # 130 is what a shell says of a process that an interrupt ended.
    raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else 1) from None
