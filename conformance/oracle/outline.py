"""Writes the tables of minitorch/_public/outlines: what the modules of torch define, by name alone.

python -m conformance.oracle.outline      writes every table anew, for the torch that is installed
"""

import contextlib
import enum
import importlib
import inspect
import io
import math
import os
import pkgutil
import re
import signal
import sys
import types
import typing
import warnings
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from minitorch._public import outlines
from minitorch._public.private_names import complete

FOLDER = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "outlines"
# A table, and the packages of torch whose modules it has; those with ! without their modules.
TABLES = {
    "distributed": "torch.distributed !torch._C._distributed_c10d !torch._C._distributed_rpc "
    "!torch._C._distributed_autograd",
    "native": "!torch._C !torch._C._functorch !torch._C._onnx "
    + " ".join(
        f"!torch._C.{part}"
        for part in (
            "_acc _aoti _cpu _distributed _dynamo _dynamo.eval_frame _dynamo.guards _dynamo.utils "
            "_export _export.pt2_archive_constants _functionalization _instruction_counter _itt "
            "_jit _jit_tree_views _lazy _lazy_ts_backend _monitor _nativert _nested _profiler _te "
            "_verbose"
        ).split()
    ),
    "compilers": "torch.export torch.onnx torch.nativert torch.package !torch._inductor "
    "!torch._inductor.config !torch._inductor.utils !torch._functorch "
    "!torch._functorch.aot_autograd !torch._dynamo !torch._dynamo.utils !torch._dynamo.exc "
    "!torch._dynamo.eval_frame !torch._dynamo.backends !torch._dynamo.backends.registry "
    "!torch._dynamo.decorators !torch._subclasses !torch._subclasses.fake_tensor !torch._guards "
    "!torch.fx.experimental !torch.fx.experimental.proxy_tensor "
    "!torch.fx.experimental.symbolic_shapes !torch.fx.experimental._config "
    "!torch._export !torch._higher_order_ops !torch._decomp !torch._logging !torch._prims_common "
    "!torch._refs",
    "quantization": "torch.ao torch.quantization torch.nn.intrinsic torch.nn.qat "
    "torch.nn.quantizable torch.nn.quantized",
    "devices": "torch.xpu torch.mps torch.mtia torch.numa torch.monitor !torch.cuda torch.cuda",
    "tools": "torch.utils.viz torch.utils.hipify torch.utils.mobile_optimizer "
    "torch.utils.model_dump torch.utils.throughput_benchmark torch.utils.bundled_inputs "
    "torch.utils.cpp_extension torch.utils.jit torch.utils.cpp_backtrace torch.utils.debug_log "
    "torch.utils.mkldnn torch.utils.file_baton torch.utils.collect_env",
}
# A table of all other modules, with the names that those of minitorch lack; but for the compiler's
# and what torch tests itself with.
OTHERS = "others"
NOT_OTHERS = re.compile(
    r"torch\.(_inductor|_numpy|_vendor|contrib|onnx\._internal|_export\.db)\b"
    r"|torch\.testing\b(?!\._(comparison|creation|utils|internal\.logging_tensor)$)"
    r"|.*\b(__main__|tests?|examples|templates|gen_pyi|_testing|_annotate_cuda_graph_trace)\b"
    r"|torch\.(jit\.unsupported_tensor_ops|distributed\._tools)\b"
)
# Modules of torch's library in C++ that have others in them.
PACKAGES = ("torch._C._dynamo", "torch._C._export")
# Those which answer, or refuse, as torch does where there is no such device.
GROUPS = "torch.distributed.distributed_c10d"
DEVICES = ("torch.xpu", "torch.mps", "torch.mtia", "torch.cuda")
# Functions without parameters that ask something of torch as it is built.
QUESTION = re.compile(
    r"(^|_)(is|has|get|are|can|uses?|should|requires|supported|current|runtime|fbcode)_|(^|_)(is|has)[A-Z]"
    r"|_(enabled|available|supported|version|count|mode|getDeviceCount|init)$"
)
# Questions whose answers are no constants, by the reason: parts of their names, as expressions.
ANSWERS_CHANGE_WITH = {
    "the machine": r"^torch\.(cpu|_C\._cpu|numa.*|profiler.*|utils\.(collect_env|cpp_extension))\. "
    r"_(get|is|has)_cpu_capability num_threads interop hostname free_port nvfuser",
    "the time": r"_(get|is|has)_(approximate_time|thread_name|stack_trace) cache_stats",
    "the graph and the calls that run": r"_(get|is|has)_(current_graph_task|sequence_nr|seq_nr) "
    r"_(get|is|has)_tracing current_node graph_task hooks_get_current _saved_tensors_hooks "
    r"fwd_grad _nesting _tracing sparse_tensor_inv _symbolic ordered_set local_tensor _any_",
    "the modes that a program entered": r"_(get|is|has)_any_autocast _autocast _mode$ _mode_stack "
    r"_dispatch_mode _dispatch_stack _debug_mode fake_tensor_mode torch_function functorch "
    r"_functorch\.",
    "the settings that a program made": r"_(get|is|has)_default_device _(get|is)_(cudnn|mkldnn"
    r"|onednn|cublas|float32|fp32|flash_sdp|math|mem|overrideable|fa3|cudnn_sdp|qengine|nnpack"
    r"|graph_executor|always_warn|backcompat|storage_align) warnAlways multithreading check_nan "
    r"view_replay deterministic anomaly _digits$ grad_enabled tracer_warn dill_ log_level "
    r"_checkpoint_valid onnx_export _nn_module_has",
    "the processes of a group": r"_get_rank$ process_group work_registry _pg_ _barrier_ worker_log",
    "the compiler, for its own modules": r"_inductor\. _C\._dynamo\. _dynamo\.utils\. _lazy\.",
    "the profiler": r"_profiler_enabled should_profile",
    "the call itself, which changes something": r"\b_?(init|set_|increment|decrement) _init$",
}
CHANGING = re.compile("|".join(" ".join(ANSWERS_CHANGE_WITH.values()).split()))
LEFT_OUT = re.compile(
    r".*\.(__main__|tests|templates|examples)\b|torch\.distributed\._shard\.checkpoint\b|torch\.cuda\.amp"
)
# Where torch keeps what the modules of torch.onnx hand on.
BEHIND = "torch.onnx._internal.torchscript_exporter."
PRIVATE = re.compile(
    r"torch\.distributed\._(composable|tensor|shard|functional_collectives|state_dict_utils|"
    r"checkpointable|local_tensor|symmetric_memory|mesh_layout|dist2)$"
    r"|torch\.distributed\._tensor\.[a-z_]+$"
    r"|torch\.distributed\.(algorithms|fsdp|tensor|optim)\._[a-z0-9]+$"
    r"|torch\.distributed\._(composable|shard)\.[a-z_]+$"
    r"|torch\.distributed\.algorithms\._checkpoint\.checkpoint_wrapper$"
    r"|torch\.distributed\.fsdp\._fully_shard$"
)


def modules(package: str) -> Iterator[Any]:
    """Yields a package and the modules in it that can be imported."""
    single = package.startswith("!")
    package = package.lstrip("!")
    try:
        here = importlib.import_module(package)
    except (ImportError, AttributeError, RuntimeError, SystemExit):
        return
    yield here
    if single:
        return
    for each in pkgutil.iter_modules(getattr(here, "__path__", ()), f"{package}."):
        own = each.name.rpartition(".")[2]
        if LEFT_OUT.match(each.name) or (own.startswith("_") and not PRIVATE.match(each.name)):
            continue
        yield from modules(each.name)


def others(known: set[str]) -> Iterator[Any]:
    """Yields the modules of torch that no table has by package."""
    root = Path(importlib.import_module("torch").__file__ or "").parent
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(["torch", *parts]).removesuffix(".__init__")
        if name in known or NOT_OTHERS.match(name):
            continue
        with contextlib.suppress(ImportError, AttributeError, RuntimeError, AssertionError):
            yield importlib.import_module(name)


def public(name: str) -> bool:
    """Returns whether a name has no underscore in front."""
    return not name.startswith("_")


def lacking(module: Any) -> Callable[[str], bool] | None:
    """Returns what tells whether minitorch's module lacks a name. Where it has no such module: any
    name, but those that a private module keeps to itself; None for modules that are not private."""
    try:
        ours = importlib.import_module(f"mini{module.__name__}")
    except ImportError:
        return public if "._" in module.__name__ else None
    complete(ours)

    def lacks(name: str) -> bool:
        try:
            return not hasattr(ours, name)
        except ImportError:  # minitorch has it from a module that this table alone has
            return True

    return lacks


def lines(
    module: Any,
    known: set[str],
    wanted: Callable[[str], bool] | None = None,
    closed: Collection[str] = (),
) -> Iterator[str]:
    """Yields the lines of a module: its own names by kind, and those from other modules.

    wanted: whether a name is wanted; None for all. closed: modules of which only public names are
    known.
    """
    plain: dict[str, list[str]] = defaultdict(list)
    foreign: dict[str, list[str]] = defaultdict(list)
    listed = set(getattr(module, "__all__", ()))
    native = module.__name__.startswith("torch._C")
    for name, thing in sorted(vars(module).items()):
        if name.startswith("__") or isinstance(thing, (types.ModuleType, typing.TypeVar)):
            continue
        if wanted is not None and not wanted(name):
            continue
        home = getattr(thing, "__module__", None)
        if str(home).startswith(BEHIND):
            home = f"torch.onnx.{str(home).removeprefix(BEHIND)}"
        if home != module.__name__ and isinstance(thing, (type, types.FunctionType)):
            if home in known and is_found(str(home), name, thing):
                if public(name) or home not in closed:
                    foreign[home].append(name)
                continue
            if not (str(home).startswith("torch") and (name in listed or not listed)):
                continue
            if not hasattr(module, "__path__") and name not in listed:
                continue
        elif not (
            home == module.__name__
            or name in listed
            or is_constant(name, thing)
            or (native and callable(thing))
        ):
            continue
        kind = line_kind(name, thing)
        if kind is None:
            continue
        if kind == "def" and module.__name__ == GROUPS:
            kind = without_group(thing)
        elif kind == "def" and module.__name__.startswith(DEVICES):
            kind = answer(module.__name__, name, thing)
            if (taken := written_parameters(thing)) is not None:
                plain[f"takes({taken})"].append(name)
        elif kind == "def" and QUESTION.search(name):
            kind = question(module.__name__, name, thing)
        if kind.startswith("class ") and module.__name__.startswith(DEVICES):
            kind += without_device(thing)
        if kind.startswith(("class ", "enum ", "value ")):
            plain[kind].append("")
        else:
            plain[kind].append(name)
    for kind in sorted(plain):
        yield f"{kind} {' '.join(filter(None, plain[kind]))}".strip()
    for home in sorted(foreign):
        yield f"from {home}: {' '.join(foreign[home])}"


def is_found(home: str, name: str, thing: Any) -> bool:
    """Returns whether the module that says to define a thing has it under its own name."""
    if getattr(thing, "__name__", "") != name:
        return False
    return home.startswith("torch.onnx.") or vars(sys.modules[home]).get(name) is thing


def answer(module: str, name: str, function: Any) -> str:
    """Returns how the line begins of a function of a device that is not there."""
    if inspect.isgeneratorfunction(getattr(function, "__wrapped__", None)):
        if (module, name) == ("torch.mps.profiler", "profile"):
            return "enter RuntimeError(Cannot execute profilerStopTrace() without MPS backend.)"
        return absence(module).replace("raise ", "enter ", 1)
    try:
        taken = inspect.signature(function).parameters.values()
        needed = [each for each in taken if each.default is each.empty and each.kind in (0, 1)]
    except ValueError:
        return absence(module)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            given = function(*[0] * len(needed))
    except Exception as error:
        text = str(error.args[0]) if error.args else ""
        known = type(error).__module__ == "builtins" and text and "\n" not in text
        # An error about a 0 where programs put something else means nothing.
        if known and not (needed and isinstance(error, (AttributeError, TypeError, ValueError))):
            return f"raise {type(error).__name__}({text})"
        return absence(module)
    if needed and not name.startswith("manual_seed"):
        return absence(module)
    if isinstance(given, dict) and not given:
        given = {}
    return f"answer({given!r})" if is_plain(given) or given in ([], {}) else absence(module)


def question(module: str, name: str, function: Any) -> str:
    """Returns how the line begins of a function that may ask something of torch as it is built."""
    if CHANGING.search(f"{module}.{name}"):
        return "def"
    try:
        if inspect.signature(function).parameters or inspect.isclass(function):
            return "def"
    except ValueError:  # of C++, which says nothing of them
        pass
    given = apart(function)
    return f"answer({given})" if given else "def"


def apart(function: Any) -> str:
    """Returns the text of what a function answers in a process of its own, which it may end; "" for
    errors and for what no literal stands for."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = ""
        signal.alarm(3)  # some wait for something that never comes
        with contextlib.suppress(BaseException):
            given = function()
            if is_plain(given) or (type(given) in (list, dict) and not given):
                text = repr(given)
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def without_device(thing: type) -> str:
    """Returns the end of the line of a class that only a device can make objects of."""
    if issubclass(thing, BaseException):
        return ""
    try:
        thing()
    except (AssertionError, RuntimeError) as error:
        text = str(error)
        return f" raise {type(error).__name__}({text})" if "\n" not in text else ""
    except Exception:
        return ""
    return ""


def written_parameters(function: Any) -> str | None:
    """Returns the parameters of a function; None where a default cannot be written."""
    try:
        taken = list(inspect.signature(function).parameters.values())
    except ValueError:
        return None
    if not all(each.default is each.empty or is_plain(each.default) for each in taken):
        return None
    bare = [each.replace(annotation=each.empty) for each in taken]
    return str(inspect.Signature(bare)).strip("()")


def without_group(function: Any) -> str:
    """Returns the beginning of a line for a collective function: its error without a group."""
    tensor = importlib.import_module("torch").ones(2)
    values = {"tensor": tensor, "input": tensor, "output": tensor, "obj": 1, "group": None}
    try:
        taken = inspect.signature(function).parameters.values()
        names = [each.name for each in taken if each.default is each.empty and each.kind in (0, 1)]
        if function.__name__.startswith("_") and function.__name__ != "_get_default_group":
            return "def"  # it may well change what the others say
        function(*[values.get(name.removesuffix("_tensor"), [tensor]) for name in names])
    except ValueError as error:
        if str(error).startswith("Default process group has not been"):
            return f"raise ValueError({error})"
    except Exception:
        return "def"
    return "def"


def absence(module: str) -> str:
    """Returns the beginning of a line of functions that say that their device is not there."""
    if module == "torch.cuda.nvtx":
        text = "NVTX functions not installed. Are you sure you have a CUDA build?"
        return f"raise RuntimeError({text})"
    kind = module.split(".")[1]
    return {
        "xpu": "raise AssertionError(Torch not compiled with XPU enabled)",
        "cuda": "raise AssertionError(Torch not compiled with CUDA enabled)",
        "mps": "raise RuntimeError(MPS is not available)",
        "mtia": "raise AssertionError(Torch not compiled with MTIA enabled.)",
    }[kind]


def is_constant(name: str, thing: Any) -> bool:
    """Returns whether a name stands for a number, a text or a tuple of them that a module has."""
    return name.upper() == name and name != "TYPE_CHECKING" and is_plain(thing)


def is_plain(thing: Any) -> bool:
    """Returns whether a literal stands for a value."""
    if type(thing) is tuple:
        return all(map(is_plain, thing))
    if isinstance(thing, float) and not math.isfinite(thing):
        return False
    if isinstance(thing, str) and thing.startswith(sys.prefix):  # a folder of this machine
        return False
    return type(thing) in (bool, int, float, str, type(None)) and len(repr(thing)) < 60


def line_kind(name: str, thing: Any) -> str | None:
    """Returns the line, or the beginning of the line, that describes a thing."""
    if isinstance(thing, type):
        return described_class(name, thing)
    if is_plain(thing):
        return f"value {name} = {thing!r}"
    return "def" if callable(thing) and not is_alias(thing) else "alias"


def is_alias(thing: Any) -> bool:
    """Returns whether a thing describes a type: Optional[int], Callable[..., Any]."""
    return type(thing).__module__ in ("typing", "types") and not inspect.isroutine(thing)


def described_class(name: str, thing: type) -> str:
    """Returns the line of a class: its base, and for an enumeration the members."""
    if issubclass(thing, enum.Enum):
        kind = next(base for base in thing.__mro__ if base.__module__ == "enum").__name__
        members = thing.__members__
        texts = [f"{key}={value.value!r}" for key, value in members.items()]
        if not all(is_plain(value.value) for value in members.values()):
            texts = [f"{key}={number}" for number, key in enumerate(members, 1)]
        return f"enum {name}({kind}): {'; '.join(texts)}".rstrip()
    members = getattr(thing, "__members__", None)
    if isinstance(members, dict):  # an enumeration of C++
        texts = [f"{key}={int(value)}" for key, value in members.items()]
        return f"enum {name}(IntEnum): " + "; ".join(texts)
    base = thing.__bases__[0]
    path = f"{base.__module__}.{base.__qualname__}"
    if base is object or base.__module__ in ("pybind11_builtins", "typing", "abc"):
        return f"class {name}"
    if base.__module__ == "builtins":
        path = base.__name__
        if not issubclass(base, BaseException):
            return f"class {name}"
    elif (
        not base.__module__.startswith("torch")
        or "[" in path
        or "<" in path
        or (path == f"{thing.__module__}.{name}")
    ):
        return f"class {name}"
    return f"class {name}({path})"


def main() -> None:
    """Writes the tables."""
    warnings.simplefilter("ignore")
    found = {
        table: [each for package in packages.split() for each in modules(package)]
        for table, packages in TABLES.items()
    }
    known = {each.__name__ for listed in found.values() for each in listed}
    found[OTHERS] = list(others(known))
    every = known | {each.__name__ for each in found[OTHERS]}
    outlines._TABLES = outlines._TABLES[:-1]  # minitorch lacks what this table alone has
    closed = {each.__name__ for each in found[OTHERS] if lacking(each) is public}
    for table, listed in found.items():
        texts = []
        for module in {each.__name__: each for each in listed}.values():
            mark = "/" if hasattr(module, "__path__") or module.__name__ in PACKAGES else ""
            if table == OTHERS:
                wanted = lacking(module)
                described = list(lines(module, every, wanted, closed))
            else:
                wanted, described = None, list(lines(module, known))
            if described or mark or wanted in (None, public):
                texts.append("\n".join([f"[{module.__name__}{mark}]", *described]))
        path = FOLDER / f"{table}.txt"
        path.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        print(path.name, len(listed), "modules", path.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
