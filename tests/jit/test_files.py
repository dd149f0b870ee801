"""Files of scripts: the objects that a program gets back, and those that it does not."""

import io
import zipfile

import pytest

import minitorch as torch
from minitorch import nn

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


class Scaled(nn.Module):
    """A layer, a number and a buffer."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self.layer = nn.Linear(2, 2)
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x):
        return self.layer(x) * self.factor + self.shift


def doubled(x):
    """Twice x."""
    return x * 2


def saved(script, **extra) -> io.BytesIO:
    file = io.BytesIO()
    torch.jit.save(script, file, **extra)
    file.seek(0)
    return file


@pytest.mark.parametrize("make", [torch.jit.script, lambda m: torch.jit.trace(m, torch.ones(1, 2))])
def test_jit_load_gives_the_module_that_jit_save_wrote(make):
    module = Scaled(3.0)
    loaded = torch.jit.load(saved(make(module)))
    assert type(loaded) is torch.jit.RecursiveScriptModule
    assert loaded.original_name == "Scaled"
    assert loaded.layer.weight is not module.layer.weight
    x = torch.tensor([[1.0, -2.0]])
    assert loaded(x).tolist() == module(x).tolist()
    assert loaded.factor == 3.0


def test_a_script_saves_itself_to_a_path(tmp_path):
    script = torch.jit.script(Scaled(1.0)).eval()
    script.save(tmp_path / "script.pt")
    loaded = torch.jit.load(tmp_path / "script.pt", map_location="meta")
    assert loaded.layer.weight.is_meta
    assert not loaded.training


def test_further_files_come_back_where_they_are_asked_for():
    file = saved(torch.jit.script(Scaled(1.0)), _extra_files={"a.txt": "one", "b.bin": b"\x00"})
    wanted = {"b.bin": "", "c.txt": "kept"}
    torch.jit.load(file, _extra_files=wanted)
    assert wanted == {"b.bin": b"\x00", "c.txt": "kept"}


def test_a_function_is_saved_by_its_name():
    assert torch.jit.load(saved(torch.jit.script(doubled)))(torch.ones(1)).item() == 2
    nameless = torch.jit.trace(lambda x: x + 1, torch.ones(1))
    with pytest.raises(NotImplementedError, match=r"jit\.save of .*<lambda>"):
        saved(nameless)


def test_modules_may_hold_functions_of_torch():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, activation="gelu")
    x = torch.ones(3, 1, 4)
    loaded = torch.jit.load(saved(torch.jit.script(layer)))
    assert loaded(x).tolist() == layer(x).tolist()


def test_what_is_no_script_is_not_saved():
    with pytest.raises(AttributeError, match="no attribute 'save_to_buffer'"):
        saved(Scaled(1.0))


def test_jit_load_makes_nothing_but_modules_of_this_program(monkeypatch):
    file = saved(torch.jit.script(Scaled(1.0)))
    monkeypatch.delitem(globals(), "Scaled")
    with pytest.raises(RuntimeError, match="has no class of modules of that name"):
        torch.jit.load(file)
    other = io.BytesIO()
    torch.save({"format": "minitorch.jit 1", "script": io.StringIO, "extra": {}}, other)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("archive/script", "")
    other.seek(0)
    with pytest.raises(RuntimeError, match=r"_io\.StringIO.* has no class of modules"):
        torch.jit.load(other)


def test_jit_load_refuses_other_files(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        torch.jit.load(tmp_path / "nothing.pt")
    with pytest.raises(ValueError, match="is a directory"):
        torch.jit.load(tmp_path)
    plain = io.BytesIO()
    torch.save({"a": 1}, plain)
    plain.seek(0)
    with pytest.raises(RuntimeError, match=r"locating file constants\.pkl: file not found"):
        torch.jit.load(plain)
    with pytest.raises(RuntimeError, match="istream reader failed"):
        torch.jit.load(io.BytesIO(b"abc"))
    compiled = io.BytesIO()
    with zipfile.ZipFile(compiled, "w") as archive:
        for name in ("data.pkl", "constants.pkl", "version"):
            archive.writestr(f"script/{name}", b"3\n")
    compiled.seek(0)
    with pytest.raises(NotImplementedError, match="compiled code"):
        torch.jit.load(compiled)


@pytest.mark.filterwarnings("ignore:'torch.load' received a zip file")
def test_load_hands_files_of_scripts_to_jit_load():
    script = torch.jit.script(Scaled(3.0))
    file, x = saved(script), torch.ones(1, 2)
    assert torch.equal(torch.load(file, weights_only=False)(x), script(x))
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"Cannot use ``weights_only=True`` with TorchScript"):
        torch.load(file)
