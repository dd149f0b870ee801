"""torchrun: starts several processes of a script on this machine, and ends all if one fails.

    python -m minitorch.distributed.run --standalone --nproc-per-node 2 train.py arguments...
    python -m minitorch -m torch.distributed.run --nnodes 2 --node-rank 0 --master-addr HOST ...

The launcher of node 0 serves the store, so that the end of rank 0 takes nothing with it. The
number of nodes is fixed: no node joins later. On one node, all processes are started anew where one
fails, as often as --max-restarts says.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from minitorch._public import outlines
from minitorch.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    ProcessFailure,
    record,
)
from minitorch.distributed.store_server import Server

log = logging.getLogger(__name__)
_LOOK = 0.05  # seconds between two looks at the processes
_OMP = (
    "\n*****************************************\n"
    "Setting OMP_NUM_THREADS environment variable for each process to be "
    "1 in default, to avoid your system being overloaded, "
    "please further tune the variable for optimal performance in "
    "your application as needed. \n"
    "*****************************************"
)
# Options that torch's launcher has and this one refuses, with what they are if they are not given.
_REFUSED = {
    "rdzv_conf": "",
    "event_log_handler": "null",
    "log_dir": None,
    "redirects": "0",
    "tee": "0",
    "local_ranks_filter": "",
    "duplicate_stdout_filters": "",
    "duplicate_stderr_filters": "",
    "logs_specs": None,
    "numa_binding": None,
}


def get_args_parser() -> argparse.ArgumentParser:
    """The parser of the command line. $PET_NNODES and its kin stand for options not given."""
    parser = argparse.ArgumentParser(
        prog="torchrun", description="Torch Distributed Elastic Training Launcher"
    )

    def option(name: str, default: Any, help: str | None = None, **more: Any) -> None:
        names = [f"--{name}"] if "_" not in name else [f"--{name.replace('_', '-')}", f"--{name}"]
        more.setdefault("default", os.environ.get(f"PET_{name.upper()}", default))
        parser.add_argument(*more.pop("short", []), *names, help=help, **more)

    option("nnodes", "1:1", "Number of nodes.")
    option("nproc_per_node", "1", "Number of workers per node: auto, cpu, gpu, or a number.")
    option("rdzv_backend", "static", "static, or c10d for one node.")
    option("rdzv_endpoint", "", "<host>:<port> of the store.")
    option("rdzv_id", "none", "What the job is called.")
    option("standalone", False, "One node, and a free port.", action="store_true")
    option("max_restarts", "0", "How often all workers are started anew.", type=int)
    option("monitor_interval", "0.1", argparse.SUPPRESS)
    option("start_method", "spawn", argparse.SUPPRESS)
    option("role", "default", "What the workers are called.")
    option("module", False, "The script is a module.", action="store_true", short=["-m"])
    option("no_python", False, "The script is no Python.", action="store_true")
    option("run_path", False, argparse.SUPPRESS, action="store_true")
    option("node_rank", "0", "Rank of this node.", type=int)
    option("master_addr", "127.0.0.1", "Where node 0 is.")
    option("master_port", "29500", "Where its launcher serves the store.", type=int)
    option("local_addr", None, argparse.SUPPRESS)
    option("signals_to_handle", "SIGTERM,SIGINT,SIGHUP,SIGQUIT", argparse.SUPPRESS)
    option("shutdown_timeout", "30", "Seconds from SIGTERM to SIGKILL.", type=float)
    for name, default in _REFUSED.items():
        short = {"redirects": ["-r"], "tee": ["-t"]}.get(name, [])
        option(name, default, argparse.SUPPRESS, short=short)
    parser.add_argument("training_script", help="The script, followed by its arguments.")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return parser


def parse_args(args: list[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """The smallest and the largest number of nodes. RuntimeError if it is neither N nor N:M."""
    parts = nnodes.split(":")
    if len(parts) > 2:
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return int(parts[0]), int(parts[-1])


def determine_local_world_size(nproc_per_node: str) -> int:
    """The number of processes of this node. ValueError if it cannot be determined."""
    if nproc_per_node == "gpu":
        # start-up: few launch for devices
        cuda = importlib.import_module("minitorch.cuda")
        if not cuda.is_available():
            raise ValueError("Cuda is not available.")
        return cuda.device_count()
    if nproc_per_node in ("cpu", "auto"):
        return os.cpu_count() or 1
    try:
        return int(nproc_per_node)
    except ValueError:
        raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}") from None


def _check(args: argparse.Namespace) -> int:
    """The number of nodes.

    Raises:
        NotImplementedError: an option is one that minitorch does not have.
    """
    refused = [name for name, default in _REFUSED.items() if getattr(args, name) != default]
    low, high = parse_min_max_nnodes(args.nnodes)
    if low != high:
        refused.append("nnodes MIN:MAX")
    if args.rdzv_backend not in ("static", "c10d"):
        refused.append(f"rdzv_backend {args.rdzv_backend}")
    if args.rdzv_backend == "c10d" and high > 1:
        refused.append("rdzv_backend c10d of several nodes")
    if int(args.max_restarts) and high > 1:
        refused.append("max_restarts of several nodes")
    if refused:
        raise NotImplementedError(
            f"torch.distributed.run with {', '.join(refused)} is not implemented by minitorch"
        )
    return high


def _store(args: argparse.Namespace) -> tuple[str, int, Server | None]:
    """The place of the store, and its server if this launcher serves it."""
    host, port = args.master_addr, args.master_port
    if args.standalone or args.rdzv_backend == "c10d":
        host, port = "localhost", 0
    if args.rdzv_endpoint and not args.standalone:
        host, _, text = (
            args.rdzv_endpoint.rpartition(":")
            if ":" in args.rdzv_endpoint
            else (
                args.rdzv_endpoint,
                "",
                str(port),
            )
        )
        port = int(text)
    if args.node_rank != 0:
        return host, port, None
    try:
        listening = socket.create_server((host, port), backlog=2048)
    except socket.gaierror:  # the host's name is not known here
        listening = socket.create_server(("", port), backlog=2048)
    server = Server(listening)
    server.start()
    return host, server.port, server


def _environment(args: argparse.Namespace, host: str, port: int, sizes: Any) -> dict[str, str]:
    """The environment variables that all workers of this node share."""
    local, nodes = sizes
    run_id = str(uuid.uuid4()) if args.standalone else args.rdzv_id
    told = {
        "GROUP_RANK": args.node_rank,
        "GROUP_WORLD_SIZE": nodes,
        "LOCAL_WORLD_SIZE": local,
        "WORLD_SIZE": local * nodes,
        "ROLE_NAME": args.role,
        "ROLE_WORLD_SIZE": local * nodes,
        "MASTER_ADDR": host,
        "MASTER_PORT": port,
        "TORCHELASTIC_MAX_RESTARTS": args.max_restarts,
        "TORCHELASTIC_RESTART_COUNT": 0,
        "TORCHELASTIC_RUN_ID": run_id,
        "TORCHELASTIC_SIGNALS_TO_HANDLE": args.signals_to_handle,
        "TORCHELASTIC_USE_AGENT_STORE": True,
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": 1,
    }
    return {**os.environ, **{name: str(value) for name, value in told.items()}}


def _command(args: argparse.Namespace, local_rank: int) -> list[str]:
    words = [args.training_script, *args.training_script_args]
    if not getattr(args, "use_env", True):  # torch.distributed.launch
        words.insert(1, f"--local-rank={local_rank}")
    if args.no_python:
        return words
    module = ["-m"] if args.module else []
    return [sys.executable, "-u", "-m", "minitorch", *module, *words]


def run(args: argparse.Namespace) -> None:
    """Starts the processes and waits for them.

    Raises:
        ChildFailedError: one of them did not end well; the others were ended.
        NotImplementedError: an option is one that minitorch does not have.
    """
    sizes = determine_local_world_size(args.nproc_per_node), _check(args)
    if "OMP_NUM_THREADS" not in os.environ and sizes[0] > 1:
        log.warning(_OMP)
        os.environ["OMP_NUM_THREADS"] = "1"
    host, port, server = _store(args)
    common = _environment(args, host, port, sizes)
    handlers = _ended_by_signals(args.signals_to_handle)
    # As torch's, kept: the table of failures names the files in it.
    logs = tempfile.mkdtemp(prefix="torchelastic_")
    logs = tempfile.mkdtemp(prefix=f"{common['TORCHELASTIC_RUN_ID']}_", dir=logs)
    try:
        for attempt in range(int(args.max_restarts) + 1):
            told = {**common, "TORCHELASTIC_RESTART_COUNT": str(attempt)}
            failures = _attempt(args, told, sizes[0], Path(logs) / f"attempt_{attempt}")
            if not failures:
                break
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if server is not None:
            server.close()
    if failures:
        raise ChildFailedError(args.training_script, failures)


def _error_file(logs: Path, local_rank: int) -> str:
    """Where a process writes the exception that ends it."""
    return str(logs / str(local_rank) / "error.json")


def _attempt(
    args: argparse.Namespace, common: dict[str, str], local: int, logs: Path
) -> dict[int, ProcessFailure]:
    """Starts all processes of this node and waits for them; those that failed, by rank."""
    workers: list[subprocess.Popen[bytes]] = []
    first = args.node_rank * local
    try:
        for i in range(local):
            (logs / str(i)).mkdir(parents=True)
            ranks = {"LOCAL_RANK": i, "RANK": first + i, "ROLE_RANK": first + i}
            own = {name: str(value) for name, value in ranks.items()}
            own["TORCHELASTIC_ERROR_FILE"] = _error_file(logs, i)
            workers.append(subprocess.Popen(_command(args, i), env={**common, **own}))
        return _failures(workers, first, args.shutdown_timeout, logs)
    finally:
        _end(workers, args.shutdown_timeout)


def _ended_by_signals(names: str) -> dict[int, Any]:
    """Has signals end the launcher as an exception, so that it ends its workers."""

    def leave(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    known = [getattr(signal, name) for name in names.split(",") if hasattr(signal, name)]
    return {number: signal.signal(number, leave) for number in known}


def _failures(
    workers: list[Any], first: int, limit: float, logs: Path
) -> dict[int, ProcessFailure]:
    """Waits until all processes end, or one not well, which ends the others; those that failed."""
    failures: dict[int, ProcessFailure] = {}
    left = list(enumerate(workers))
    while left:
        time.sleep(_LOOK)
        for i, worker in list(left):
            code = worker.poll()
            if code is None:
                continue
            left.remove((i, worker))
            if code != 0:
                file = _error_file(logs, i)
                failures[first + i] = ProcessFailure(i, worker.pid, code, file)
        if failures and left:
            _end([worker for _, worker in left], limit)
    return failures


def _end(workers: list[Any], limit: float) -> None:
    """Ends processes: by SIGTERM, and by SIGKILL if that is not enough."""
    alive = [worker for worker in workers if worker.poll() is None]
    for worker in alive:
        log.warning("Sending process %s closing signal SIGTERM", worker.pid)
        worker.terminate()
    end = time.monotonic() + limit
    for worker in alive:
        try:
            worker.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


@record
def main(args: list[str] | None = None) -> None:
    """Runs the command line. As torch.distributed.run.main."""
    run(parse_args(args))


__getattr__, __dir__ = outlines.rest_of("torch.distributed.run")

if __name__ == "__main__":
    main()
