# torch.FunctionSchema: the names, the arguments and the results of schemas
def seen(each):
    alias = each.alias_info
    sets = alias and (alias.is_write, sorted(alias.before_set), sorted(alias.after_set))
    kind = (str(each.type), type(each.type).__name__, each.type.str(), each.type.kind())
    real = (str(each.real_type), type(each.real_type).__name__, each.real_type.str())
    default = (each.has_default_value(), each.default_value)
    return each.name, kind, real, default, each.kwarg_only, each.N, each.is_out, each.is_write, sets


names = """add.Tensor add_.Tensor add.out conv2d.default sum.dim_IntList view.default split.Tensor max.dim
cat.default native_layer_norm.default index.Tensor index_put_.default to.dtype empty.memory_format
_foreach_add_.List clamp.default searchsorted.Tensor stft.default linalg_eigh.default lstm.input
bernoulli.default _to_copy.default squeeze_.dim norm.ScalarOpt_dim unbind.int histogramdd.default"""
found = {}
for name in names.split():
    packet, overload = name.split(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload)
    schema = operator._schema
    found[name] = (
        str(schema),
        schema.name,
        schema.overload_name,
        schema.is_mutable,
        operator.is_view,
        [seen(each) for each in schema.arguments],
        [seen(each) for each in schema.returns],
        [tag.name for tag in operator.tags],
    )
print(torch.FunctionSchema, torch.Argument, torch._C.FunctionSchema is torch.FunctionSchema)
a = torch.ops.aten.add.Tensor._schema == torch.ops.aten.add.Tensor._schema

# torch.Tag: the tags of operators, as modes ask for them
a = torch.Tag.pointwise in torch.ops.aten.add.Tensor.tags
b = torch.Tag.inplace_view in torch.ops.aten.t_.default.tags
c = torch.Tag.nondeterministic_seeded in torch.ops.aten.rand.default.tags

# torch._C.parse_schema: texts of programs, and how they are written back
for text in (
    "my::f(Tensor x, int[2] y=1, *, float f=2, str s='a, b') -> (Tensor a, Tensor(b!) c)",
    "my::f(Tensor(a!)[] x, float? y=3, float[] z=[0.1, 2]) -> ()",
    "my::f.other(Dict(str, Tensor) d, (int, str) t, Scalar k=0.5, ScalarType? of=None) -> ...",
):
    schema = torch._C.parse_schema(text)
    print(schema, schema.is_mutable, schema.name, schema.overload_name)
    print([(each.name, str(each.type), each.default_value, each.N) for each in schema.arguments])
    print([(each.name, str(each.type)) for each in schema.returns])

# torch._C.parse_schema: a name alone
torch._C.parse_schema("my::f")

# torch.TensorType: types made by themselves
a = [
    str(each)
    for each in (
        torch.ListType(torch.IntType.get()),
        torch.OptionalType(torch.TensorType.get()),
        torch.TupleType([torch.IntType.get(), torch.StringType.get()]),
        torch.ListType.ofTensors(),
        torch.DictType(torch.StringType.get(), torch.NumberType.get()),
        torch.DeviceObjType.get(),
    )
]
b = torch.ListType(torch.IntType.get()) == torch.ListType.ofInts()
c = torch.IntType.get().isSubtypeOf(torch.OptionalType(torch.IntType.get()))
d = [
    torch.IntType.get().isSubtypeOf(each)
    for each in (torch.NumberType.get(), torch.FloatType.get())
]
e = isinstance(torch.IntType.get(), torch.Type)

# torch.IntType: a type is not called
torch.IntType()


# torch.library.custom_op: the schema of an operator of a program, and its tags
@torch.library.custom_op("schemas::scale", mutates_args=("y",))
def scale(
    x: torch.Tensor, y: torch.Tensor, k: float = 2.0, n: list[int] | None = None
) -> torch.Tensor:
    y.add_(1)
    return x * k


schema = torch.ops.schemas.scale.default._schema
print(schema, schema.is_mutable, torch.ops.schemas.scale.default.tags)
print([(each.name, str(each.type), each.default_value, each.is_write) for each in schema.arguments])
