"""The level of checks and reports: set_debug_level and its environment variable."""

import pytest

import minitorch.distributed as dist


@pytest.fixture(autouse=True)
def _level():
    before = dist.get_debug_level()
    yield
    dist.set_debug_level(before)


@pytest.mark.parametrize("name", ["OFF", "info", "Detail"])
def test_the_environment_names_a_level_in_any_case(name, monkeypatch):
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", name)
    dist.set_debug_level_from_env()
    assert dist.get_debug_level() is dist.DebugLevel[name.upper()]


def test_without_the_variable_the_level_is_off(monkeypatch):
    monkeypatch.delenv("TORCH_DISTRIBUTED_DEBUG", raising=False)
    dist.set_debug_level_from_env()
    assert dist.get_debug_level() is dist.DebugLevel.OFF


@pytest.mark.parametrize("name", ["", "ON", "2"])
def test_another_name_is_refused_and_the_level_stays(name, monkeypatch):
    dist.set_debug_level(dist.DebugLevel.INFO)
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", name)
    with pytest.raises(ValueError, match="must be OFF, INFO, or DETAIL"):
        dist.set_debug_level_from_env()
    assert dist.get_debug_level() is dist.DebugLevel.INFO


@pytest.mark.parametrize("level", [1, "INFO", None])
def test_only_a_debug_level_is_a_level(level):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        dist.set_debug_level(level)
