"""torch.save and torch.load: objects that come back, refusals, and mutated files."""

import io
import pickle
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections import Counter, OrderedDict

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.serialization import (
    add_safe_globals,
    clear_safe_globals,
    get_unsafe_globals_in_checkpoint,
    safe_globals,
)
from minitorch.serialization.serialization_id import serialization_id

FORMATS = [True, False]


class Point:
    def __init__(self, x):
        self.x = x


def written(thing, zipped=True):
    file = io.BytesIO()
    torch.save(thing, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    return file


@pytest.mark.parametrize("zipped", FORMATS)
def test_nested_containers_come_back(zipped):
    thing = {
        "a": [torch.ones(1), (torch.zeros(2), {1, 2}, b"abc\x00\xff", 1 + 2j)],
        "o": OrderedDict(x=1),
        "c": Counter("aab"),
        "s": torch.Size([2, 3]),
        "d": torch.float16,
        "v": torch.device("cpu"),
        "n": 2**70,
        "b": bytearray(b"xy"),
    }
    back = torch.load(written(thing, zipped))
    assert str(back) == str(thing)
    assert list(map(type, back.values())) == list(map(type, thing.values()))


@pytest.mark.parametrize("zipped", FORMATS)
@pytest.mark.parametrize("name", ["float32", "bfloat16", "int8", "bool", "complex128"])
def test_every_dtype_comes_back(zipped, name):
    x = torch.tensor([[1, 0], [2, 3]]).to(getattr(torch, name)).t()
    back = torch.load(written(x, zipped))
    assert back.dtype is x.dtype
    assert back.stride() == x.stride()
    assert torch.equal(back, x)


@pytest.mark.parametrize("zipped", FORMATS)
def test_views_share_memory_again(zipped):
    x = torch.arange(6.0)
    a, b = torch.load(written([x, x[2:4]], zipped))
    b.fill_(9)
    assert a.tolist() == [0, 1, 9, 9, 4, 5]
    assert b.storage_offset() == 2


def test_conjugates_stay_conjugates():
    x = torch.tensor([1 + 2j]).conj()
    back = torch.load(written(x))
    assert back.is_conj()
    assert back.tolist() == [1 - 2j]


def test_parameters_and_attributes_of_tensors_come_back():
    p = nn.Parameter(torch.ones(2), requires_grad=False)
    p.note = "mine"
    x = torch.ones(1)
    x.note = 3
    q, y = torch.load(written([p, x]))
    assert type(q) is nn.Parameter
    assert not q.requires_grad
    assert (q.note, y.note) == ("mine", 3)


@pytest.mark.parametrize("zipped", FORMATS)
def test_a_module_comes_back_when_the_file_is_trusted(zipped):
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).eval()
    back = torch.load(written(net, zipped), weights_only=False)
    assert repr(back) == repr(net)
    assert not back.training
    x = torch.ones(1, 2)
    assert torch.equal(back(x), net(x))


def test_a_class_of_a_module_that_a_program_puts_among_torchs_comes_back(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import io, sys, types, torch\n"
        "module = sys.modules['torch.own'] = types.ModuleType('torch.own')\n"
        "exec('class Own: number = 3', vars(module))\n"
        "file = io.BytesIO()\n"
        "torch.save(module.Own(), file)\n"
        "file.seek(0)\n"
        "print(torch.load(file, weights_only=False).number)\n"
    )
    command = [sys.executable, "-m", "minitorch", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("3\n", "")


@pytest.mark.parametrize("zipped", FORMATS)
def test_training_goes_on_from_a_checkpoint(zipped):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)

    def step(net, optimizer):
        optimizer.zero_grad()
        net(torch.ones(3, 2)).sum().backward()
        optimizer.step()

    step(net, optimizer)
    state = torch.load(
        written({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, zipped)
    )
    other = nn.Linear(2, 1)
    other.load_state_dict(state["net"])
    again = torch.optim.Adam(other.parameters(), lr=0.1)
    again.load_state_dict(state["optimizer"])
    step(net, optimizer)
    step(other, again)
    assert torch.equal(net.weight, other.weight)


def test_a_mapped_file_is_read_when_it_is_used_and_not_written(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.arange(4.0), path)
    before = path.read_bytes()
    x = torch.load(path, mmap=True)
    x.add_(1)
    assert x.tolist() == [1, 2, 3, 4]
    assert path.read_bytes() == before


def test_records_begin_at_multiples_of_64_bytes_in_a_folder_named_like_the_file(tmp_path):
    from minitorch.serialization.archive import Archive

    path = tmp_path / "net.v1.pt"
    torch.save([torch.ones(3), torch.zeros(5)], path)
    with path.open("rb") as file:
        archive = Archive(file)
        assert archive.folder == "net.v1"
        assert [archive.place(name)[0] % 64 for name in archive.records] == [0] * 8


@pytest.mark.parametrize("zipped", FORMATS)
def test_what_is_no_weight_is_refused_unless_marked_as_safe(zipped):
    file = written(Point(torch.ones(1)), zipped)
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global by default"):
        torch.load(file)
    file.seek(0)
    with safe_globals([Point]):
        assert torch.load(file).x.tolist() == [1]
    file.seek(0)
    add_safe_globals([Point])
    try:
        assert torch.load(file).x.tolist() == [1]
    finally:
        clear_safe_globals()
    file.seek(0)
    assert torch.load(file, weights_only=False).x.tolist() == [1]


def test_unsafe_globals_are_listed():
    assert get_unsafe_globals_in_checkpoint(written([Point(1), torch.ones(1)])) == [
        f"{__name__}.Point"
    ]


def test_map_location_decides_where_storages_go():
    seen = []

    def place(storage, location):
        seen.append((storage.nbytes(), location))

    x = torch.ones(2)
    assert torch.load(written(x), map_location=place).tolist() == [1, 1]
    assert seen == [(8, "cpu")]
    assert torch.load(written(x), map_location={"cpu": "cpu"}).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="don't know how to restore data location"):
        torch.load(written(x), map_location={"cpu": "nowhere"})


@pytest.mark.parametrize(
    ("sizes", "strides", "offset"), [((9,), (1,), 0), ((2,), (1,), 3), ((2, 2), (100, 1), 0)]
)
def test_a_geometry_that_reaches_out_of_the_storage_is_refused(sizes, strides, offset):
    from minitorch.serialization.storages import rebuild_tensor_v2

    stored = torch.ones(4).untyped_storage()
    stored = torch.TypedStorage(wrap_storage=stored, dtype=torch.float32, _internal=True)
    with pytest.raises(RuntimeError, match="are out of bounds for storage of size 16"):
        rebuild_tensor_v2(stored, offset, sizes, strides, False, OrderedDict())


def test_two_dtypes_of_one_storage_are_refused():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save([x, x.view(torch.int32)], io.BytesIO())


def test_a_deep_nest_of_tuples_is_refused_instead_of_hashed():
    from minitorch.serialization.unpickler import Unpickler

    deep = b"}" + b")" + b"\x85" * 200_000 + b"Ns."
    with pytest.raises(pickle.UnpicklingError, match="deep"):
        Unpickler(io.BytesIO(deep)).load()


def test_no_instruction_takes_memory_that_the_file_does_not_justify():
    from minitorch.serialization.unpickler import Unpickler

    long_text = b"X\xff\xff\xff\x7fabc."
    far_memo = b"Nr\xff\xff\xff\x7f."
    bytes_of_a_number = b"c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R."
    tracemalloc.start()
    for data, refusal in ((long_text, EOFError), (far_memo, None), (bytes_of_a_number, TypeError)):
        if refusal is None:
            assert Unpickler(io.BytesIO(data)).load() is None
        else:
            with pytest.raises(refusal):
                Unpickler(io.BytesIO(data)).load()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6


@pytest.mark.parametrize("zipped", FORMATS)
def test_mutated_files_load_or_fail_and_do_nothing_else(zipped):
    state = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).state_dict()
    whole = written(state, zipped).getvalue()
    chance = random.Random(0)
    outcomes = Counter()
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(data))
            if chance.random() < 0.2:
                del data[place : place + chance.randint(1, 9)]
            else:
                data[place] = chance.randrange(256)
        try:
            torch.load(io.BytesIO(bytes(data)))
            outcomes["loaded"] += 1
        except Exception as error:
            outcomes[type(error).__name__] += 1
    assert outcomes["loaded"] > 9
    assert outcomes["UnpicklingError"] > 5


def test_memory_whose_axes_lie_in_another_order_is_saved_as_it_lies():
    x = torch.arange(12.0).reshape(2, 3, 2).mT
    x = torch.where(x > 3, x, 0.0)
    assert x.stride() == (6, 1, 2)
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    for again in (torch.load(file), pickle.loads(pickle.dumps(x))):
        assert torch.equal(again, x)
        assert again.stride() == (6, 1, 2)
    assert torch.empty(0).set_(x.untyped_storage(), 1, (3,), (2,)).tolist() == [0, 0, 5]


def test_load_gives_tensors_without_numbers_for_the_meta_device():
    file = io.BytesIO()
    x = torch.arange(6.0)
    torch.save({"x": x, "part": x[2:4], "p": nn.Parameter(x.reshape(2, 3).t())}, file)
    file.seek(0)
    loaded = torch.load(file, map_location="meta")
    assert [each.device.type for each in loaded.values()] == ["meta"] * 3
    part = loaded["part"]
    assert (part.shape, part.storage_offset(), part.untyped_storage().nbytes()) == ((2,), 2, 24)
    assert loaded["p"].stride() == (1, 3)
    layer = nn.Linear(3, 2, bias=False, device="meta")
    layer.load_state_dict({"weight": loaded["p"].t()}, assign=True)
    assert layer.weight.is_meta


@pytest.mark.parametrize("new", FORMATS)
def test_save_refuses_what_has_no_name_in_the_words_of_the_pickler_in_c(new):
    class Local:
        pass

    model = nn.Linear(1, 1)
    model.extra = lambda x: x
    for obj in (Local(), [Local], model.extra, {"obj": model.extra}, model):
        with pytest.raises((AttributeError, pickle.PicklingError)) as wanted:
            pickle.dumps(obj)
        with pytest.raises(wanted.type) as error:
            torch.save(obj, io.BytesIO(), _use_new_zipfile_serialization=new)
        assert str(error.value) == str(wanted.value)
    with pytest.raises(TypeError, match="cannot pickle 'module' object"):
        torch.save(nn, io.BytesIO(), _use_new_zipfile_serialization=new)


def test_archives_have_the_identity_that_follows_from_their_records():
    for value, identity in (
        (torch.ones(2), "1572819951185464302606254407965168815466"),
        ([1, 2], "0290846867776292310400104115457603024018"),
    ):
        file = io.BytesIO()
        torch.save(value, file)
        with zipfile.ZipFile(file) as archive:
            assert archive.namelist()[-1] == "archive/.data/serialization_id"
            assert archive.read("archive/.data/serialization_id").decode() == identity


def test_names_of_many_records_are_hashed_in_the_order_of_a_set():
    names = [f"data/{number}" for number in range(40)]
    assert serialization_id(names, range(40)) != serialization_id(names[::-1], range(40))
    assert len(serialization_id(names, range(40))) == 40


@pytest.mark.parametrize("new", FORMATS)
def test_save_asks_a_subclass_nothing_about_its_parts(new):
    calls = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    globals()["Told"] = Told
    Told.__qualname__ = "Told"
    x = torch.ones(2).as_subclass(Told)
    file = io.BytesIO()
    calls.clear()
    torch.save(x, file, _use_new_zipfile_serialization=new)
    assert calls in ([], ["__reduce_ex__"])
    file.seek(0)
    assert type(torch.load(file, weights_only=False)) is Told


def test_an_exception_in_a_file_is_refused_by_the_name_that_the_file_has():
    file = io.BytesIO()
    torch.save({"why": ValueError("x")}, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL exceptions\.ValueError was not an"):
        torch.load(file)


def test_a_generator_in_a_file_is_of_torchs_class_and_goes_on():
    generator, file = torch.Generator().manual_seed(3), io.BytesIO()
    torch.rand(2, generator=generator)
    torch.save(generator, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL torch._C.Generator was not an"):
        torch.load(file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert loaded.initial_seed() == 3
    assert torch.equal(torch.rand(2, generator=loaded), torch.rand(2, generator=generator))
