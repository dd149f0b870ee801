"""python -m benchmarks [--only NAME] [--quick] [--json FILE]: speed as ratios to real torch.

With --sweep: every operator of op_db and every optimizer, by size and kind (see its --help).

Exit status 1 if a row is over its budget, which is for one thread.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import chain, large, processes, ranks, study, tiny, training
from .measure import QUICK, Case, Effort, library, race, use_threads
from .table import Row, geometric_mean, head, line, row


@dataclass(frozen=True)
class Run:
    """A run of the benchmarks, as the command line asks for it."""

    implementation: str
    quick: bool

    def measured(self, case: Case, name: str = "") -> Row:
        """Times one case with both libraries and, where there is one, its floor."""
        libraries = [library(self.implementation), library("torch")]
        samplers = [case.build(module) for module in libraries]
        if case.floor:
            samplers.append(case.floor())
        ours, torch, *floor = race(samplers, case.sample, QUICK if self.quick else Effort())
        return row(name or case.name, ours, torch, *floor, per=case.per)

    def group(self, name: str, cases: list[Case]) -> Iterator[Row]:
        """The cases one by one, then their geometric mean."""
        rows = []
        for case in cases:
            rows.append(self.measured(case, f"  {case.name}"))
            yield rows[-1]
        yield geometric_mean(f"{name}: geometric mean", rows)


def imports(run: Run) -> Iterator[Row]:
    with processes.installed(run.implementation) as ours, processes.installed("torch") as torch:
        commands = [processes.importing(name) for name in (run.implementation, "torch", "numpy")]
        times, memory = processes.race(commands, [ours, torch, torch], 3 if run.quick else 12)
    yield row("import", *times)
    yield row("import: memory", *memory, unit="B")


def scripts(run: Run) -> Iterator[Row]:
    with processes.installed(run.implementation) as ours, processes.installed("torch") as torch:
        for name in processes.SCRIPTS:
            commands = [
                processes.script(name, run.implementation),
                processes.script(name, "torch"),
                processes.script(f"{name}_numpy", "torch"),
            ]
            times, memory = processes.race(commands, [ours, torch, torch], 2 if run.quick else 8)
            yield row(f"script {name}: time", *times)
            yield row(f"script {name}: memory", *memory, unit="B")


def forward(run: Run) -> Iterator[Row]:
    yield from run.group("forward (3,3) without grad", tiny.FORWARD)
    yield from run.group("forward (3,3) with grad", tiny.FORWARD_WITH_GRAD)


def backward(run: Run) -> Iterator[Row]:
    yield from run.group("backward per node", tiny.BACKWARD)


def graph(run: Run) -> Iterator[Row]:
    yield run.measured(tiny.GRAPH)


def mlp(run: Run) -> Iterator[Row]:
    for case in training.TINY_MLP:
        yield run.measured(case)


def mnist(run: Run) -> Iterator[Row]:
    for case in training.MNIST_MLP:
        yield run.measured(case)


def lenet(run: Run) -> Iterator[Row]:
    yield run.measured(training.LENET)


def char_lstm(run: Run) -> Iterator[Row]:
    yield run.measured(training.CHAR_LSTM)


def resnet(run: Run) -> Iterator[Row]:
    yield run.measured(training.RESNET_BLOCK)


def gpt(run: Run) -> Iterator[Row]:
    yield run.measured(training.SMALL_GPT)


def adam(run: Run) -> Iterator[Row]:
    yield run.measured(training.ADAM)


def double(run: Run) -> Iterator[Row]:
    yield run.measured(training.DOUBLE_BACKWARD)


def large_tensors(run: Run) -> Iterator[Row]:
    for case in large.CASES:
        yield run.measured(case)


def data(run: Run) -> Iterator[Row]:
    yield run.measured(training.DATA_LOADER)


def chains(run: Run) -> Iterator[Row]:
    names = [run.implementation, "torch"]
    lengths = chain.LENGTHS[:-1] if run.quick else chain.LENGTHS
    per_node: dict[int, list[dict[str, float]]] = {}
    for nodes in lengths:
        ours, torch = per_node[nodes] = chain.race(names, nodes, 1 if run.quick else 3)
        for part in ("forward", "backward"):
            name = f"  chain of 1e{len(str(nodes)) - 1}: {part} per node"
            yield row(name, chain.timing(ours[part]), chain.timing(torch[part]))
    longest = per_node[lengths[-1]]
    for part, unit in (("release", "s"), ("memory", "B")):
        yield row(
            f"chain: {part} per node", *(chain.timing(own[part]) for own in longest), unit=unit
        )
    power = len(str(lengths[-1])) - 1
    for part in ("forward", "backward"):
        growth = [own[part] / shorter[part] for own, shorter in zip(longest, per_node[10_000])]
        name = f"chain: {part}, 1e{power} against 1e4"
        yield row(name, *map(chain.timing, growth), unit="x")


def recordings(run: Run) -> Iterator[Row]:
    libraries = [library(run.implementation), library("torch")]
    for name, (ours, torch), unit in study.rows(libraries, 10 if run.quick else 200):
        yield row(name, ours, torch, unit=unit)


def two_ranks(run: Run) -> Iterator[Row]:
    yield from ranks.rows(run.implementation, 1 if run.quick else 4)


GROUPS: dict[str, Callable[[Run], Iterator[Row]]] = {
    "import": imports,
    "scripts": scripts,
    "forward": forward,
    "backward": backward,
    "graph": graph,
    "mlp": mlp,
    "mnist": mnist,
    "lenet": lenet,
    "resnet": resnet,
    "lstm": char_lstm,
    "gpt": gpt,
    "adam": adam,
    "double": double,
    "large": large_tensors,
    "data": data,
    "chain": chains,
    "study": recordings,
    "ranks": two_ranks,
}


def main() -> int:
    if "--sweep" in sys.argv:
        from .sweep.__main__ import main as sweep  # which takes seconds to import

        return sweep([each for each in sys.argv[1:] if each != "--sweep"])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        choices=GROUPS,
        metavar="NAME",
        help=f"this group of rows alone, repeatable: {', '.join(GROUPS)}",
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples: a first look")
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="of both libraries, by wall time where there are several: for a quiet machine",
    )
    parser.add_argument("--json", metavar="FILE", help="write the rows to a file as well")
    parser.add_argument(
        "--impl",
        default="minitorch",
        metavar="MODULE",
        help="what is compared with torch (torch itself shows the noise)",
    )
    options = parser.parse_args()
    run = Run(options.impl, options.quick)
    use_threads(options.threads)

    print(head(run.implementation), flush=True)
    rows: list[Row] = []
    for name in options.only or GROUPS:
        for found in GROUPS[name](run):
            rows.append(found)
            print(line(found), flush=True)
    over = [found.name for found in rows if found.over and options.threads == 1]
    print(f"\n{len(over)} over budget" + "".join(f"\n  {name}" for name in over))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([found.as_dict() for found in rows], file, indent=1)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
