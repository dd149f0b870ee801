"""The model of an all-reduce fits the measurements, and predicts buckets."""

import pytest

from minitorch.distributed import model

SHARED = model.NETWORKS["shared memory (measured)"]
ETHERNET = model.NETWORKS["10 GbE"]


def test_the_ring_of_two_ranks_takes_what_was_measured_within_a_third():
    assert model.ring(2, 25e6, SHARED) == pytest.approx(5.2e-3, rel=1 / 3)
    loopback = model.NETWORKS["TCP on loopback (measured)"]
    assert model.ring(2, 25e6, loopback) == pytest.approx(53e-3, rel=1 / 3)


def test_the_ring_loses_where_there_are_many_ranks():
    assert model.ring(16, 25e6, ETHERNET) < 1.1 * model.own(16, 25e6, ETHERNET)
    assert model.ring(1024, 25e6, ETHERNET) > 2 * model.own(1024, 25e6, ETHERNET)


def test_buckets_grow_with_latency_and_shrink_where_there_is_time():
    assert model.bucket(4e-3, 1e9, 1e8) == pytest.approx(2e7)
    assert model.bucket(1e-3, 1e9, 1e8) == pytest.approx(1e7)
    assert model.bucket(1e-3, 1e9, 1e8, backward=0.2) == pytest.approx(1e6)


def test_the_command_prints_a_line_for_each_number_of_ranks(capsys):
    model.main(["--latency", "20e-6", "--bandwidth", "2e9"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("this network: ms")
    assert [line.split()[0] for line in lines[2:]] == "2 4 8 16 32 64 128 256 1024".split()
    with pytest.raises(SystemExit):
        model.main(["--latency", "1e-6"])
