"""torch.hub: models of a folder, files by their URL."""

import hashlib
import sys

import pytest

import minitorch
from minitorch import hub


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "hubconf.py").write_text(
        "dependencies = ['numpy']\ndef model(a=1):\n    'Doubles.'\n    return a * 2\nx = 3\n"
    )
    monkeypatch.setattr(hub, "_hub_dir", str(tmp_path / "hub"))
    return tmp_path


def test_load_calls_the_function_of_a_local_folder(folder):
    assert hub.load(str(folder), "model", 5, source="local") == 10
    with pytest.raises(RuntimeError, match="Cannot find callable x in hubconf"):
        hub.load(str(folder), "x", source="local")
    with pytest.raises(ValueError, match='Unknown source: "web"'):
        hub.load(str(folder), "model", source="web")


def test_load_names_the_packages_that_are_missing(folder):
    (folder / "hubconf.py").write_text("dependencies = ['no_such_package']\ndef model(): pass\n")
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package"):
        hub.load(str(folder), "model", source="local")


def test_a_repository_that_was_kept_is_found_and_another_one_is_refused(folder):
    kept = folder / "hub" / "me_mine_main"
    kept.mkdir(parents=True)
    (kept / "hubconf.py").write_text((folder / "hubconf.py").read_text())
    assert hub.list("me/mine") == ["model"]
    assert hub.help("me/mine", "model") == "Doubles."
    assert hub.load("me/mine", "model") == 2
    with pytest.raises(NotImplementedError, match=r"torch\.hub\.load fetches no repository"):
        hub.load("me/other", "model")


def test_download_url_to_file_checks_the_hash_and_leaves_no_half_file(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)  # whose bar tells more
    source, target = folder / "a.bin", folder / "b.bin"
    source.write_bytes(b"hello" * 100)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    hub.download_url_to_file(source.as_uri(), str(target), digest[:8])
    assert target.read_bytes() == source.read_bytes()
    assert capsys.readouterr().err == "\r100.0%\n"
    target.unlink()
    with pytest.raises(RuntimeError, match=r'invalid hash value \(expected "abc", got'):
        hub.download_url_to_file(source.as_uri(), str(target), "abc", progress=False)
    assert sorted(path.name for path in folder.glob("*.bin*")) == ["a.bin"]


def test_load_state_dict_from_url_fetches_once(folder, capsys):
    file = folder / "weights.pth"
    minitorch.save({"a": minitorch.ones(2)}, file)
    loaded = hub.load_state_dict_from_url(file.as_uri(), progress=False)
    assert loaded["a"].tolist() == [1, 1]
    assert capsys.readouterr().out.startswith('Downloading: "file:')
    file.unlink()
    assert hub.load_state_dict_from_url(file.as_uri())["a"].tolist() == [1, 1]
    assert capsys.readouterr().out == ""


def test_torch_home_decides_where_things_lie(monkeypatch):
    monkeypatch.setattr(hub, "_hub_dir", None)
    monkeypatch.setenv("TORCH_HOME", "/somewhere")
    assert hub._get_torch_home() == "/somewhere"
    assert hub.get_dir() == "/somewhere/hub"


def test_the_progress_bar_is_tqdms_or_a_small_one(capsys):
    from minitorch.utils import model_zoo

    assert model_zoo.tqdm is hub.tqdm or callable(model_zoo.tqdm)
    with hub._Faketqdm(total=4) as bar:
        bar.update(1)
        bar.set_description("not shown")
    assert capsys.readouterr().err == "\r25.0%\n"
