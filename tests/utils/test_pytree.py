"""torch.utils._pytree: containers as trees."""

from collections import OrderedDict, namedtuple

import pytest

from minitorch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    "tree",
    [1, (1, [2, {"a": 3}]), OrderedDict(b=1, a=(2,)), Pair(1, [2]), {"b": None, "a": ()}],
)
def test_trees_come_back(tree):
    leaves, spec = tree_flatten(tree)
    assert tree_unflatten(leaves, spec) == tree
    assert type(tree_unflatten(leaves, spec)) is type(tree)
    assert len(leaves) == spec.num_leaves


def test_functions_of_leaves():
    tree = {"a": [1, (2, 3)]}
    assert tree_map(lambda x: x + 1, tree) == {"a": [2, (3, 4)]}
    assert tree_map(lambda x, y: x + y, tree, tree) == {"a": [2, (4, 6)]}
    assert tree_leaves(tree) == [1, 2, 3]


def test_structures_print_as_torch_prints_them():
    spec = tree_flatten([1, (2, {"a": 3})])[1]
    text = (
        "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*,\n    TreeSpec(dict, ['a'], [*])])])"
    )
    assert repr(spec) == text
    with pytest.raises(
        ValueError, match="`leaves` has length 1 but the spec refers to a pytree th"
    ):
        tree_unflatten([1], spec)
