"""Makes CuPy that runs on memory of the host; `__main__.py` runs a command with it."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

VERSION = "14.2.0"
HERE = Path(__file__).parent
COMPILE = ["g++", "-std=c++17", "-fPIC", "-shared", "-w"]
# As driver.cpp compiles kernels: another option, and the header compiled ahead is not used.
KERNELS = ["-std=c++17", "-O1", "-w", "-fpermissive", "-fPIC", "-ffp-contract=off"]
CYTHON = (
    "-3 --cplus -E CUPY_CUDA_VERSION=13020,CUPY_HIP_VERSION=0,CUPY_USE_CUDA_PYTHON=False,"
    "CUPY_CUFFT_STATIC=False -X embedsignature=True -X c_api_binop_methods=True -X binding=False "
    "-X freethreading_compatible=True"
)
# The libraries that are not there: name, soname, the modules of CuPy that call them.
ABSENT = {
    "cusolver": ("libcusolver.so.12", "cupy_backends/cuda/libs/cusolver*.so cupyx/_cusolver*.so"),
    "cusparse": ("libcusparse.so.12", "cupy_backends/cuda/libs/cusparse*.so"),
    "curand": ("libcurand.so.10", "cupy_backends/cuda/libs/curand*.so"),
    "cufft": ("libcufft.so.12", "cupy/cuda/cufft*.so"),
}


def build(folder: Path) -> None:
    """Puts CuPy and the libraries below it into a folder, in a minute or two.

    Takes CuPy's wheel and source from the package index; needs g++ and the headers of CUDA 13.
    """
    for name in ("site", "lib", "cache", "source", "cudahome/include", "cudahome/lib64"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    run([*pip, "site", f"cupy-cuda13x=={VERSION}", "cuda-pathfinder"], folder)
    run([*pip, "cython", "Cython>=3.1,!=3.2.6", "setuptools", "wheel"], folder)
    shutil.copytree(HERE / "include", folder / "include", dirs_exist_ok=True)
    runtime(folder, headers())
    libraries(folder)
    for thrust in (folder / "site/cupy/cuda").glob("thrust*.so"):
        thrust.unlink()
    shutil.copy(HERE / "thrust.py", folder / "site/cupy/cuda/thrust.py")
    kernels = folder / "include/kernels.h"
    own = folder / "site/cupy/_core/include"
    parts = [own / "cupy/_cccl" / name for name in ("cub", "thrust", "libcudacxx")]
    places = [f"-I{each}" for each in (folder / "include", *parts, own)]
    run(["g++", *KERNELS, *places, "-x", "c++-header", kernels, "-o", f"{kernels}.gch"], folder)
    (folder / "ready").touch()


def headers() -> Path:
    """The folder of CUDA's headers: $CUDA_HEADERS, those of NVIDIA's wheels, or the toolkit's."""
    wheels = Path(sysconfig.get_paths()["purelib"]) / "nvidia/cu13/include"
    places = [os.environ.get("CUDA_HEADERS", ""), wheels, "/usr/local/cuda/include"]
    for place in filter(None, places):
        if (Path(place) / "cuda_runtime_api.h").exists():
            return Path(place)
    raise SystemExit("no headers of CUDA 13: pip install nvidia-cuda-runtime, or set CUDA_HEADERS")


def runtime(folder: Path, include: Path) -> None:
    """CuPy's module of the CUDA runtime, compiled again over runtime.cpp."""
    archive = f"cupy-{VERSION}"
    tools = {"PYTHONPATH": f"{folder}/cython", "CUPY_INSTALL_USE_STUB": "1"}
    download = (
        f"-m pip download -q --no-deps --no-binary :all: --no-build-isolation cupy=={VERSION}"
    )
    run([sys.executable, *download.split(), "-d", "source"], folder, **tools)
    run(["tar", "xzf", f"source/{archive}.tar.gz", "-C", "source"], folder)
    source = folder / "source" / archive
    module = "cupy_backends/cuda/api/runtime"
    cython = [sys.executable, "-m", "cython", *CYTHON.split()]
    run([*cython, f"{module}.pyx", "-o", f"{module}.cpp"], source, **tools)
    library = folder / "lib/libfakecudart.so"
    run([*COMPILE, "-O1", f"-I{include}", HERE / "runtime.cpp", "-o", library], folder)
    places = [sysconfig.get_paths()["include"], include, "cupy_backends/cuda", "."]
    made = folder / f"site/{module}{sysconfig.get_config_var('EXT_SUFFIX')}"
    linked = [f"-L{folder}/lib", "-lfakecudart", f"-Wl,-rpath,{folder}/lib"]
    places = [f"-I{each}" for each in places]
    run([*COMPILE, "-O1", *places, f"{module}.cpp", *linked, "-o", made], source)


def libraries(folder: Path) -> None:
    """The libraries that CuPy loads: the driver, the compiler of kernels, cuBLAS, and stubs."""
    site, lib = folder / "site", folder / "lib"
    driver = folder / "driver.cpp"
    driver.write_text((HERE / "driver.cpp").read_text().replace("EMU_FOLDER", str(folder)))
    own = [*COMPILE, "-O2", driver, "-ldl"]
    run([*own, "-Wl,-soname,libcuda.so.1", "-o", lib / "libcuda.so.1"], folder)
    exported = f"-Wl,--version-script={HERE / 'nvrtc.map'}"
    nvrtc = lib / "libnvrtc.so.13"
    run([*own, exported, "-Wl,-soname,libnvrtc.so.13", "-o", nvrtc], folder)
    cublas = site.glob("cupy_backends/cuda/libs/cublas*.so")
    stubs(folder, "cublas", "libcublas.so.13", list(cublas), [HERE / "cublas.cpp"])
    for name, (soname, patterns) in ABSENT.items():
        modules = [each for pattern in patterns.split() for each in site.glob(pattern)]
        stubs(folder, name, soname, modules, [])
    stubs(folder, "cublasLt", "libcublasLt.so.13", [], [])
    for name in ("libnvrtc.so.13", "libcublas.so.13", "libcublasLt.so.13"):
        shutil.copy(lib / name, folder / "cudahome/lib64")
    for header in (folder / "include").glob("*.h"):
        shutil.copy(header, folder / "cudahome/include")
    (folder / "cudahome/include/cuda_runtime_api.h").touch()


def stubs(folder: Path, name: str, soname: str, modules: list[Path], sources: list[Path]) -> None:
    """A library whose functions, but for those of the sources, say that they are not there."""
    found: set[str] = set()
    for module in modules:
        symbols = subprocess.run(["nm", "-D", module], capture_output=True, text=True, check=True)
        found.update(re.findall(rf" U ({name}\w*)", symbols.stdout))
    file = folder / f"stub_{name}.cpp"
    bodies = [
        f'__attribute__((weak)) int {each}() {{ fprintf(stderr, "{each} is not there\\n"); '
        "return 15; }\n"
        for each in sorted(found)
    ]
    file.write_text(f'#include <cstdio>\nextern "C" {{\n{"".join(bodies)}}}\n')
    run([*COMPILE, "-O2", file, *sources, f"-Wl,-soname,{soname}", "-o", f"lib/{soname}"], folder)


def environment(folder: Path) -> dict[str, str]:
    """The variables under which Python finds the built libraries, added to the present ones."""
    site = str(folder / "site")
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(folder / "lib"),
        "PYTHONPATH": os.pathsep.join(filter(None, (site, os.environ.get("PYTHONPATH", "")))),
        "CUDA_PATH": str(folder / "cudahome"),
        "CUPY_CACHE_DIR": str(folder / "cupycache"),
        "CUPY_ACCELERATORS": "",
        "EMU_DIR": str(folder),
    }


def run(command: list, folder: Path, **variables: str) -> None:
    """Runs a command in a folder, and stops where it fails."""
    subprocess.run(list(map(str, command)), cwd=folder, env={**os.environ, **variables}, check=True)
