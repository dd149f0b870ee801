"""torch.hub: where downloads would lie. Nothing is ever downloaded."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, NoReturn

_dir: list[str] = []


def get_dir() -> str:
    """The folder of what was downloaded: as set, else below $TORCH_HOME or the user's cache."""
    if _dir:
        return _dir[0]
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the folder of what was downloaded."""
    _dir[:] = [os.path.expanduser(d)]


def _local(repo: str, source: str) -> Any:
    """The hubconf.py of a folder. NotImplementedError for what must be downloaded."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise NotImplementedError("torch.hub downloads nothing here: use source='local'")
    spec = importlib.util.spec_from_file_location("hubconf.py", os.path.join(repo, "hubconf.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, repo)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(repo)
    return module


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
    """What the function `model` of a folder's hubconf.py makes; source must be 'local'."""
    module = _local(repo_or_dir, source.lower())
    entry = getattr(module, model, None)
    if entry is None or not callable(entry):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return entry(*args, **kwargs)


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.hub.{name} downloads, which nothing does here")


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
) -> NoReturn:
    """Not there: it downloads."""
    _refuse("list")


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
) -> NoReturn:
    """Not there: it downloads."""
    _refuse("help")


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> NoReturn:
    """Not there: it downloads."""
    _refuse("download_url_to_file")


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """The state_dict of a file that is in the folder already; it is not downloaded."""
    from minitorch.serialization import load as load_file

    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    file = os.path.join(folder, file_name or os.path.basename(url.partition("?")[0]))
    if not os.path.exists(file):
        raise NotImplementedError(
            f"torch.hub.load_state_dict_from_url downloads nothing here: put the file at {file}"
        )
    return load_file(file, map_location=map_location, weights_only=weights_only)
