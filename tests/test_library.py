"""torch.library: operators that a program defines."""

from collections.abc import Iterator

import pytest

import minitorch as torch
from minitorch import Tensor, library
from minitorch._public.operator_checks import OpCheckError
from minitorch._subclasses import FakeTensorMode
from minitorch.utils._python_dispatch import TorchDispatchMode


@pytest.fixture
def scaled() -> Iterator[library.CustomOpDef]:
    @library.custom_op("tests::scaled", mutates_args=())
    def scaled(x: Tensor, n: int, s: float = 1.0) -> Tensor:
        return x * n * s

    yield scaled
    library.undefine(scaled._operator)


def test_an_operator_is_found_under_torch_ops(scaled):
    op = torch.ops.tests.scaled.default
    assert str(op) == "tests.scaled.default"
    assert str(op._schema) == "tests::scaled(Tensor x, SymInt n, float s=1.) -> Tensor"
    assert torch.ops.tests.scaled(torch.ones(2), 3).tolist() == [3.0, 3.0]
    assert scaled(torch.ones(2), n=2, s=0.5).tolist() == [1.0, 1.0]


def test_gradients_are_those_that_are_registered(scaled):
    x = torch.ones(2, requires_grad=True)
    y = scaled(x, 2)
    assert y.grad_fn.name() == "GeneratedBackwardFor_tests_scaled_defaultBackward"
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        y.sum().backward()

    def setup(ctx, inputs, output):
        ctx.n = inputs[1]

    scaled.register_autograd(lambda ctx, g: (g * ctx.n * 10, None, None), setup_context=setup)
    assert torch.autograd.grad(scaled(x, 2).sum(), x)[0].tolist() == [20.0, 20.0]


def test_arguments_that_do_not_fit_the_schema_are_refused(scaled):
    with pytest.raises(RuntimeError, match="is missing value for argument 'n'"):
        scaled(torch.ones(2))
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'x'"):
        scaled(1, 2)


def test_a_result_must_not_be_an_input():
    same = library.custom_op("tests::same", mutates_args=(), schema="(Tensor x) -> Tensor")(
        lambda x: x
    )
    with pytest.raises(RuntimeError, match="must not also be an input"):
        same(torch.ones(2))
    library.undefine(same._operator)


def test_libraries_define_operators_by_schema():
    lib = library.Library("tests2", "FRAGMENT")
    lib.define("twice(Tensor x, int n=2) -> Tensor")
    lib.impl("twice", lambda x, n=2: x * n, "CPU")
    assert torch.ops.tests2.twice(torch.ones(2)).tolist() == [2.0, 2.0]
    lib._destroy()
    with pytest.raises(AttributeError, match="has no attribute 'twice'"):
        torch.ops.tests2.twice  # noqa: B018


def test_opcheck_finds_writes_that_the_schema_does_not_say(scaled):
    checked = library.opcheck(scaled, (torch.ones(2), 2))
    assert checked == {"test_schema": "SUCCESS", "test_autograd_registration": "SUCCESS"}
    writing = library.custom_op("tests::writing", mutates_args=(), schema="(Tensor x) -> Tensor")(
        lambda x: x.add_(1).clone()
    )
    with pytest.raises(OpCheckError, match="not defined as mutable but was mutated"):
        library.opcheck(writing, (torch.ones(2),))
    library.undefine(writing._operator)
    with pytest.raises(NotImplementedError, match="needs fake tensors"):
        library.opcheck(scaled, (torch.ones(2), 2), test_utils="test_faketensor")


def test_kernels_of_triton_are_refused_and_operators_around_them_are_made():
    @library.triton_op("tests::around", mutates_args=())
    def around(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    assert around(torch.ones(1)).item() == 2.0
    assert around(torch.empty(3, device="meta")).shape == (3,)
    with pytest.raises(ModuleNotFoundError, match="No module named 'triton'"):
        library.wrap_triton(around)


def test_a_call_takes_the_overload_whose_schema_fits():
    with library._scoped_library("tests_overloads", "DEF") as made:
        made.define("f(Tensor x) -> Tensor")
        made.define("f.number(Tensor x, int y) -> Tensor")
        made.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
        made.impl("f.number", lambda x, y: x * y, "CompositeExplicitAutograd")
        f = torch.ops.tests_overloads.f
        assert (f(torch.ones(1)).item(), f(torch.ones(1), 3).item()) == (2.0, 3.0)
        with pytest.raises(RuntimeError, match="failed to match any schema"):
            f(torch.ones(1), "text")


def test_infer_schema_accepts_the_annotations_that_torch_does():
    from minitorch._library.infer_schema import infer_schema

    def written(x: "torch.Tensor", y: list[int], z: float | None = None) -> torch.Tensor: ...

    assert infer_schema(written, mutates_args=("x",)) == (
        "(Tensor(a0!) x, SymInt[] y, float? z=None) -> Tensor"
    )

    def pair(x: tuple[int, int]) -> None: ...

    with pytest.raises(ValueError, match=r"try to use List instead. For example, list\[int\]\."):
        infer_schema(pair, mutates_args=())

    def numbers(x: torch.Tensor) -> list[int]: ...

    with pytest.raises(ValueError, match="Return has unsupported type"):
        infer_schema(numbers, mutates_args=())
    with pytest.raises(ValueError, match="only Tensors or collections of Tensors can be mutated"):
        infer_schema(written, mutates_args=("y",))


def test_the_operators_of_a_scoped_library_end_with_its_block():
    with torch.library._scoped_library("scoped_here", "FRAGMENT") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        assert torch.ops.scoped_here.twice(torch.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(AttributeError):
        torch.ops.scoped_here.twice  # noqa: B018  # asking for it raises


def test_modes_below_autograd_see_an_operator_as_one_call(scaled):
    x, seen = torch.ones(2), []

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Noting():
        scaled(x, 3)
    assert seen == ["tests.scaled.default"]


def test_fake_tensors_take_the_fake_kernel_of_an_operator():
    @library.custom_op("tests::faked", mutates_args=())
    def faked(x: Tensor) -> Tensor:
        raise AssertionError("the kernel is for numbers")

    with FakeTensorMode() as mode, pytest.raises(RuntimeError, match="no fake impl registered"):
        faked(mode.from_tensor(torch.ones(2)))
    faked.register_fake(lambda x: x.new_empty(3))
    with FakeTensorMode() as mode:
        assert faked(mode.from_tensor(torch.ones(2))).shape == (3,)
    library.undefine(faked._operator)


def test_decorators_of_a_library_define_and_give_kernels():
    library = torch.library.Library("decorated_here", "DEF")

    @torch.library.define(library, "twice(Tensor a) -> Tensor")
    def twice(a):
        return a * 2

    library.define("decorated_here::thrice(Tensor a) -> Tensor")

    @torch.library.impl(library, "thrice", "CPU")
    def thrice(a):
        return a * 3

    assert torch.ops.decorated_here.twice(torch.ones(1)).item() == 2
    assert torch.ops.decorated_here.thrice(torch.ones(1)).item() == 3
    assert thrice(torch.ones(1)).item() == 3
    with pytest.raises(RuntimeError, match=r"namespace \(elsewhere\) in schema string"):
        library.define("elsewhere::f(Tensor a) -> Tensor")


def test_what_registers_by_name_returns_nothing():
    torch.library.define("registered_here::f", "(Tensor x) -> Tensor")
    assert torch.library.impl("registered_here::f", "cpu")(torch.clone) is None
    assert torch.library.register_kernel("registered_here::f", "cuda", torch.clone) is None
    assert torch.ops.registered_here.f(torch.ones(1)).item() == 1


# ---- tags, autocast, and rules of modes


def test_an_operator_tagged_inplace_returns_what_it_writes():
    @library.custom_op("tests::half_", mutates_args={"x"}, tags=torch.Tag.inplace)
    def half_(x: Tensor) -> Tensor:
        x.detach().numpy()[...] /= 2
        return x

    x = torch.ones(2)
    before = x._version
    assert half_(x) is x
    assert x.tolist() == [0.5, 0.5]
    assert x._version == before + 1
    assert half_._schema == "(Tensor(a0!) x) -> Tensor(a0!)"
    assert torch.ops.tests.half_.default.tags == [torch.Tag.pt2_compliant_tag, torch.Tag.inplace]
    library.undefine(half_._operator)


def test_an_operator_tagged_inplace_must_return_what_it_writes():
    @library.custom_op("tests::copied_", mutates_args={"x"}, tags=torch.Tag.inplace)
    def copied_(x: Tensor) -> Tensor:
        return x.clone()

    with pytest.raises(RuntimeError, match="must return its first argument"):
        copied_(torch.ones(2))
    library.undefine(copied_._operator)


def test_an_operator_tagged_out_returns_what_it_writes_by_name():
    @library.custom_op("tests::doubled", mutates_args={"out"}, tags=torch.Tag.out)
    def doubled(x: Tensor, *, out: Tensor) -> Tensor:
        out.numpy()[...] = x.numpy() * 2
        return out

    out = torch.empty(2)
    assert doubled(torch.ones(2), out=out) is out
    assert out.tolist() == [2.0, 2.0]
    assert doubled._schema == "(Tensor x, *, Tensor(a1!) out) -> Tensor(a1!)"
    with pytest.raises(RuntimeError, match="Out variants do not support autograd"):
        doubled.register_autograd(lambda ctx, g: g)
    library.undefine(doubled._operator)


def test_infer_schema_refuses_tags_that_the_function_contradicts():
    def plain(x: Tensor) -> Tensor:
        return x

    for names, tag, text in [
        ((), torch.Tag.inplace, "to contain exactly the first positional argument"),
        ({"x"}, torch.Tag.out, "requires mutable arguments to be keyword-only"),
        ((), torch.Tag.out, "requires at least one mutable keyword-only Tensor"),
    ]:
        with pytest.raises(ValueError, match=text):
            library.infer_schema(plain, mutates_args=names, tags=tag)


def test_register_autocast_hands_over_arguments_in_its_dtype(scaled):
    library.register_autocast(scaled, "cpu", torch.bfloat16)
    assert scaled(torch.ones(2), 2).dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert scaled(torch.ones(2), 2).dtype is torch.bfloat16
        assert scaled(torch.ones(2, dtype=torch.float64), 2).dtype is torch.float64
    with pytest.raises(ValueError, match="'meta' does not support autocast"):
        library.register_autocast("tests::scaled", "meta", torch.float16)


def test_register_torch_dispatch_takes_a_mode_s_place(scaled):
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise AssertionError("the rule comes first")

    @library.register_torch_dispatch("tests::scaled", Mode)
    def rule(mode, func, types, args, kwargs):
        assert isinstance(mode, Mode)
        return func(*args, **kwargs) + 1

    x = torch.ones(2)
    with Mode():
        result = scaled(x, 2)
    assert result.tolist() == [3.0, 3.0]
    with pytest.raises(NotImplementedError, match="for a class of tensors"):
        scaled.register_torch_dispatch(Tensor, rule)


@pytest.mark.filterwarnings("ignore:ours::")
def test_a_kernel_without_a_gradient_records_what_its_functions_do():
    library = torch.library.Library("ours", "DEF")
    library.define("tripled(Tensor x) -> Tensor")
    library.impl("tripled", lambda x: x * 3, "CPU")
    library.define("apart(Tensor x) -> Tensor")
    library.impl("apart", lambda x: x.detach() * 3, "CPU")
    x = torch.ones(2, requires_grad=True)
    torch.ops.ours.tripled(x).sum().backward()
    assert x.grad.tolist() == [3, 3]
    found = torch.autograd.grad(torch.ops.ours.apart(x).sum(), x, allow_unused=True)
    assert found == (None,)
    library._destroy()


def test_a_backward_through_a_kernel_without_a_gradient_warns():
    library = torch.library.Library("ours", "DEF")
    library.define("tripled(Tensor x) -> Tensor")
    library.impl("tripled", lambda x: x * 3, "CPU")
    y = torch.ops.ours.tripled(torch.ones(2, requires_grad=True))
    with pytest.warns(UserWarning, match="ours::tripled: an autograd kernel was not registered"):
        y.sum().backward()
    library._destroy()


def test_a_kernel_of_Autograd_stands_above_those_of_devices():
    library = torch.library.Library("ours", "DEF")
    library.define("halved(Tensor x) -> Tensor")

    class Halved(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch._C._AutoDispatchBelowAutograd():
                return torch.ops.ours.halved(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    library.impl("halved", lambda x: x / 2, "CPU")
    library.impl("halved", Halved.apply, "Autograd")
    x = torch.ones(2, requires_grad=True)
    y = torch.ops.ours.halved(x)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([0.5, 0.5], [10, 10])
    library._destroy()


SCHEMAS = {
    "foo()": "expected arrow but found 'eof' here:\nfoo()",
    "foo(Tensor) -> Tensor": (
        "expected ident but found ')' here:\nfoo(Tensor) -> Tensor\n          ~ <--- HERE\n"
    ),
    "foo(Tensor x -> Tensor": (
        "expected ) but found 'arrow' here:\nfoo(Tensor x -> Tensor\n             ~~ <--- HERE\n"
    ),
    "foo(int x=a) -> Tensor": (
        "\ninvalid numeric default value:\nfoo(int x=a) -> Tensor\n           ~ <--- HERE\n"
    ),
    "foo.default(Tensor x) -> Tensor": ("default is not a legal overload name for aten operators"),
    "foo": "Tried to parse a function schema but only the operator name was given",
    "1foo(Tensor x) -> Tensor": (
        "expected ident but found 'number' here:\n1foo(Tensor x) -> Tensor\n~ <--- HERE\n"
    ),
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_library_define_says_where_a_schema_is_none(schema):
    with pytest.raises(RuntimeError) as caught:
        library.Library("tests_schemas", "FRAGMENT").define(schema)
    assert str(caught.value) == SCHEMAS[schema]


def test_library_define_reads_spaces_and_keeps_the_schema_in_order():
    with library._scoped_library("tests_spaces", "FRAGMENT") as made:
        assert made.define(" foo (Tensor x ,int[2]  n=[1,2], *,float s = 1)->Tensor") == "foo"
        text = str(torch.ops.tests_spaces.foo.default._schema)
        assert text == "tests_spaces::foo(Tensor x, int[2] n=[1, 2], *, float s=1.) -> Tensor"


def test_library_refuses_a_namespace_and_an_operator_made_twice():
    with library._scoped_library("tests_twice", "DEF") as made:
        made.define("foo(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="with the same name and overload name multiple"):
            made.define("foo(Tensor x, int y) -> Tensor")
        with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY can be used"):
            library.Library("tests_twice", "DEF")
        with pytest.raises(RuntimeError, match="Cannot define an operator inside of"):
            library.Library("tests_twice", "IMPL").define("bar(Tensor x) -> Tensor")
    library.Library("tests_twice", "DEF")._destroy()


def test_library_impl_waits_for_its_operator_and_refuses_unknown_keys():
    with library._scoped_library("tests_later", "FRAGMENT") as made:
        made.impl("foo", lambda x: x + 1, "CPU")
        made.define("foo(Tensor x) -> Tensor")
        assert torch.ops.tests_later.foo(torch.ones(1)).tolist() == [2]
        for key in ("cpu", "Nothing", "EndOfDenseBackends", "QuantizedMPS"):
            with pytest.raises(RuntimeError, match=f"could not parse dispatch key: {key}"):
                made.impl("foo", lambda x: x, key)
        with pytest.raises(RuntimeError, match="either a name or an OpOverload"):
            made.impl(3, lambda x: x, "CPU")


def test_library_define_keeps_tags_and_refuses_those_that_do_not_fit():
    with library._scoped_library("tests_tags", "FRAGMENT") as made:
        made.define("foo(Tensor x) -> Tensor", tags=torch.Tag.pointwise)
        assert torch.ops.tests_tags.foo.default.tags == [torch.Tag.pointwise]
        with pytest.raises(ValueError, match="requires the first positional argument to be mut"):
            made.define("bar(Tensor x) -> Tensor", tags=(torch.Tag.inplace,))
        with pytest.raises(ValueError, match="must have at least one mutable argument"):
            made.define("bar(Tensor x) -> Tensor", tags=(torch.Tag.out,))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("Tensor[]", [torch.ones(1), 3], "'List[Tensor]' for argument 'x' but instead found type"),
        ("int[]", [1.5], "'List[int]' for argument 'x' but instead found type 'list'"),
        ("SymInt[]", 3, "TypeError: 'int' object is not iterable"),
        ("int?", "a", "'Optional[int]' for argument 'x' but instead found type 'str'"),
        ("Scalar", "a", "Cast error details: Cannot cast a to number"),
        ("Tensor?[]", [3], "Cast error details: Unable to cast 3 to Tensor"),
    ],
)
def test_arguments_of_operators_are_refused_by_their_type(kind, value, words):
    with library._scoped_library("tests_values", "FRAGMENT") as made:
        made.define(f"foo({kind} x) -> Tensor")
        made.impl("foo", lambda x: torch.ones(1))
        with pytest.raises(RuntimeError) as caught:
            torch.ops.tests_values.foo(value)
        assert words in str(caught.value)


def test_arguments_of_operators_are_converted_to_their_type():
    taken = [
        ("float", 1, 1.0),
        ("int[2]", 3, [3, 3]),
        ("bool", None, False),
        ("str[]", "ab", [*"ab"]),
    ]
    for kind, value, found in taken:
        with library._scoped_library("tests_taken", "FRAGMENT") as made:
            made.define(f"foo({kind} x) -> Tensor")
            seen = []
            made.impl("foo", lambda x, seen=seen: seen.append(x) or torch.ones(1))
            torch.ops.tests_taken.foo(value)
        assert repr(seen) == repr([found])


def test_results_of_operators_are_refused_by_their_type():
    with library._scoped_library("tests_results", "FRAGMENT") as made:
        made.define("foo(Tensor x) -> Tensor")
        made.impl("foo", lambda x: 3)
        with pytest.raises(RuntimeError, match="Unable to cast 3 to Tensor"):
            torch.ops.tests_results.foo(torch.ones(1))


def test_a_second_kernel_takes_the_place_of_the_first_unless_that_is_forbidden():
    own = torch.library.Library("overridden", "DEF")
    own.define("twice(Tensor x) -> Tensor")
    own.impl("twice", lambda x: x + 1, "CPU")
    own.impl("twice", lambda x: x + 2, "CPU")
    assert torch.ops.overridden.twice(torch.zeros(1)).item() == 2
    with pytest.raises(RuntimeError, match="a kernel registered from python overriding twice's"):
        own.impl("twice", lambda x: x + 3, "CPU", allow_override=False)
    own._destroy()
    again = torch.library.Library("overridden", "DEF")
    again.define("twice(Tensor x) -> Tensor")
    again.impl("twice", lambda x: x + 4, "CPU", allow_override=False)
    assert torch.ops.overridden.twice(torch.zeros(1)).item() == 4
    again._destroy()
