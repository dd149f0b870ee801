"""The sources of other cases find planted faults, and none where there are none."""

import sys
from inspect import Parameter

import pytest
import torch
from torch.nn.utils import parametrize, prune

import minitorch
from conformance.cases import checkpoints, printing, public_names, random_numbers, scripts
from conformance.cases.pieces import FOLDER, pieces
from conformance.cases.sources import SOURCES, Unit, cases, source
from conformance.differ.compare import Grade
from conformance.examine import examine
from conformance.options import Options
from conformance.oracle import stubs
from conformance.tests.faulty import Faulty

OWN = ("operators", "errors", "autograd", "random", "printing", "checkpoints", "namespace")


class Without(Faulty):
    """Torch without some of its names."""

    def __getattr__(self, name):
        if name in self._replaced:
            raise AttributeError(f"torch.{name} is not implemented by this library")
        return super().__getattr__(name)


class Misprinted(torch.Tensor):
    """A tensor one of whose digits is printed wrong."""

    def __repr__(self, **options):
        return super().__repr__(**options).replace("Misprinted", "tensor").replace("1", "2")


def _misprinted(*args, **kwargs):
    return torch.tensor(*args, **kwargs).as_subclass(Misprinted)


def _wrong_draw(*args, generator=None, **kwargs):
    drawn = torch.rand(*args, generator=generator, **kwargs)
    with torch.no_grad():
        return torch.nextafter(drawn, drawn.new_tensor(2.0)) if drawn.numel() else drawn


def _draw_too_many(*args, generator=None, **kwargs):
    torch.rand(1, generator=generator)
    return torch.rand(*args, generator=generator, **kwargs)


def _loads_otherwise(file, **kwargs):
    found = torch.load(file, **kwargs)
    return found * 2 if isinstance(found, torch.Tensor) and found.is_floating_point() else found


def _exp_without_its_node(x):
    return (x * 1).exp_()


FAULTS = {
    "a wrong draw": ("random", "rand", "value", {"rand": _wrong_draw}),
    "a draw too many": ("random", "rand", "effects", {"rand": _draw_too_many}),
    "a wrong digit": ("printing", "float32", "text", {"tensor": _misprinted}),
    "another node": ("autograd", "double_backward", "graph", {"exp": _exp_without_its_node}),
    "another operator": ("modes", "operators/exp", "order", {"exp": _exp_without_its_node}),
    "another number": ("checkpoints", "tensors", "value", {"load": _loads_otherwise}),
    "a parameter too few": ("namespace", "torch", "signature", {"add": lambda input, other: None}),
    "another default": ("namespace", "torch", "signature", {"norm": lambda input, p=2: None}),
    "no function at all": ("namespace", "torch", "signature", {"add": 3}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    name, key, property, replaced = FAULTS[fault]
    verdict = examine(Unit(name, key), Options(), Faulty(**replaced))
    assert not verdict.trouble
    assert not verdict.found[property].passes


def test_a_lost_name_is_missing():
    verdict = examine(Unit("namespace", "torch"), Options(), Without(addmm=None))
    assert verdict.found["signature"].grade is Grade.MISSING
    assert verdict.found["signature"].differing == 1


def test_a_piece_that_stops_at_something_missing_is_missing_as_a_whole():
    verdict = examine(Unit("operators", "matmul"), Options(), Without(addmm=None))
    assert {found.grade for found in verdict.found.values()} <= {Grade.SAME, Grade.MISSING}
    assert verdict.found["value"].grade is Grade.MISSING


def test_a_library_that_cannot_save_lacks_checkpoints():
    verdict = examine(Unit("checkpoints", "states"), Options(), Without(save=None, load=None))
    assert {found.grade for found in verdict.found.values()} == {Grade.MISSING}


# Its least squares leave other last places from run to run.
REPEATED_NEARLY = frozenset(("linear_algebra",))
# They look at changes that a process makes once: the second run meets them made.
ONCE = frozenset(("compiled_distributions", "deterministic"))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", OWN)
def test_torch_does_not_differ_from_itself(name, seed):
    options = Options(impl="torch", seed=seed)
    for key in [key for key in source(name).keys(options) if key not in ONCE][::7]:
        verdict = examine(Unit(name, key), options)
        assert verdict.found or name == "namespace"
        assert not verdict.trouble
        worst = Grade.TOLERANCE if key in REPEATED_NEARLY else Grade.SAME
        assert all(found.grade <= worst for found in verdict.found.values())


@pytest.mark.parametrize("name", OWN)
def test_the_same_options_give_the_same_cases(name):
    key = source(name).keys(Options())[0]
    again = [[case.script("x") for case in cases(Unit(name, key), Options())] for _ in range(2)]
    assert again[0] == again[1]
    assert again[0]


@pytest.mark.parametrize("module", [random_numbers, printing])
def test_another_seed_gives_other_cases(module):
    key = module.keys(Options())[0]
    given = [[case.source for case in module.cases(key, Options(seed=seed))] for seed in (0, 1)]
    assert given[0] != given[1]


def test_every_piece_has_a_name_of_its_own():
    subjects = [FOLDER / name for name, module in SOURCES.items() if module == "pieces"]
    for folder in (*subjects, *[each.FOLDER for each in (printing, random_numbers, checkpoints)]):
        for file in folder.glob("*.py"):
            labels = [piece.label for piece in pieces(file)]
            assert len(set(labels)) == len(labels)
            assert labels


# Where the names are that labels may begin with, beside those with a dot: `retain_grad of a leaf`.
NAMING = (
    *(torch, torch.Tensor, torch.nn, torch.nn.functional, torch.nn.Module, torch.nn.utils),
    *(torch.autograd, torch.autograd.Function, torch.autograd.function.FunctionCtx),
    *(torch.autograd.forward_ad, torch.autograd.functional, torch.autograd.graph),
    *(torch.autograd.profiler, torch.distributions, torch.func, torch.linalg, torch.optim),
    *(torch.optim.lr_scheduler, torch.optim.swa_utils, torch.testing, torch.utils.checkpoint),
    *(torch.utils.data, torch.utils.hooks, parametrize, prune),
)
WORDS = frozenset("a all any in is of one the to type what where".split())  # names, and English


def names_something(label):
    """Whether a label begins with a name of torch's, or is a call."""
    first = label.replace("(", " ").replace(":", " ").split()[0].strip(",;")
    known = first not in WORDS and any(hasattr(each, first) for each in NAMING)
    return known or "." in first or label.startswith(f"{first}(")


def test_a_label_begins_with_the_name_that_it_is_about():
    subjects = [FOLDER / name for name, module in SOURCES.items() if module == "pieces"]
    found = [
        f"{folder.name}/{piece.label}"
        for folder in subjects
        for file in folder.glob("*.py")
        for piece in pieces(file)
        if not names_something(piece.label.partition(": ")[2])
    ]
    assert found == []


def test_there_are_hundreds_of_pieces():
    operators = source("operators")
    known = [
        piece for key in operators.keys(Options()) for piece in operators.cases(key, Options())
    ]
    assert len(known) >= 300


@pytest.mark.parametrize(
    "unit", ["random/randperm", "printing/int8", "checkpoints/containers", "views/views"]
)
def test_reproducers_run(unit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for case in list(cases(Unit(*unit.split("/")), Options()))[:3]:
        exec(compile(case.script("torch"), "reproducer", "exec"), {})


def test_a_script_that_prints_something_else_is_found(tmp_path, monkeypatch):
    package = tmp_path / "other_library"
    package.mkdir()
    package.joinpath("__init__.py").write_text("")
    package.joinpath("__main__.py").write_text("print('no')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    key = "linear_regression"
    verdict = examine(Unit("scripts", key), Options(impl="other_library"))
    assert not verdict.found["text"].passes
    assert "-m other_library" in next(scripts.cases(key, Options())).script("other_library")


def test_a_script_that_fails_is_told_by_its_error(tmp_path):
    file = tmp_path / "fails.py"
    file.write_text("print(1)\nraise ValueError('no')\n")
    outcome = scripts.Script(file).run(minitorch)
    assert outcome["text"] == ["1"]
    assert (outcome["error"].kind, outcome["error"].text) == ("ValueError", "no")


def test_a_script_that_fails_under_torch_compares_nothing(tmp_path):
    file = tmp_path / "fails.py"
    file.write_text("raise ValueError('no')\n")
    with pytest.raises(RuntimeError, match=r"fails\.py fails under torch: .*ValueError.*no"):
        scripts.Script(file).run(torch)


def test_where_scripts_are_sampled_all_examples_are_among_them_and_four_seeds_make_all():
    every, examples = (
        set(scripts.keys(Options())),
        {file.stem for file in scripts.EXAMPLES.iterdir()},
    )
    samples = [set(scripts.keys(Options(seed=seed, sampled=True))) for seed in range(4)]
    assert all(examples & every <= sample < every for sample in samples)
    assert set.union(*samples) == every


def test_what_python_says_of_torch_is_compared_in_full():
    assert public_names.overloads("torch.nn", "Linear").parameters["bias"].default is True
    assert len(public_names.overloads("torch", "sum")) > 1


@pytest.mark.parametrize("watched", [False, True])
def test_what_takes_arguments_is_seen_behind_what_hands_them_on(watched):
    import minitorch

    if watched:
        type("Watching", (minitorch.Tensor,), {})
    for name in ("add", "square", "sort", "kl_div", "histogram", "clamp_"):
        for overload in stubs.stubs("torch")[name]:
            assert stubs.takes(getattr(minitorch, name), overload) == ""
            more = [*overload.parameters.values(), Parameter("foo", Parameter.KEYWORD_ONLY)]
            wrong = stubs.takes(getattr(minitorch, name), overload.replace(parameters=more))
            assert "foo" in wrong


def test_every_source_is_known():
    assert set(OWN) < set(SOURCES)
    assert all(source(name).keys(Options()) for name in OWN)
    assert sys.modules["conformance.cases.pieces"]
