"""Schemas: the one-line signatures of operators, parsed."""

import pytest

from minitorch.core.declare.schema import Schema


def test_a_schema_has_a_name_an_overload_and_a_key():
    schema = Schema.parse("mul.Tensor(Tensor self, Tensor other) -> Tensor")
    assert (schema.name, schema.overload, schema.key) == ("mul", "Tensor", "mul_Tensor")
    assert Schema.parse("neg(Tensor self) -> Tensor").key == "neg"


def test_arguments_keep_type_name_and_default():
    schema = Schema.parse("f(Tensor self, int dim=-1, Scalar alpha=1.5, int? k=None) -> Tensor")
    assert [(a.type, a.name, a.default) for a in schema.arguments] == [
        ("Tensor", "self", None),
        ("int", "dim", "-1"),
        ("Scalar", "alpha", "1.5"),
        ("int?", "k", "None"),
    ]


def test_arguments_after_the_star_are_keyword_only():
    schema = Schema.parse("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
    assert [a.keyword_only for a in schema.arguments] == [False, False, True]


def test_lists_default_to_tuples_so_that_nobody_writes_into_them():
    schema = Schema.parse("roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor")
    assert schema.arguments[2].default == "()"
    schema = Schema.parse("rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor")
    assert eval(schema.arguments[2].default) == (0, 1)


def test_words_of_aten_become_python_values():
    schema = Schema.parse("mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
    assert schema.arguments[2].default == "1"


def test_the_parameter_of_self_is_called_input():
    schema = Schema.parse("sum(Tensor self, *, ScalarType? dtype) -> Tensor")
    assert [a.python for a in schema.arguments] == ["input", "dtype=None"]


def test_alias_marks_say_what_is_viewed_and_what_is_written():
    view = Schema.parse("view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
    assert view.is_view
    assert (view.arguments[0].type, view.arguments[0].alias) == ("Tensor", "a")
    written = Schema.parse("zero_(Tensor(a!) self) -> Tensor(a!)")
    assert written.arguments[0].alias == "a!"
    assert not written.is_view


def test_outputs_have_names_or_are_numbered():
    assert Schema.parse("neg(Tensor self) -> Tensor").outputs == ("result",)
    named = Schema.parse("max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)")
    assert named.outputs == ("values", "indices")
    assert named.names_outputs
    plain = Schema.parse("_unique(Tensor self) -> (Tensor, Tensor)")
    assert plain.outputs == ("result0", "result1")
    assert not plain.names_outputs


def test_lists_of_tensors_are_tensor_arguments():
    schema = Schema.parse("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")
    assert [a.name for a in schema.tensors] == ["self", "indices"]
    assert schema.arguments[1].is_tensor_list
    assert not schema.arguments[1].is_tensor
    assert Schema.parse("split(Tensor(a) self, int n) -> Tensor(a)[]").returns_list


@pytest.mark.parametrize("text", ["", "mul", "mul(Tensor self)", "mul Tensor self -> Tensor"])
def test_what_is_no_schema_is_refused(text):
    with pytest.raises(ValueError, match="not an operator schema"):
        Schema.parse(text)
