# structures of all containers, printed and measured
from collections import OrderedDict, defaultdict, deque, namedtuple
import torch.utils._pytree as P

N = namedtuple("N", "a b")
trees = [1, None, (), [], {}, {"b": [1, (2,)], "a": None}, OrderedDict(x=1, y=[2, 3])]
trees += [defaultdict(list, {"k": [1]}), deque([1, 2], maxlen=3), N(1, [2, {"z": 3}])]
trees += [torch.ones(2, 2).max(0), [[[[1, 2], (3, {"a": [4]})]]], range(3), {1, 2}]
for t in trees:
    leaves, spec = P.tree_flatten(t)
    print(len(leaves), spec, spec.num_nodes, spec.num_leaves, spec.num_children)
    print(spec.is_leaf(), spec.children(), spec.context, P.treespec_pprint(spec))
    print(spec == P.tree_structure(t), type(P.tree_unflatten(leaves, spec)).__name__)
    print(P.tree_is_leaf(t), P.is_namedtuple(t), P.is_structseq(t), P.is_structseq(type(t)))

# ways to leaves
from collections import OrderedDict, defaultdict, deque, namedtuple
import torch.utils._pytree as P

N = namedtuple("N", "a b")
trees = [1, (), {"b": [1, (2,)], "a": None}, OrderedDict(x=1, y=[2, 3])]
trees += [
    defaultdict(list, {"k": [1]}),
    deque([1, 2]),
    N(1, [2, {"z": 3}]),
    torch.ones(2, 2).max(0),
]
for t in trees:
    pairs, spec = P.tree_flatten_with_path(t)
    print([P.keystr(path) for path, _ in pairs], [path for path, _ in pairs])
    print([P.key_get(t, path) is leaf for path, leaf in P.tree_leaves_with_path(t)])
print(
    P.tree_map_with_path(lambda path, x, y: (P.keystr(path), x + y), [1, {"a": 2}], [3, {"a": 4}])
)

# JSON
from collections import OrderedDict, defaultdict, deque, namedtuple
import torch.utils._pytree as P

N = namedtuple("N", "a b")
trees = [
    1,
    (),
    {"b": [1, (2,)], "a": None},
    OrderedDict(x=1),
    deque([1], maxlen=2),
    {1: 2, None: 3},
]
for t in trees:
    text = P.treespec_dumps(P.tree_structure(t))
    print(text, P.treespec_loads(text) == P.tree_structure(t))
for t in [N(1, 2), torch.ones(2, 2).max(0), {(1, 2): 3}, {frozenset(): 1}]:
    try:
        print(P.treespec_dumps(P.tree_structure(t)))
    except Exception as error:
        print(type(error).__name__, "namedtuple class" in str(error) or error)
for call in (
    lambda: P.treespec_dumps(P.tree_structure(1), protocol=2),
    lambda: P.treespec_dumps(3),
    lambda: P.treespec_loads('[7, {"type": null}]'),
    lambda: P.treespec_loads('[1, {"type": "no.such", "context": "null", "children_spec": []}]'),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)

# functions of leaves
import torch.utils._pytree as P

tree = {"a": [1, 2.5], "b": (torch.ones(2), "s", None)}
print(P.tree_map(lambda x: type(x).__name__, tree), P.tree_leaves(tree), list(P.tree_iter(tree)))
print(P.tree_map_only(torch.Tensor, lambda t: t + 1, tree))
print(P.tree_map_only((int, float), lambda t: -t, tree))
print(P.tree_map_only(int | float, lambda t: -t, tree))
print(P.tree_map_only(lambda x: x is None, lambda t: "none", tree))
print(P.tree_all(bool, [1, 2]), P.tree_any(bool, [0, [0]]), P.tree_all(bool, []))
print(P.tree_all_only(int, bool, [1, 0.0]), P.tree_any_only(float, bool, [1, 0.0]))
print(P.tree_map(lambda x, y: [x] + y, [5, 6], [[7, 9], [1, 2]]))
print(P.arg_tree_leaves(1, [2, 3], a=4, b={"c": 5}))
print(P.tree_flatten([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple)))
seen = []
print(P.tree_map_(seen.append, tree) is tree, len(seen))
print(P.tree_map_only_(int, seen.append, tree) is tree, len(seen))
print(P.tree_unflatten(P.tree_structure([0, 0]), [1, 2]))
for call in (
    lambda: P.map_only(3),
    lambda: P.tree_unflatten(1, 2),
    lambda: P.tree_unflatten([1], P.tree_structure([0, 0])),
    lambda: P.tree_map(lambda x, y: x, [1, 2], [1]),
    lambda: P.tree_map(lambda x, y: x, [1, 2], (1, 2)),
    lambda: P.tree_map(lambda x, y: x, {"a": 1}, {"b": 1}),
    lambda: P.tree_map(lambda x, y: x, {"a": 1}, [1]),
    lambda: P.TreeSpec(None, 1, []),
    lambda: P.treespec_tuple([1]),
    lambda: P.treespec_dict(a=1),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
leaf = P.treespec_leaf()
print(P.treespec_tuple([leaf, leaf]), P.treespec_dict({"a": leaf}, b=leaf))

# one tree spread over another
from collections import OrderedDict, defaultdict, deque
import torch.utils._pytree as P

trees = [1, None, (), [], {}, {"b": [1, (2,)]}, OrderedDict(b=1), OrderedDict(b=[2, 3])]
trees += [defaultdict(list, {"b": [1]}), deque([1, 2], maxlen=3), [0, 1], [0, [1, 2]], [[1], 2]]
for a in trees:
    for b in trees:
        spec = P.tree_structure(b)
        print(P._broadcast_to_and_flatten(a, spec))
        try:
            print(spec.flatten_up_to(a))
        except ValueError as error:
            print(error)

# a class of one's own
import torch.utils._pytree as P


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


P.register_pytree_node(
    Pair,
    lambda p: ([p.a, p.b], "ctx"),
    lambda values, context: Pair(*values),
    serialized_type_name="mine.Pair",
    flatten_with_keys_fn=lambda p: ([(P.GetAttrKey("a"), p.a), (P.GetAttrKey("b"), p.b)], "ctx"),
)
try:
    leaves, spec = P.tree_flatten([Pair(1, [2]), 3])
    print(leaves, spec, P.treespec_dumps(spec), P.treespec_loads(P.treespec_dumps(spec)) == spec)
    print([P.keystr(p) for p, _ in P.tree_leaves_with_path([Pair(1, [2]), 3])])
    print(
        P.tree_map(lambda x: x + 1, Pair(1, 2)).b,
        hash(spec) == hash(P.tree_structure([Pair(1, [2]), 3])),
    )
    for call in (
        lambda: P.register_pytree_node(Pair, None, None),
        lambda: P.tree_map(lambda x, y: x, Pair(1, 2), [1, 2]),
        lambda: P.register_pytree_node(int, None, None, to_dumpable_context=str),
    ):
        try:
            call()
        except ValueError as error:
            print(error)
finally:
    P._deregister_pytree_node(Pair)
    P.SUPPORTED_NODES.pop(int, None)
print(P.tree_is_leaf(Pair(1, 2)))


class Plain:
    pass


P.register_pytree_node(Plain, lambda p: ([1, 2], None), lambda values, context: Plain())
try:
    P.tree_flatten_with_path(Plain())
except ValueError as error:
    print("flatten_with_keys_fn" in str(error))
try:
    P.treespec_dumps(P.tree_structure(Plain()))
except NotImplementedError as error:
    print("serialization name" in str(error))
P._deregister_pytree_node(Plain)

# dataclasses and constants
from dataclasses import dataclass, field
import torch.utils._pytree as P


@dataclass
class Point:
    x: object
    y: object = None
    z: int = field(default=0, init=False)


@dataclass(frozen=True)
class Config:
    norm: str


P.register_dataclass(Point)
P.register_constant(Config)
try:
    leaves, spec = P.tree_flatten([Point(1), Point(torch.ones(1), [2]), Config("l2")])
    print(leaves, spec.num_leaves, [c.context for c in spec.children()][:2])
    print(
        P.tree_map(lambda t: t * 2, Point(1, 2)),
        P.is_constant_class(Config),
        P._is_constant_holder(spec.child(2)),
    )
    print(
        [P.keystr(p) for p, _ in P.tree_leaves_with_path(Point(1, (2,)))],
        P._retrieve_constant(spec.child(2)),
    )
finally:
    P._deregister_pytree_node(Point)
    P._deregister_pytree_node(Config)


class Other:
    pass


class Unhashable:
    __eq__ = lambda self, other: True


for call in (
    lambda: P.register_dataclass(int),
    lambda: P.register_dataclass(Point, field_names=["x"]),
    lambda: P.register_dataclass(Point, field_names=["x", "y", "w"]),
    lambda: P.register_constant(Other),
    lambda: P.register_constant(Unhashable),
    lambda: P._retrieve_constant(P.tree_structure(1)),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).replace(str(int), "int"))

# old names
import warnings
import torch.utils._pytree as P

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    spec = P.tree_structure([1])
    print(P.LeafSpec(), P._is_leaf(1), P._is_namedtuple_instance((1,)), spec.children_specs)
    print(P.str_to_pytree(P.pytree_to_str(spec)))
print([(w.category.__name__, str(w.message)) for w in caught])
