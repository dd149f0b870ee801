# torch.library.Library.define: schemas that are none, and some that are
from itertools import count

from torch import library

spaces = (f"schemas{number}" for number in count())


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).partition("\nException raised")[0])


schemas = [
    "foo",
    "foo()",
    "foo(",
    "foo(Tensor x)",
    "foo(Tensor x) ->",
    "foo(Tensor x) -> Tensor",
    "foo(Tensor x) -> Tensor extra",
    "foo(Tensor x -> Tensor",
    "foo(Tensr x) -> Tensor",
    "foo(Tensor) -> Tensor",
    "foo(Tensor x, Tensor x) -> Tensor",
    "foo(Tensor x=) -> Tensor",
    "foo(int x=a) -> Tensor",
    "foo(int x=1.5) -> Tensor",
    "foo(float x=1) -> Tensor",
    'foo(str x="a") -> Tensor',
    "foo(bool x=True) -> Tensor",
    "foo(bool x=true) -> Tensor",
    "foo(Tensor(a) x) -> Tensor(a)",
    "foo(Tensor(a!) x) -> Tensor(a!)",
    "foo(Tensor(a!) x) -> ()",
    "foo(Tensor x) -> (Tensor, Tensor)",
    "foo(Tensor x) -> (Tensor a, Tensor b)",
    "foo(Tensor[] x) -> Tensor",
    "foo(Tensor?[] x) -> Tensor",
    "foo(Tensor[]? x) -> Tensor",
    "foo(int[2] x) -> Tensor",
    "foo(SymInt[] x) -> Tensor",
    "foo(Tensor x, *, int y) -> Tensor",
    "foo(Tensor x, *) -> Tensor",
    "foo(*, Tensor x) -> Tensor",
    "foo(Tensor x, *, *, int y) -> Tensor",
    "foo(Tensor x,) -> Tensor",
    "foo(, Tensor x) -> Tensor",
    "1foo(Tensor x) -> Tensor",
    "foo-bar(Tensor x) -> Tensor",
    "foo.bar(Tensor x) -> Tensor",
    "foo.default(Tensor x) -> Tensor",
    "foo.bar.baz(Tensor x) -> Tensor",
    "foo .bar(Tensor x) -> Tensor",
    " foo(Tensor x) -> Tensor",
    "foo (Tensor x) -> Tensor",
    "",
    "(Tensor x) -> Tensor",
    "foo(Tensor x) - > Tensor",
    "foo(Tensor x) => Tensor",
    "foo(Tensor x)-> Tensor",
    "foo(Tensor self) -> Tensor",
    "foo(int for) -> Tensor",
    "foo(Dict(str, Tensor) x) -> Tensor",
    "foo(Any x) -> Any",
    "foo(Tensor x) -> int",
    "foo(Tensor x) -> NotAType",
    "foo(Device? d=None) -> Tensor",
    "foo(ScalarType? d=None) -> Tensor",
    "foo(int[] x=[1,2]) -> Tensor",
    "foo(int[] x=[1,]) -> Tensor",
    "foo(int x=-1) -> Tensor",
    "foo(...) -> Tensor",
    "foo(Tensor x, ...) -> Tensor",
    "foo(Tensor x) -> ...",
    "foo(Tensor x) -> (...)",
    "foo(Tensor x = None) -> Tensor",
    "foo(Tensor? x = None) -> Tensor",
    'foo(int x="s") -> Tensor',
    "foo(str x=1) -> Tensor",
    "foo(float x=inf) -> Tensor",
    "foo(float x=1e-5) -> Tensor",
    "foo(Scalar x=1) -> Tensor",
    "foo(int? x=None) -> Tensor",
    "foo(Tensor(b) x) -> Tensor(a)",
    "foo(Tensor x) -> Tensor[]",
    "__foo__(Tensor x) -> Tensor",
    "foo(Tensor x); bar(Tensor y)",
    "foo(complex x=1j) -> Tensor",
    "foo(Layout? x=None) -> Tensor",
    "foo(Generator? g=None) -> Tensor",
    "foo(Storage s) -> Tensor",
    "foo(Tensor x) -> Tensor # comment",
    "foo(Tensor x, int y=1, Tensor z) -> Tensor",
    "foo(SymBool b) -> SymInt",
    "foo(Tensor\nx) -> Tensor",
    "foo(t x) -> t",
    "foo(Tensor(a!)[] x) -> ()",
    "foo(Tensor x) -> Tensor?",
    "foo(Tuple(int,int) x) -> Tensor",
    "foo((int,int) x) -> Tensor",
    "foo(Future(t) x) -> Tensor",
]
for schema in schemas:
    attempt(lambda: library.Library(next(spaces), "FRAGMENT").define(schema))
for schema in ("(Tensor x) -> Tensor", "Tensor x -> Tensor", "", ".ov(Tensor x) -> Tensor"):
    attempt(lambda: library.define(next(spaces) + "::foo", schema))
for name in ("foo", "a::b::c", 3):
    attempt(lambda: library.define(name, "(Tensor x) -> Tensor"))
del attempt, spaces

# torch.library.Library: definitions made twice, other namespaces, keys and kernels that are none
from itertools import count

import torch
from torch import library

spaces = (f"libraries{number}" for number in count())


def attempt(call):
    try:
        print(call())
    except Exception as error:
        text = str(error).partition("\nException raised")[0]
        for mark in (" Duplicate registration", " Previous registration", " (Error occurred"):
            text = text.partition(mark)[0]
        print(type(error).__name__, text)


def twice(kind, schema):
    space = next(spaces)
    first = library.Library(space, "DEF")
    first.define("foo(Tensor x) -> Tensor")
    library.Library(space, kind).define(schema)


attempt(lambda: twice("FRAGMENT", "foo(Tensor x) -> Tensor"))
attempt(lambda: twice("FRAGMENT", "foo(Tensor x, int y) -> Tensor"))
attempt(lambda: twice("FRAGMENT", "foo.other(Tensor x) -> Tensor"))
attempt(lambda: twice("DEF", "foo(Tensor x) -> Tensor"))
attempt(lambda: twice("IMPL", "bar(Tensor x) -> Tensor"))


def registered(name, key="CPU", kernel=lambda x: x):
    made = library.Library(next(spaces), "DEF")
    made.define("foo(Tensor x) -> Tensor")
    return made.impl(name, kernel, key)


for name in ("foo", "bar", "foo.default", "foo.bar", "other::foo", 3, None, ""):
    attempt(lambda: registered(name))
for key in ("CPU", "cpu", "XX", "Autograd", "Meta", "EndOfDenseBackends", "SparseCPU", 3, None):
    attempt(lambda: registered("foo", key))
attempt(lambda: registered("foo", kernel=3))
attempt(lambda: library.Library(next(spaces), "DEF", "NoKey"))
for types in ("cpu", "default", "xx", "", ("cpu", "cuda"), "Autograd"):
    attempt(lambda: library.impl(next(spaces) + "::absent", types, lambda x: x))
attempt(lambda: library.impl("absent", "cpu", lambda x: x))
later = library.Library("libraries_later", "FRAGMENT")
later.impl("foo", lambda x: x + 1, "CPU")
later.define("foo(Tensor x) -> Tensor")
print(torch.ops.libraries_later.foo(torch.ones(2)))
for register in (library.register_autograd, library.register_vmap, library.register_kernel):
    attempt(
        lambda: (
            register(3, lambda x: x, lambda x: x)
            if register is not library.register_autograd
            else register(3, lambda x: x)
        )
    )
attempt(lambda: library.register_vmap("libraries_none::foo", lambda x: x))
attempt(lambda: library.register_autograd("libraries_none::foo", lambda x: x))
attempt(lambda: library.get_kernel("libraries_none::foo", "CPU"))
del attempt, spaces, twice, registered, later, register

# torch.library.Library.define: tags, and schemas that do not go with them
from itertools import count

import torch
from torch import Tag, library

spaces = (f"tags{number}" for number in count())


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).partition("\nInvoked with")[0])


def tags(given, schema="foo(Tensor x) -> Tensor"):
    space = next(spaces)
    made = library.Library(space, "DEF")
    made.define(schema, tags=given)
    return getattr(torch.ops, space).foo.default.tags


for given in ((), Tag.pointwise, [Tag.core, Tag.pointwise], ("x",), 3, None, {Tag.core}):
    attempt(lambda: tags(given))
in_place = [
    "foo(Tensor x) -> Tensor",
    "foo(*, Tensor(a!) x) -> Tensor(a!)",
    "foo(Tensor(a!) x) -> Tensor(a!)",
    "foo(Tensor(a!) x) -> Tensor",
    "foo(Tensor(a!) x) -> Tensor(a)",
    "foo(Tensor(a!) x) -> int",
    "foo(Tensor(a!) x) -> ()",
    "foo(Tensor(a!) x, Tensor(b!) y) -> Tensor(a!)",
    "foo(Tensor(a!) x, Tensor(b!) y) -> Tensor(b!)",
]
for schema in in_place:
    attempt(lambda: tags(Tag.inplace, schema))
outs = [
    "foo(Tensor x) -> Tensor",
    "foo(Tensor(a!) x) -> Tensor(a!)",
    "foo(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
    "foo(Tensor x, *, Tensor(a!) out) -> Tensor",
    "foo(Tensor x, *, Tensor(a!) out) -> Tensor(a)",
    "foo(Tensor x, *, Tensor(a!) out) -> ()",
    "foo(Tensor x, *, Tensor(a!) out, Tensor(b!) o) -> (Tensor(b!), Tensor(a!))",
]
for schema in outs:
    attempt(lambda: tags(Tag.out, schema))
del attempt, spaces, tags

# torch.library.Library: arguments and results as the types of schemas want them
from itertools import count

import torch
from torch import library

spaces = (f"values{number}" for number in count())
x = torch.ones(2)


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def called(kind, value):
    space = next(spaces)
    made = library.Library(space, "DEF")
    made.define(f"foo({kind} x) -> Tensor")
    seen = []
    made.impl("foo", lambda x: seen.append(x) or torch.ones(1), "CompositeImplicitAutograd")
    getattr(torch.ops, space).foo(value)
    return kind, seen


values = {
    "Tensor": [x, 3, None, [x]],
    "Tensor[]": [[x], (x,), [x, 3], [None], x, 3, "a", None, [], [[x]]],
    "Tensor?[]": [[x, None], [3], x, None],
    "Tensor?": [x, None, 3],
    "int": [1, True, 1.5, "a", None, x, torch.tensor(1), torch.tensor(2.5)],
    "int[]": [[1], (1, True), [1.5], 3, "a", None, ["a"], x, [x]],
    "int[2]": [[1, 2], 3, (1, 2, 3)],
    "int?": [None, 1, 1.5, "a", x],
    "int[]?": [None, [1], "a"],
    "SymInt": [1, 1.5, torch.tensor(1)],
    "SymInt[]": [[1], (1,), ["a"], [1.5], 3],
    "float": [1, 1.5, "a", None, x],
    "float[]": [[1, True], [1.5], ["a"], 2, [1j]],
    "float[2]": [1.5, [1, 2]],
    "bool": [True, 1, None, "a", [1], torch.tensor(True)],
    "bool[3]": [[True] * 3, True],
    "str": ["a", 1, None],
    "str[]": [["a"], "ab", [1]],
    "Scalar": [1, 1.5, 1j, True, "a", None, x],
    "Scalar[]": [[1], ["a"], 3],
    "complex": [1j, 1, "a"],
    "Device": ["cpu", torch.device("cpu"), 3, "nowhere"],
    "ScalarType": [torch.float32, "a"],
    "Generator?": [None, 3],
}
for kind, given in values.items():
    for value in given:
        attempt(lambda: called(kind, value))


def given_back(returns, value):
    space = next(spaces)
    made = library.Library(space, "DEF")
    made.define(f"foo(Tensor x) -> {returns}")
    made.impl("foo", lambda x: value, "CPU")
    return returns, getattr(torch.ops, space).foo(x)


results = {
    "Tensor": [x, 3, None, [x], (x, x), "a"],
    "(Tensor, Tensor)": [(x, x), [x, x], x, (x,), (x, 3)],
    "int": [3, 3.5, x, None],
    "Tensor[]": [[x], (x,), x],
    "()": [None, x, ()],
}
for returns, given in results.items():
    for value in given:
        attempt(lambda: given_back(returns, value))
del attempt, spaces, called, given_back
