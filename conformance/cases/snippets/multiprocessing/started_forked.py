"""start_processes with forked processes: how it joins them, and what it raises of them."""

import logging
import os
import pickle
import signal
import sys
import time
import warnings

from shown import clean, part, show

import torch
import torch.multiprocessing as mp


def write(i, x):
    x[i] = i + 1


def fail(i, which, kind=ValueError):
    if i == which:
        raise kind("boom", i)
    time.sleep(60)


def fail_within(i):
    try:
        torch.ones(2) @ torch.ones(3)
    except RuntimeError as error:
        raise KeyError(f"process {i}") from error


def leave(i, code):
    os._exit(code)


def leave_politely(i, code):
    sys.exit(code)


def kill(i, number):
    os.kill(os.getpid(), number)
    time.sleep(60)


def interrupt(i):
    raise KeyboardInterrupt


def wait_for(i, event):
    event.wait()


def refuse_to_end(i):
    if i == 1:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        time.sleep(60)
    raise ValueError("first")


def start(*arguments, **options):
    return mp.start_processes(*arguments, start_method="fork", **options)


def fields(error):
    print("   ", type(error).__module__, type(error).__mro__[1].__name__, error.error_index)
    print(
        "   ",
        error.error_pid > 0,
        getattr(error, "exit_code", "-"),
        getattr(error, "signal_name", "-"),
        error.msg == str(error),
    )
    copied = pickle.loads(pickle.dumps(error))
    print(
        "   ", type(copied).__name__, str(copied) == str(error), copied.error_pid == error.error_pid
    )


def main():
    logging.getLogger("torch.multiprocessing.spawn").setLevel(logging.ERROR)
    part("what ends well")
    x = torch.zeros(3).share_memory_()
    print(start(write, (x,), nprocs=3), x)
    show("daemons", start, write, (x.zero_(),), nprocs=2, daemon=True)
    print(x)
    show("none", start, write, (x,), nprocs=0)
    show("exit code 0", start, leave, (0,))
    show("sys.exit(0)", start, leave_politely, (0,))
    show("interrupted", start, interrupt)

    part("what does not")
    for label, function, arguments, count in (
        ("first", fail, (0,), 1),
        ("second", fail, (1,), 2),
        ("cause", fail_within, (), 1),
        ("exit code", leave, (3,), 1),
        ("sys.exit", leave_politely, (4,), 1),
        ("sys.exit with a text", leave_politely, (None,), 1),
        ("SIGKILL", kill, (9,), 1),
        ("SIGTERM", kill, (15,), 1),
        ("real time", kill, (signal.SIGRTMIN + 1,), 1),
        ("too few arguments", write, (), 1),
        ("own class", fail, (0, Own), 1),
    ):
        try:
            print(label, start(function, arguments, nprocs=count))
        except Exception as error:
            print(f"{label}: {type(error).__name__}: {clean(str(error))}")
            fields(error)

    part("contexts")
    event = mp.get_context("fork").Event()
    context = start(wait_for, (event,), nprocs=2, join=False)
    print(type(context).__module__, type(context).__name__, len(context.pids()))
    print([pid == process.pid for pid, process in zip(context.pids(), context.processes)])
    print(context.join(timeout=0.01), len(context.sentinels), len(context.error_files))
    print([process.is_alive() for process in context.processes])
    event.set()
    while not context.join():
        pass
    print(context.join(), context.sentinels, [process.exitcode for process in context.processes])
    context = start(fail, (1,), nprocs=2, join=False)
    show("fails", context.join)
    print([process.exitcode for process in context.processes])
    print(os.path.basename(context.error_files[0])[:18], os.path.exists(context.error_files[0]))
    print(os.path.exists(context.error_files[1]))
    context = start(refuse_to_end, nprocs=2, join=False)
    show("grace", context.join, grace_period=0.2)
    print(context.processes[0].exitcode)
    show("unknown method", mp.start_processes, write, start_method="nothing")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = mp.SpawnContext([], [])
        print(
            made.join(),
            [clean(str(each.message)) for each in caught],
            isinstance(made, mp.ProcessContext),
        )
    from torch.multiprocessing import spawn as spawn_function

    print(spawn_function is mp.spawn, mp.ENV_VAR_PARALLEL_START)
    module = sys.modules[mp.ProcessContext.__module__]
    print(module.__all__, issubclass(mp.ProcessExitedException, module.ProcessException))
    error = mp.ProcessExitedException("text", 1, 2, 3)
    print(repr(error), error.signal_name, error.args, error.__reduce__()[1])
    show("few", mp.ProcessRaisedException, "text")
    show("named", mp.ProcessRaisedException, msg="text", error_index=0, error_pid=1)


class Own(Exception):
    def __init__(self, text, number):
        super().__init__(f"{text} {number}")


if __name__ == "__main__":
    main()
