"""Versions in the order that packaging.python.org gives them."""

from itertools import pairwise

import pytest

from minitorch._vendor.packaging.version import InvalidVersion, Version, parse

ASCENDING = (
    "1.0.dev1 1.0a1 1.0b2.dev3 1.0b2 1.0rc1 1.0 1.0+cpu 1.0+cpu.1 1.0.post1 1.1 2!0.1".split()
)


def test_versions_stand_in_their_order():
    found = [parse(each) for each in ASCENDING]
    assert sorted(set(found)) == found
    assert all(a < b for a, b in pairwise(found))


def test_zeros_at_the_end_and_spellings_make_no_difference():
    assert Version("1.0") == Version("1.0.0")
    assert str(Version("v1.0-Alpha_1")) == "1.0a1"
    assert hash(Version("1.0")) == hash(Version("1"))


def test_the_parts_of_a_version():
    version = Version("2.13.0rc1+cpu")
    assert (version.major, version.minor, version.micro) == (2, 13, 0)
    assert (version.local, version.public, version.pre) == ("cpu", "2.13.0rc1", ("rc", 1))
    assert version.is_prerelease
    assert not version.is_postrelease


def test_a_text_that_is_no_version_is_refused():
    with pytest.raises(InvalidVersion, match="Invalid version: 'french'"):
        Version("french")
