"""Schemas of operators as objects, and the types in them."""

import pytest

import minitorch as torch


def test_schemas_of_aten_say_what_operators_write_and_view():
    add_, view = torch.ops.aten.add_.Tensor, torch.ops.aten.view.default
    assert add_._schema.is_mutable
    assert add_._schema.arguments[0].alias_info.is_write
    assert (view.is_view, view._schema.is_mutable) == (True, False)
    assert [each.is_out for each in torch.ops.aten.add.out._schema.arguments][-1]


def test_arguments_of_schemas_have_types_defaults_and_sizes():
    arguments = torch.ops.aten.conv2d.default._schema.arguments
    assert [each.name for each in arguments][2:4] == ["bias", "stride"]
    stride = arguments[3]
    assert (stride.default_value, stride.N, str(stride.type)) == ([1, 1], 2, "List[int]")
    assert isinstance(arguments[2].type, torch.OptionalType)
    assert str(torch.ops.aten.to.dtype._schema.arguments[1].real_type) == "ScalarType"


def test_tags_of_aten_are_those_of_torch():
    assert torch.Tag.pointwise in torch.ops.aten.add.Tensor.tags
    assert torch.ops.aten.relu_.default.tags[0] is torch.Tag.inplace


def test_parse_schema_writes_numbers_and_strings_as_torch():
    schema = torch.parse_schema("a::b(float x=2, str s='c, d', int[2] n=1) -> (Tensor y)")
    assert str(schema) == 'a::b(float x=2., str s="c, d", int[2] n=1) -> (Tensor y)'
    assert [each.default_value for each in schema.arguments] == [2.0, "c, d", [1, 1]]
    with pytest.raises(RuntimeError, match="only the operator name was given"):
        torch.parse_schema("a::b")


def test_types_compare_by_what_they_hold():
    assert torch.ListType(torch.IntType.get()) == torch.ListType.ofInts()
    assert torch.IntType.get().isSubtypeOf(torch.NumberType.get())
    with pytest.raises(TypeError, match="No constructor defined"):
        torch.IntType()
