"""The conditions under which both libraries compute: instruction sets, and threads.

torch, MKL, oneDNN, NumPy and OpenBLAS choose their kernels by the processor when they are loaded,
and read from the environment which they may use. So `conformance/__init__.py` sets that first. What
each variable moves, and which values hold torch to one result on every processor since AVX2, is
measured in docs/decisions/0017-one-verdict-on-any-processor.md.
"""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PINNED = "pinned"
OPTION = "--isa"
MATRIX = "matrix"  # not a setting: a run under each of them
NO_AVX512 = "X86_V4 AVX512_ICL AVX512_SPR"  # as NumPy calls its dispatched loops


class Setting(NamedTuple):
    """Variables of the environment, and what the processor must have for them to make sense."""

    variables: dict[str, str]
    needs: tuple[str, ...] = ()  # flags as Linux names them


AVX512 = ("avx512f", "avx512bw", "avx512dq", "avx512vl")
SETTINGS = {
    PINNED: Setting(
        {
            "ATEN_CPU_CAPABILITY": "avx2",
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "MKL_CBWR": "COMPATIBLE",
            "OPENBLAS_CORETYPE": "Haswell",
            "NPY_DISABLE_CPU_FEATURES": NO_AVX512,
        },
        ("avx2", "fma"),
    ),
    "native": Setting({}),
    "aten-default": Setting({"ATEN_CPU_CAPABILITY": "default"}),
    "avx2": Setting(
        {
            "ATEN_CPU_CAPABILITY": "avx2",
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        },
        ("avx2", "fma"),
    ),
    "avx512": Setting(
        {"ATEN_CPU_CAPABILITY": "avx512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE"}, AVX512
    ),
    "onednn-all": Setting({"ONEDNN_MAX_CPU_ISA": "ALL"}),
    "openblas-haswell": Setting({"OPENBLAS_CORETYPE": "Haswell"}, ("avx2", "fma")),
    "openblas-skylakex": Setting({"OPENBLAS_CORETYPE": "SkylakeX"}, AVX512),
    "openblas-zen": Setting({"OPENBLAS_CORETYPE": "Zen"}, ("avx2", "fma")),
    "numpy-avx2": Setting({"NPY_DISABLE_CPU_FEATURES": NO_AVX512}),
    "numpy-sse": Setting({"NPY_DISABLE_CPU_FEATURES": f"X86_V3 {NO_AVX512}"}),
    "threads-2": Setting({"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}),
    "threads-4": Setting({"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"}),
}
# The defaults of every setting.
COMMON = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "KINETO_LOG_LEVEL": "7",  # torch's profiler writes to the terminal
}
CHOOSING = sorted({name for setting in SETTINGS.values() for name in setting.variables})


def asked_for(arguments: Sequence[str]) -> str:
    """Returns the setting that a command line names; the pinned one where it names none."""
    for number, word in enumerate(arguments):
        if word == OPTION:
            return "".join(arguments[number + 1 : number + 2])
        if word.startswith(f"{OPTION}="):
            return word.removeprefix(f"{OPTION}=")
    return PINNED


def impose(name: str) -> None:
    """Sets the environment of this process, before the libraries are loaded.

    `native` leaves instruction sets to the libraries, and to the user's own variables. A name that
    is no setting is left to the command line to refuse.
    """
    os.environ.update(COMMON)
    if name in SETTINGS and is_x86():
        os.environ.update(SETTINGS[name].variables)


def unset() -> dict[str, str]:
    """Returns this process's environment without the variables that settings choose."""
    return {name: value for name, value in os.environ.items() if name not in (*CHOOSING, *COMMON)}


def is_x86() -> bool:
    """Whether the settings mean this kind of processor."""
    return platform.machine().lower() in ("x86_64", "amd64")


def lacking(name: str) -> list[str]:
    """Returns the instruction sets of a setting that this processor does not have."""
    flags = _cpu_info("flags").split()
    return [flag for flag in SETTINGS[name].needs if flags and flag not in flags]


def processor() -> str:
    """Returns the processor's name, with its instruction sets where they are known."""
    name = _cpu_info("model name") or platform.processor() or platform.machine()
    flags = [flag for flag in _cpu_info("flags").split() if flag.startswith(("avx", "amx", "fma"))]
    return f"{name} ({' '.join(flags)})" if flags else name


def chosen() -> dict[str, str]:
    """Returns the variables that speak of the conditions, as this process has them."""
    names = [*CHOOSING, *COMMON]
    return {name: os.environ[name] for name in dict.fromkeys(names) if name in os.environ}


def described() -> str:
    """Returns the conditions as one line: the variables, and the processor."""
    variables = " ".join(f"{name}={value!r}" for name, value in chosen().items())
    return f"{variables} on {processor()}"


def _cpu_info(field: str) -> str:
    """Returns a field of the first processor that Linux lists; nothing elsewhere."""
    file = Path("/proc/cpuinfo")
    for line in file.read_text().splitlines() if file.exists() else ():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return ""
