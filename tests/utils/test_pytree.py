"""torch.utils._pytree: containers as trees."""

from collections import OrderedDict, namedtuple

import pytest

import minitorch as torch
from minitorch.utils import _pytree as pytree
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


def test_a_registered_class_is_a_container():
    class Box:
        def __init__(self, *items):
            self.items = items

    pytree.register_pytree_node(
        Box,
        lambda box: (list(box.items), None),
        lambda values, context: Box(*values),
        serialized_type_name="Box",
        flatten_with_keys_fn=lambda box: (
            [(pytree.SequenceKey(i), x) for i, x in enumerate(box.items)],
            None,
        ),
    )
    try:
        tree = [Box(1, {"a": 2}), 3]
        leaves, spec = tree_flatten(tree)
        assert leaves == [1, 2, 3]
        assert tree_map(lambda x: x + 1, tree)[0].items == (2, {"a": 3})
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(tree)]
        assert paths == ["[0][0]", "[0][1]['a']", "[1]"]
        with pytest.raises(ValueError, match="is already registered as pytree node"):
            pytree.register_pytree_node(Box, None, None)
    finally:
        pytree._deregister_pytree_node(Box)
    assert pytree.tree_is_leaf(Box())


def test_json_is_that_of_torch():
    spec = tree_flatten({"b": [1, 2]})[1]
    leaf = '{"type": null, "context": null, "children_spec": []}'
    assert pytree.treespec_dumps(spec) == (
        '[1, {"type": "builtins.dict", "context": "[\\"b\\"]", "children_spec": [{"type": '
        f'"builtins.list", "context": "null", "children_spec": [{leaf}, {leaf}]}}]}}]'
    )


def test_dictionaries_of_the_same_keys_match():
    spec = tree_flatten({"a": 1, "b": 2})[1]
    assert spec.flatten_up_to(OrderedDict(b=1, a=[2])) == [[2], 1]
    with pytest.raises(ValueError, match=r"Node arity mismatch; expected 2, but got 1\."):
        spec.flatten_up_to({"a": 1})


def test_sizes_are_nodes_that_become_tuples():
    size = torch.Size([2, 3])
    leaves, spec = pytree.tree_flatten({"a": size})
    assert leaves == [2, 3]
    assert str(spec) == "TreeSpec(dict, ['a'], [TreeSpec(Size, None, [*,\n    *])])"
    mapped = pytree.tree_map(lambda n: n + 0.5, size)
    assert (type(mapped), mapped) == (tuple, (2.5, 3.5))
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    with pytest.raises(ValueError, match=r"expected <class 'torch\.Size'>, but got"):
        pytree.tree_map(max, size, (1, 2))
