"""torch.distributed.rendezvous: from a URL to a store, a rank and the number of ranks."""

from __future__ import annotations

import datetime
import numbers
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlparse, urlunparse

from minitorch._public import outlines
from minitorch.distributed.file_store import FileStore
from minitorch.distributed.reduce_op import default_pg_timeout
from minitorch.distributed.store import PrefixStore, Store
from minitorch.distributed.tcp_store import TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]

Found = Iterator[tuple[Store, int, int]]
_rendezvous_handlers: dict[str, Callable[..., Found]] = {}
# What mpiexec and srun tell a process, where nothing else does.
_RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")


def register_rendezvous_handler(scheme: str, handler: Callable[..., Found]) -> None:
    """Has URLs of a scheme handled by a generator function.

    Raises:
        RuntimeError: the scheme has a handler.
    """
    if scheme in _rendezvous_handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _rendezvous_handlers[scheme] = handler


def _query_to_dict(query: str) -> dict[str, str]:
    pairs = (pair.split("=") for pair in filter(None, query.split("&")))
    return {pair[0]: pair[1] for pair in pairs}


def _get_use_libuv_from_query_dict(query_dict: dict[str, str]) -> bool:
    return query_dict.get("use_libuv", os.environ.get("USE_LIBUV", "1")) == "1"


def _rendezvous_helper(url: str, rank: int, world_size_opt: int | None, **kwargs: Any) -> Found:
    result = urlparse(url)
    world_size = -1 if world_size_opt is None else world_size_opt
    if world_size_opt is None and result.scheme == "env":
        rank = int(os.environ.get("RANK", rank))
        world_size = int(os.environ.get("WORLD_SIZE", world_size))
    if rank != -1 or world_size != -1 or world_size_opt is None:
        query = _query_to_dict(result.query)
        if "rank" in query or "world_size" in query:
            raise AssertionError(
                f"The url: {url} has node-specific arguments(rank, world_size) already."
            )
        if rank != -1:
            query["rank"] = str(rank)
        if world_size != -1 or world_size_opt is None:
            query["world_size"] = str(world_size)
        result = result._replace(query="&".join(f"{k}={v}" for k, v in query.items()))
        url = urlunparse(result)
    if result.scheme not in _rendezvous_handlers:
        raise RuntimeError(f"No rendezvous handler for {result.scheme}://")
    return _rendezvous_handlers[result.scheme](url, **kwargs)


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Found:
    """An iterator of one store, with the rank of this process and the number of ranks.

    Args:
        url: "env://", "tcp://host:port" or "file:///path".
        rank, world_size: where the URL does not say.

    Raises:
        RuntimeError: an argument is of another type, or nothing handles the scheme.
        ValueError: something is missing.
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    if not isinstance(rank, numbers.Integral):
        raise RuntimeError(f"`rank` must be an integer. {rank}")
    if not isinstance(world_size, numbers.Integral):
        raise RuntimeError(f"`world_size` must be an integer. {world_size}")
    return _rendezvous_helper(url, int(rank), int(world_size), **kwargs)


def _create_store_from_options(backend_options: Any, rank: int) -> Store:
    store, _, _ = next(_rendezvous_helper(backend_options.init_method, rank, None))
    return store


def _rendezvous_error(msg: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {msg}")


def _given(query: dict[str, str], kind: str) -> tuple[int, int]:
    """Rank and number of ranks, as a URL tells them."""
    for key, words in (("rank", "rank"), ("world_size", "world size")):
        if key not in query:
            raise _rendezvous_error(f"{kind}:// rendezvous: {words} parameter missing")
    return int(query["rank"]), int(query["world_size"])


def _file_rendezvous_handler(url: str, **kwargs: Any) -> Found:
    result = urlparse(url)
    if not result.path:
        raise _rendezvous_error("file:// rendezvous: path missing")
    rank, world_size = _given(_query_to_dict(result.query), "file")
    yield FileStore(result.path, world_size), rank, world_size
    raise RuntimeError("Unable to perform rerendezvous using file:// method")


def _torchelastic_use_agent_store() -> bool:
    return os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == str(True)


def _create_c10d_store(
    hostname: str,
    port: int,
    rank: int,
    world_size: int,
    timeout: datetime.timedelta,
    use_libuv: bool = True,
) -> Store:
    """A store that rank 0 serves, or the launcher."""
    if not 0 <= port < 2**16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    served = _torchelastic_use_agent_store()
    store = TCPStore(
        hostname,
        port,
        world_size,
        is_master=rank == 0 and not served,
        timeout=timeout,
        multi_tenant=not served,
        use_libuv=use_libuv,
    )
    if not served:
        return store
    attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
    return PrefixStore(f"/worker/attempt_{attempt}", store)


def _tcp_rendezvous_handler(
    url: str, timeout: datetime.timedelta = default_pg_timeout, **kwargs: Any
) -> Found:
    result = urlparse(url)
    if result.port is None:
        raise _rendezvous_error("tcp:// rendezvous: port number missing")
    query = _query_to_dict(result.query)
    rank, world_size = _given(query, "tcp")
    if result.hostname is None:
        raise AssertionError("hostname cannot be None")
    libuv = _get_use_libuv_from_query_dict(query)
    host, port = result.hostname, result.port
    yield _create_c10d_store(host, port, rank, world_size, timeout, libuv), rank, world_size
    raise RuntimeError("Unable to perform re-rendezvous using tcp:// method")


def _launched(names: tuple[str, ...]) -> str | None:
    """The value that mpiexec or srun set for this process; None if neither started it."""
    return next((os.environ[name] for name in names if name in os.environ), None)


def _environment(name: str, other: str | None = None) -> str:
    value = os.environ.get(name) or other
    if not value:
        raise _rendezvous_error(
            f"env:// rendezvous: environment variable {name} expected, but not set"
        )
    return value


def _env_rendezvous_handler(
    url: str, timeout: datetime.timedelta = default_pg_timeout, **kwargs: Any
) -> Found:
    query = _query_to_dict(urlparse(url).query)
    rank = int(query.get("rank") or _environment("RANK", _launched(_RANKS)))
    size = int(query.get("world_size") or _environment("WORLD_SIZE", _launched(_SIZES)))
    # Under mpiexec on one machine nothing need be said.
    by_mpi = _launched(_RANKS) is not None
    host = _environment("MASTER_ADDR", "127.0.0.1" if by_mpi else None)
    port = int(_environment("MASTER_PORT", "29500" if by_mpi else None))
    libuv = _get_use_libuv_from_query_dict(query)
    yield _create_c10d_store(host, port, rank, size, timeout, libuv), rank, size
    raise RuntimeError("Unable to perform re-rendezvous using env:// method")


register_rendezvous_handler("tcp", _tcp_rendezvous_handler)
register_rendezvous_handler("env", _env_rendezvous_handler)
register_rendezvous_handler("file", _file_rendezvous_handler)

__getattr__, __dir__ = outlines.rest_of("torch.distributed.rendezvous")
