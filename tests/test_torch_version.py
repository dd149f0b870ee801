"""torch.torch_version: versions compare as PEP 440 orders them."""

import pickle

import pytest

from minitorch.torch_version import TorchVersion


@pytest.mark.parametrize("other", ["2.13.0", (2, 13), [2, 12, 9], "2.13.0rc1", "1.99"])
def test_a_version_is_later_than_all_before_it(other):
    version = TorchVersion("2.13.0+cpu")
    assert version > other
    assert version >= other
    assert not version < other
    assert not version <= other


def test_a_release_comes_after_its_candidates():
    assert TorchVersion("2.0.0rc1") < "2.0.0"
    assert TorchVersion("2.0.0rc1") > (1, 13)
    assert TorchVersion("1.10.0a") != "1.10.0"


def test_zeros_at_the_end_make_no_difference():
    assert TorchVersion("2.13.0") == "2.13"
    assert "2.13" == TorchVersion("2.13.0")  # noqa: SIM300 - the string asks first


def test_what_is_no_version_compares_as_text():
    assert TorchVersion("parrot") < "quux"
    assert TorchVersion("2.13.0") < "parrot"
    with pytest.raises(TypeError, match="not supported between instances of 'TorchVersion'"):
        TorchVersion("2.13.0") < 5  # noqa: B015


def test_a_version_is_a_string():
    version = pickle.loads(pickle.dumps(TorchVersion("2.13.0+cpu")))
    assert type(version) is TorchVersion
    assert hash(version) == hash("2.13.0+cpu")
    assert f"{version}" == "2.13.0+cpu"
