"""The time of an all-reduce, by a model: latency, bandwidth, and the adding.

    python -m minitorch.distributed.model                                   networks of a table
    python -m minitorch.distributed.model --latency 20e-6 --bandwidth 2e9   a network of your own
    python -m minitorch.distributed.model --gradients 400e6 --backward 0.3  and the bucket for it

A ring takes 2 (N - 1) steps of n / N bytes, MPI's own algorithms some 2 log2(N). The model tells
which bucket suits a network, and how many ranks gloo's ring is good for. It measures nothing.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import NamedTuple

PIECE = 1 << 18  # bytes that are sent and added at a time
STEP = 6e-6  # seconds that Python takes for a piece: Irecv, Isend, Test, add


class Network(NamedTuple):
    """The network between the ranks.

    latency: seconds a message, with Python's share.
    bandwidth: bytes a second, each way.
    memory: bytes a second that are added.
    """

    latency: float
    bandwidth: float
    memory: float = 10e9


NETWORKS = {
    "shared memory (measured)": Network(4e-6, 5.0e9),
    "TCP on loopback (measured)": Network(15e-6, 0.45e9),
    "10 GbE": Network(30e-6, 1.1e9),
    "100 Gb RDMA": Network(6e-6, 11e9),
}


def ring(ranks: int, size: float, network: Network) -> float:
    """Seconds of an all-reduce of `size` bytes along gloo's ring."""
    chunk = size / ranks
    pieces = STEP * math.ceil(chunk / PIECE)
    step = network.latency + chunk / network.bandwidth + pieces
    return 2 * (ranks - 1) * step + (ranks - 1) * chunk / network.memory


def own(ranks: int, size: float, network: Network) -> float:
    """Seconds of the better of two of MPI's algorithms: halving and doubling, or doubling alone."""
    steps, share = math.ceil(math.log2(ranks)), (ranks - 1) / ranks
    halving = 2 * steps * network.latency + 2 * share * size / network.bandwidth
    halving += share * size / network.memory
    doubling = steps * (network.latency + size / network.bandwidth + size / network.memory)
    return min(halving, doubling)


def bucket(
    latency: float, bandwidth: float, gradients: float, backward: float | None = None
) -> float:
    """The size of bucket in bytes that hides most of the communication behind backward.

    Args:
        latency, bandwidth: of one all-reduce, not of a message.
        gradients: bytes of all gradients.
        backward: seconds of backward; None takes it for shorter than the communication.
    """
    spare = 0.0 if backward is None else backward - gradients / bandwidth
    if spare > latency:  # the smallest one that still fits
        return gradients * latency / spare
    return math.sqrt(gradients * latency * bandwidth)


def _buckets(ranks: int, network: Network, gradients: float, backward: float | None) -> list[float]:
    """The bucket for the ring, and for MPI's own algorithms."""
    latencies = 2 * (ranks - 1) * network.latency, 2 * math.ceil(math.log2(ranks)) * network.latency
    bandwidth = gradients / (ring(ranks, gradients, network) - latencies[0])
    return [bucket(latency, bandwidth, gradients, backward) for latency in latencies]


def table(name: str, network: Network, gradients: float, backward: float | None) -> Iterator[str]:
    """The lines of a network."""
    sizes = {"1 kB": 1e3, "1 MB": 1e6, "25 MB": 25e6, "100 MB": 1e8}
    yield f"{name}: ms, gloo's ring | MPI's own; bucket for {gradients / 1e6:g} MB of gradients"
    yield "ranks" + "".join(f"{size:>20s}" for size in sizes) + "     bucket, MB"
    for ranks in (2, 4, 8, 16, 32, 64, 128, 256, 1024):
        times = "".join(
            f"{ring(ranks, n, network) * 1e3:10.2f} |{own(ranks, n, network) * 1e3:8.2f}"
            for n in sizes.values()
        )
        first, second = _buckets(ranks, network, gradients, backward)
        yield f"{ranks:5d}{times}   {first / 1e6:5.1f} | {second / 1e6:.1f}"


def main(args: list[str] | None = None) -> None:
    """Prints tables, as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m minitorch.distributed.model")
    parser.add_argument("--latency", type=float, help="seconds a message")
    parser.add_argument("--bandwidth", type=float, help="bytes a second, each way")
    parser.add_argument("--gradients", type=float, default=1e8, help="bytes of all gradients")
    parser.add_argument("--backward", type=float, help="seconds of backward")
    given = parser.parse_args(args)
    networks = NETWORKS
    if (given.latency is None) != (given.bandwidth is None):
        parser.error("--latency and --bandwidth go together")
    if given.latency is not None:
        networks = {"this network": Network(given.latency, given.bandwidth)}
    for i, (name, network) in enumerate(networks.items()):
        print("\n" * bool(i) + "\n".join(table(name, network, given.gradients, given.backward)))


if __name__ == "__main__":
    main()
