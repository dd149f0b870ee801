"""Runs torch's own tests of several ranks: python run.py FILE SUBJECT.

FILE is torch's distributed_test.py; the tests whose names begin with test_SUBJECT are run, each by
three processes with gloo, and what became of each is printed.
"""

import faulthandler
import importlib.util
import os
import sys
import tempfile
import time
import traceback
import unittest

os.environ.update(BACKEND="gloo", WORLD_SIZE="3")
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")

import stand_ins  # noqa: E402
import torch  # noqa: E402

RANKS, SECONDS = 3, 60
SKIPS = {each.exit_code for each in stand_ins.SKIPS.values()}


def tests_of(file):
    """The class of all tests of a file."""
    stand_ins.install()
    name = "torch.testing._internal.distributed.distributed_test"
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    class TestDistBackendWithSpawn(module.TestDistBackend, module.DistributedTest._DistTestBase):
        setUp = lambda self: None

        def __init__(self, name):
            super().__init__(name)
            self.skip_return_code_checks = []

        def run_test(self, name, pipe):
            getattr(self, name)()

    return TestDistBackendWithSpawn


def rank(tests, name, number, folder):
    """Runs a test as one of its ranks; the exit status."""
    os.environ.update(RANK=str(number), TEMP_DIR=folder)
    os.environ["INIT_METHOD"] = f"file://{folder}/init_dir/shared_init_file"
    faulthandler.dump_traceback_later(SECONDS - 5, exit=True)
    torch.manual_seed(1234)
    try:
        tests(name)
        tests._run(number, name, f"{folder}/file", None)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except unittest.SkipTest:
        return stand_ins.SKIPS["generic"].exit_code
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def result(tests, name):
    """What became of a test: passed, skipped or failed."""
    with tempfile.TemporaryDirectory() as folder:
        for each in ("barrier", "test_dir", "init_dir"):
            os.mkdir(os.path.join(folder, each))
        children = []
        for number in range(RANKS):
            child = os.fork()
            if not child:
                log = os.open(os.path.join(folder, f"log{number}"), os.O_CREAT | os.O_WRONLY)
                os.dup2(log, 1)
                os.dup2(log, 2)
                code = rank(tests, name, number, folder)
                sys.stderr.flush()
                os._exit(code)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        if all(code == 0 for code in codes):
            return "passed"
        if all(code in SKIPS for code in codes):
            return "skipped"
        for number in range(RANKS):
            with open(os.path.join(folder, f"log{number}")) as log:
                print(log.read()[-2000:], file=sys.stderr)
        return "failed"


def main(file, subject):
    """Runs the tests of a subject."""
    tests = tests_of(file)
    for name in sorted(each for each in dir(tests) if each.startswith(f"test_{subject}")):
        start = time.monotonic()
        print(name, result(tests, name), flush=True)
        print(name, round(time.monotonic() - start, 1), "s", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
