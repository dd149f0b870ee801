"""torch.hub: models that a folder's hubconf.py makes, and files that are fetched once and kept."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import uuid
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import minitorch

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

ENV_GITHUB_TOKEN = "GITHUB_TOKEN"
ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
VAR_DEPENDENCY = "dependencies"
MODULE_HUBCONF = "hubconf.py"
READ_DATA_CHUNK = 128 * 1024
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_hub_dir: str | None = None


# ---- where things lie


def _get_torch_home() -> str:
    """The folder of all that torch keeps: $TORCH_HOME, or `torch` in the user's cache."""
    cache = os.path.join(os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR), "torch")
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, cache))


def get_dir() -> str:
    """The folder of fetched files: the one that was set, else `hub` in torch's home."""
    return os.path.join(_get_torch_home(), "hub") if _hub_dir is None else _hub_dir


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the folder of fetched files."""
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


# ---- models of a folder


@contextmanager
def _add_to_sys_path(path: str) -> Iterator[None]:
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)


def _import_module(name: str, path: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AssertionError(f"failed to load spec from {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check_module_exists(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _check_dependencies(module: Any) -> None:
    """RuntimeError for the packages that a hubconf.py asks for and that are not installed."""
    missing = [
        name
        for name in getattr(module, VAR_DEPENDENCY, None) or ()
        if not _check_module_exists(name)
    ]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")


def _load_entry_from_hubconf(module: Any, model: Any) -> Any:
    """The function of that name in a hubconf.py. RuntimeError if there is none."""
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    _check_dependencies(module)
    entry = getattr(module, model, None)
    if entry is None or not callable(entry):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return entry


def _load_local(hubconf_dir: str, model: str, *args: Any, **kwargs: Any) -> Any:
    """The model that the function `model` of a folder's hubconf.py makes."""
    with _add_to_sys_path(hubconf_dir):
        module = _import_module(MODULE_HUBCONF, os.path.join(hubconf_dir, MODULE_HUBCONF))
        return _load_entry_from_hubconf(module, model)(*args, **kwargs)


def _parse_repo_info(github: str) -> tuple[str, str, str | None]:
    """Owner, name and branch of 'owner/name:branch'; the branch is None if it is not named."""
    repo, _, ref = github.partition(":")
    owner, name = repo.split("/")
    return owner, name, ref or None


def _kept_repo(github: str, function: str, force_reload: bool = False) -> str:
    """The folder in which torch keeps a repository. NotImplementedError if it is to be fetched."""
    owner, name, ref = _parse_repo_info(github)
    folders = [
        os.path.join(get_dir(), "_".join([owner, name, branch.replace("/", "_")]))
        for branch in ([ref] if ref else ["main", "master"])
    ]
    for folder in folders:
        if os.path.exists(folder) and not force_reload:
            return folder
    raise NotImplementedError(
        f"torch.hub.{function} fetches no repository here: put it at {folders[0]}, or load a "
        "folder with source='local'"
    )


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """The model that the function `model` of a hubconf.py makes.

    Args:
        repo_or_dir: a folder for source='local'; 'owner/name[:branch]' for 'github', which must
            have been fetched before.
        model: the function's name; it gets the further arguments.
        source: 'local' or 'github'.

    Raises:
        RuntimeError: there is no such function, or packages that it needs are missing.
        NotImplementedError: the repository would have to be fetched.

    As https://docs.pytorch.org/docs/stable/hub.html.
    """
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        repo_or_dir = _kept_repo(repo_or_dir, "load", force_reload)
    return _load_local(repo_or_dir, model, *args, **kwargs)


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
) -> Any:
    """The names of the functions in the hubconf.py of a repository that was fetched before."""
    folder = _kept_repo(github, "list", force_reload)
    with _add_to_sys_path(folder):
        module = _import_module(MODULE_HUBCONF, os.path.join(folder, MODULE_HUBCONF))
    return [
        name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("_")
    ]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
) -> Any:
    """The docstring of a function in the hubconf.py of a repository that was fetched before."""
    folder = _kept_repo(github, "help", force_reload)
    with _add_to_sys_path(folder):
        module = _import_module(MODULE_HUBCONF, os.path.join(folder, MODULE_HUBCONF))
    return _load_entry_from_hubconf(module, model).__doc__


# ---- files by their URL


class _Faketqdm:
    """The part of a tqdm bar that downloads need, where the package tqdm is not installed.

    total: the final count, if it is known. disable: whether to show nothing.
    """

    def __init__(self, total: float | None = None, disable: bool = False, **_: Any) -> None:
        self.total, self.disable, self.n = total, disable, 0.0

    def update(self, n: float) -> None:
        """Adds n to the count, and shows it."""
        self.n += n
        if not self.disable:
            done = f"{100 * self.n / self.total:.1f}%" if self.total else f"{self.n:.1f} bytes"
            sys.stderr.write(f"\r{done}")
            sys.stderr.flush()

    def set_description(self, *_: Any, **__: Any) -> None:
        """Takes a title, which is not shown."""

    def write(self, s: str) -> None:
        """Writes a line beside the bar."""
        sys.stderr.write(f"{s}\n")

    def close(self) -> None:
        """Shows no more."""
        self.disable = True

    def __enter__(self) -> _Faketqdm:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.disable:
            sys.stderr.write("\n")


def _progress_bar() -> Any:
    """The class tqdm of the package, or the one above."""
    try:
        from tqdm import tqdm
    except ImportError:
        return _Faketqdm
    return tqdm


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # torch.hub.tqdm; the package is imported when it is asked for
        return _progress_bar()
    raise AttributeError(f"module 'torch.hub' has no attribute {name!r}")


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Downloads a URL (file:, https:) into the file `dst`, which appears when it is complete.

    Args:
        hash_prefix: how the SHA-256 of the file must begin; RuntimeError if it does not.
        progress: whether standard error shows how much has arrived.
    """
    from urllib.request import Request, urlopen

    source = urlopen(Request(url, headers={"User-Agent": "torch.hub"}))
    size = int(source.headers.get("Content-Length") or 0)
    target = os.path.expanduser(dst)
    partial = f"{target}.{uuid.uuid4().hex}.partial"
    digest = hashlib.sha256()
    shown: Any = _progress_bar()(
        total=size or None, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024
    )
    try:
        with source, open(partial, "xb") as file, shown:
            while chunk := source.read(READ_DATA_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                shown.update(len(chunk))
        found = digest.hexdigest()
        if hash_prefix is not None and found[: len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
        os.replace(partial, target)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """The object that torch.load reads from the file at a URL.

    The file is fetched unless the folder has it.

    Args:
        model_dir: the folder; by default `checkpoints` in get_dir().
        check_hash: whether the file's name ends with the beginning of its SHA-256: name-abcd.pth.
        file_name: the name in the folder; by default that of the URL.
    """
    from urllib.parse import urlparse

    if os.getenv("TORCH_MODEL_ZOO"):
        warnings.warn(
            "TORCH_MODEL_ZOO is deprecated, please use env TORCH_HOME instead", stacklevel=2
        )
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(urlparse(url).path) if file_name is None else file_name
    kept = os.path.join(folder, name)
    if not os.path.exists(kept):
        sys.stdout.write(f'Downloading: "{url}" to {kept}\n')
        match = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, kept, match.group(1) if match else None, progress=progress)
    if zipfile.is_zipfile(kept) and not _is_torch_archive(kept):
        return minitorch.load(
            _unpacked(kept, folder), map_location=map_location, weights_only=weights_only
        )
    return minitorch.load(kept, map_location=map_location, weights_only=weights_only)


def _is_torch_archive(file: str) -> bool:
    with zipfile.ZipFile(file) as archive:
        return any(name.endswith("/data.pkl") for name in archive.namelist())


def _unpacked(file: str, folder: str) -> str:
    """The one file of a zip archive that torch once put around a file. RuntimeError for others."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) != 1:
            raise RuntimeError("Only one file(not dir) is allowed in the zipfile")
        return archive.extract(members[0], folder)
