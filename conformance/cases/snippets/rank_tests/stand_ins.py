"""What distributed_test takes from torch.testing._internal, for one machine without a GPU.

Its own common_utils and common_distributed import torch's compilers and test databases. Here are
the names that it uses, so that the tests themselves run as they are. A test that does not apply
ends its process with a status of SKIPS, as torch's do.
"""

import contextlib
import functools
import io
import operator
import os
import sys
import tempfile
import types
import unittest
from typing import NamedTuple

import torch
import torch.distributed as dist


class Skip(NamedTuple):
    """A reason for which a test does not apply: the exit status and a text."""

    exit_code: int
    message: str


SKIPS = {
    name: Skip(code, name)
    for code, name in enumerate(
        ["backend_unavailable", "small_worldsize", "no_cuda", "nccl", "skipIfRocm", "generic"]
        + ["importerror", "odd_worldsize", "no_accelerator", "sandcastle"]
        + [f"multi-gpu-{number}" for number in range(1, 9)],
        start=70,
    )
}


def skipping(reason):
    """A decorator of tests that do not apply."""

    def decorate(function):
        return functools.wraps(function)(lambda *args, **kwargs: sys.exit(SKIPS[reason].exit_code))

    return decorate


def as_it_is(function):
    """Leaves a test alone."""
    return function


def unless(applies, reason):
    """A decorator of tests that apply if a function of the world's size says so."""

    def decorate(function):
        @functools.wraps(function)
        def test(*args, **kwargs):
            if not applies(int(os.environ["WORLD_SIZE"])):
                sys.exit(SKIPS[reason].exit_code)
            return function(*args, **kwargs)

        return test

    return decorate


def with_levels(levels):
    """A decorator of tests that run once with each level of TORCH_DISTRIBUTED_DEBUG."""

    def decorate(function):
        @functools.wraps(function)
        def test(*args, **kwargs):
            before = os.environ.get("TORCH_DISTRIBUTED_DEBUG")
            for level in levels:
                os.environ["TORCH_DISTRIBUTED_DEBUG"] = level
                dist.set_debug_level_from_env()
                result = function(*args, **kwargs)
                dist.barrier()
                if before is not None:
                    os.environ["TORCH_DISTRIBUTED_DEBUG"] = before
            return result

        return test

    return decorate


def check_error_logged(module, text):
    """Checks that the log of a DistributedDataParallel has an error."""
    data = module._get_ddp_logging_data()
    assert data["has_error"], data
    assert text.split("\nException raised from ")[0] in data["error"], data


@contextlib.contextmanager
def captured():
    """What is written to stdout and stderr meanwhile."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


@contextlib.contextmanager
def temporary_file(*args, **kwargs):
    """The name of a file that exists meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "file")
        with open(name, "w"):
            pass
        yield name


def sparse_inputs(rank, sparse_dims=1, dense_dims=0, size=1):
    """A sparse tensor of a rank, with rank + 1 entries."""
    indices = torch.arange(rank + 1).reshape(1, rank + 1)
    more = torch.zeros(sparse_dims - 1, rank + 1, dtype=torch.int64)
    shape = [size] * sparse_dims + [2] * dense_dims
    values = torch.ones([rank + 1] + [2] * dense_dims)
    return torch.sparse_coo_tensor(torch.cat((indices, more)), values, shape)


def sparse_tests(rank, size, num_inputs=1):
    """Inputs of a rank, and their sums over all ranks."""
    tests = []
    for dims in ({}, {"sparse_dims": 2}, {"sparse_dims": 3}, {"dense_dims": 1}, {"dense_dims": 2}):
        make = functools.partial(sparse_inputs, size=size * num_inputs, **dims)
        own = [make(num_inputs * rank + i) for i in range(num_inputs)]
        total = functools.reduce(operator.add, [make(r) for r in range(size * num_inputs)])
        tests.append((own, [total] * num_inputs))
    return tests


def check_equal(x, y, msg=None, *, atol=None, rtol=None, exact_dtype=True, **kwargs):
    """Compares numbers, tensors, and what holds them, as torch's TestCase does."""
    close = {"atol": atol, "rtol": rtol, "exact_dtype": exact_dtype}
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        assert len(x) == len(y), msg or f"{x} and {y}"
        for one, other in zip(x, y):
            check_equal(one, other, msg, **close)
    elif isinstance(x, dict) and isinstance(y, dict):
        assert x.keys() == y.keys(), msg or f"{x} and {y}"
        for name in x:
            check_equal(x[name], y[name], msg, **close)
    elif isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
        x = x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=y.dtype)
        y = y if isinstance(y, torch.Tensor) else torch.as_tensor(y, dtype=x.dtype)
        dense = [each if each.layout == torch.strided else each.to_dense() for each in (x, y)]
        limits = {"atol": atol, "rtol": rtol, "equal_nan": True, "check_dtype": exact_dtype}
        torch.testing.assert_close(*dense, check_device=False, check_stride=False, **limits)
    elif isinstance(x, float) or isinstance(y, float):
        torch.testing.assert_close(x, y, atol=atol, rtol=rtol, equal_nan=True)
    else:
        assert x == y, msg or f"{x} and {y}"


class RankTest(unittest.TestCase):
    """A test that all ranks run, with comparisons of tensors."""

    assertEqual = staticmethod(check_equal)

    @staticmethod
    def assertNotEqual(x, y, msg=None, **kwargs):
        """Checks that check_equal fails."""
        try:
            check_equal(x, y, **kwargs)
        except AssertionError:
            return
        raise AssertionError(msg or f"{x} and {y}")

    @staticmethod
    def assertGreaterAlmostEqual(first, second, places=None, msg=None, delta=None):
        """Checks that a number is not less than another, but for a little."""
        assert first >= second - (delta or 10.0 ** -(places or 7)), msg or f"{first}, {second}"

    @property
    def is_master(self):
        """Whether this is rank 0."""
        return self.rank == 0


class Features:
    """Which backend takes part in what, as common_distributed has it."""

    _ALL = frozenset(("nccl", "gloo", "ucc"))
    skip_collective = {  # noqa: RUF012
        "allgather_coalesced": {"nccl", "mpi", "ucc", "xccl"},
        "reduce": set(),
        "sendrecv anysource": {"nccl", "ucc", "xccl"},
        "cpu barrier": {"nccl", "ucc", "xccl"},
    }
    backend_feature = {  # noqa: RUF012
        **dict.fromkeys(("gpu", "cuda", "ddp", "subgroup"), _ALL),
        "plugin": set(),
    }


UTILS = {
    "FILE_SCHEMA": "file://",
    "instantiate_parametrized_tests": as_it_is,
    **dict.fromkeys(("IS_FBCODE", "IS_MACOS", "IS_SANDCASTLE", "IS_WINDOWS"), False),
    "IS_LINUX": True,
    "TEST_WITH_ROCM": False,
    "skip_but_pass_in_sandcastle": lambda reason: skipping("sandcastle"),
    "skip_but_pass_in_sandcastle_if": lambda condition, reason: (
        skipping("sandcastle") if condition else as_it_is
    ),
    "TemporaryFileName": temporary_file,
}
DISTRIBUTED = {
    "captured_output": captured,
    "cleanup_temp_dir": lambda: None,
    "DistTestCases": Features,
    "init_multigpu_helper": lambda size, backend: {rank: [] for rank in range(size)},
    "initialize_temp_directories": lambda *args: None,
    "MultiProcessTestCase": RankTest,
    "nccl_skip_if_lt_x_gpu": lambda backend, number: as_it_is,
    "require_n_gpus_for_nccl_backend": lambda number, backend: as_it_is,
    "requires_nccl_version": lambda *args: skipping("nccl"),
    "simple_sparse_reduce_tests": sparse_tests,
    "skip_if_lt_x_gpu": lambda number: skipping(f"multi-gpu-{max(number, 1)}"),
    "skip_if_no_gpu": skipping("no_cuda"),
    "skip_if_odd_worldsize": unless(lambda size: size % 2 == 0, "odd_worldsize"),
    "skip_if_rocm_multiprocess": as_it_is,
    "skip_if_small_worldsize": unless(lambda size: size > 2, "small_worldsize"),
    "TEST_SKIPS": SKIPS,
    "verify_ddp_error_logged": check_error_logged,
    "with_dist_debug_levels": with_levels,
    "with_nccl_blocking_wait": as_it_is,
}


def install():
    """Puts the names where distributed_test imports them from."""
    for name, names in {"common_utils": UTILS, "common_distributed": DISTRIBUTED}.items():
        full = f"torch.testing._internal.{name}"
        module = types.ModuleType(full)
        vars(module).update(names)
        sys.modules[full] = module
