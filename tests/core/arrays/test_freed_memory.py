"""Memory that arrays leave, and whether the next ones get it without the system."""

import platform
import subprocess
import sys

import pytest

# Twenty arrays of one megabyte each, again and again: as a step of training makes and frees them.
PROGRAM = """
import resource
import numpy
import minitorch

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [numpy.ones(1 << 20, numpy.uint8) for _ in range(20)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries keep other amounts")
def test_the_arrays_of_a_step_get_the_memory_of_those_before():
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True)
    assert int(done.stdout) < 500  # of 5120 pages; 100 are noise
