"""What an out= tensor's dtype may be, operator by operator, and what torch says where it may not.

Most operators cast their result as an in-place write would. Those that torch writes directly, or
that check for themselves, ask for more; each has words of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitorch.core.arrays.floating_point import warn_of_real_parts
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.arrays.overlap import check_apart, check_itself, check_same_or_apart
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.promotion import can_cast, result_type

# (operator's name, dtype of the result, dtype of out) -> None or an error
Rule = Callable[[str, Any, Any], None]


def castable(name: str, result: Any, out: Any) -> None:
    """The result's kind of number must not have to fall."""
    if not can_cast(result, out):
        raise RuntimeError(
            f"result type {result.scalar_name} can't be cast to the desired output type "
            f"{out.scalar_name}"
        )


def _exactly(text: str, error: type[Exception] = RuntimeError) -> Rule:
    """A rule that demands the result's own dtype; `text` is formatted with name, result and out."""

    def rule(name: str, result: Any, out: Any) -> None:
        if result is not out:
            raise error(text.format(name=name, result=result, out=out))

    return rule


def _castable(text: str, error: type[Exception] = RuntimeError) -> Rule:
    """As `castable`, in other words."""

    def rule(name: str, result: Any, out: Any) -> None:
        if not can_cast(result, out):
            raise error(text.format(name=name, result=result, out=out))

    return rule


def _truth(name: str, result: Any, out: Any) -> None:
    if out not in (dtypes.bool, dtypes.uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {out.scalar_name}")


def _fitting_floats(name: str, result: Any, out: Any) -> None:
    if not (out.is_floating_point or out.is_complex):
        raise RuntimeError(f"{name} can't be cast to the desired output type {out.scalar_name}")
    castable(name, result, out)


def _floating(name: str, result: Any, out: Any) -> None:
    if not (out.is_floating_point or out.is_complex):
        raise RuntimeError(
            f"{name}(): Expected floating point type for result tensor, but got: {out.scalar_name}"
        )
    castable(name, result, out)


def _positions(name: str, result: Any, out: Any) -> None:
    if result is not out:
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or "
            "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's "
            f"dtype {out.scalar_name} and out_int32 flag is {result is dtypes.int32}"
        )


_expected = _exactly(
    "Expected out tensor to have dtype {result.c_name}, but got {out.c_name} instead"
)
_found = _exactly("Found dtype {out.scalar_name} but expected {result.scalar_name}")
# What writes the result of one tensor, or of three, directly; otherwise, or where real numbers come
# of complex ones, it casts.
_unary = _exactly("Found dtype {out.scalar_name} but expected {result.scalar_name}")
_ternary = _exactly("Found dtype {out.scalar_name} but expected {result.scalar_name}")
# By how many tensors they must have been computed from; from others torch casts.
_OPERANDS = {_unary: 1, _ternary: 3}
_matching = _exactly(
    "Expected the dtype for input and out to match, but got {result.scalar_name} for input's dtype "
    "and {out.scalar_name} for out's dtype."
)
_scalar = _exactly("expected scalar type {result.scalar_name} but found {out.scalar_name}")
_same = _exactly("{name}(): self and result must have the same scalar type")
_concatenated = _castable(
    "torch.cat(): input types can't be cast to the desired output type {out.scalar_name}",
    TypeError,
)
_object = _exactly(
    "Expected object of scalar type {result.scalar_name} but got scalar type {out.scalar_name} for "
    "argument 'out'"
)

_mixed = _exactly(
    "self and mat2 must have the same dtype, but got {out.scalar_name} and {result.scalar_name}"
)


# Which of its tensors an operator copies into out= before it looks at the dtype.
_COPIED_FIRST = {"addbmm": 0, "linalg_solve_triangular": 1}

# Which give out= the shape of the result before they look at their arguments.
SIZED_FIRST = frozenset(("dot", "vdot"))
SIZED_BEFORE_DTYPE = frozenset(("slice_scatter",))

# What copies what a view shows.
_VIEW_COPIES = (
    "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy "
    "slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy "
    "unfold_copy unsqueeze_copy view_copy view_as_complex_copy view_as_real_copy"
)

_RULES: dict[Rule, str] = {
    _expected: "addmm addmv baddbmm bmm mean mm matmul linear argmax argmin max min topk "
    "sort msort kthvalue median mode cummax cummin softmax log_softmax scatter scatter_add "
    "scatter_reduce slice_scatter sum prod cumsum cumprod gather tril triu diag_embed norm "
    "index_add index_copy nll_loss avg_pool2d avg_pool3d max_pool2d "
    "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo "
    f"{_VIEW_COPIES}",
    _exactly(
        "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error "
        "message be improved?  If so, please report an enhancement request to PyTorch.)"
    ): "narrow_copy",
    _ternary: "lerp",
    _found: "gelu silu mish elu leaky_relu hardtanh hardshrink softshrink softplus "
    "hardsigmoid hardswish soft_margin_loss binary_cross_entropy",
    _unary: "abs neg ceil floor round sign trunc frac sgn conj_physical bitwise_not clamp "
    "clamp_min clamp_max",
    _matching: "amax amin aminmax",
    _same: "index_select masked_select",
    _scalar: "log_sigmoid native_batch_norm _native_batch_norm_legit linalg_solve_triangular",
    _truth: "all any",
    _floating: "logsumexp",
    _positions: "searchsorted",
    _concatenated: "cat concat concatenate stack hstack vstack row_stack dstack "
    "column_stack _chunk_cat",
    _object: "polar complex",
    _castable(
        "mean.dtype_out(): input types can't be cast to the desired output type {out.scalar_name}"
    ): "mean.dtype_out",
    _exactly(
        "result dtype {out.scalar_name} does not match input dtype {result.scalar_name}"
    ): "dot vdot",
    _exactly(
        "addmv input tensors must have the same dtype, but got {out.scalar_name}, "
        "{result.scalar_name}, and {result.scalar_name}"
    ): "mv",
    _exactly("Expected out type to be {result.scalar_name} but got {out.scalar_name}"): "where",
    _exactly(
        "nonzero: Expected out tensor to have scalar type {result.scalar_name} but got scalar type"
        "{out.scalar_name}"
    ): "nonzero",
    _exactly(
        "nonzero_static: Expected out tensor to have scalar type {result.scalar_name} but got "
        "scalar type{out.scalar_name}"
    ): "nonzero_static",
    _exactly(
        "nan_to_num: dtype of out: {out.scalar_name} should be same as input: {result.scalar_name}"
    ): "nan_to_num",
    _exactly(
        "tensordot: Expected the output tensor to have dtype {result.scalar_name}, but got an "
        "output tensor with dtype {out.scalar_name}"
    ): "tensordot",
    _exactly("{name} does not support non-boolean outputs."): "signbit isneginf isposinf",
    _mixed: "addbmm",
    _exactly(
        "nansum: provided dtype must match dtype of result. Got {out.scalar_name} and "
        "{result.scalar_name}."
    ): "nansum",
    _fitting_floats: "ldexp",
    **{
        _castable(
            f"mvlgamma: result type {{{shown}.scalar_name}} can't be cast to the desired output "
            "type {result.scalar_name}"
        ): name
        for name, shown in (("mvlgamma", "result"), ("mvlgamma_", "out"))
    },
    _exactly("heaviside is not yet implemented for tensors with different dtypes."): "heaviside",
}
_BY_NAME = {name: rule for rule, names in _RULES.items() for name in names.split()}

_PARTS = ("ccol", "col", "crow", "row")  # of compressed tensors
# Under whose name an operator made of another refuses to be differentiated into out=. With "aten::"
# autograd knows nothing of the out= form: it refuses an out= that requires grad, and makes the
# result of inputs that do a NotImplemented.
_SPEAKS_FOR = {
    "square": "pow",
    "concat": "cat",
    "concatenate": "cat",
    "subtract": "sub",
    "frobenius_norm": "norm",
    "outer": "mul",
    "ger": "mul",
    "msort": "sort",
    "take_along_dim": "gather",
    "log_sigmoid": "log_sigmoid_forward",
    "softmax": "aten::softmax",
    "slice_scatter": "aten::slice_scatter",
    "log_softmax": "aten::log_softmax",
    "conj_physical": "aten::conj_physical",
    "diag_embed": "aten::diag_embed",
    **{f"{name}_copy": f"aten::{name}_copy" for name in ("indices", "values")},
    **{f"{name}_indices_copy": f"aten::{name}_indices_copy" for name in _PARTS},
    "_chunk_cat": "aten::_chunk_cat",
    **{name: f"aten::{name}" for name in _VIEW_COPIES.split() if name != "unbind_copy"},
}


# Those whose out= form does not even ask whether anything requires grad.
UNSEEN_BY_AUTOGRAD = {"split_with_sizes_copy"}

# Operators that give out= its shape without a warning: always, and where their input is a scalar.
_RESIZE_IN_SILENCE = frozenset(("addbmm", "log_sigmoid", "multinomial", "narrow_copy"))
_RESIZE_FOR_SCALARS_IN_SILENCE = frozenset(("mode",))
# Element by element, and all the same without a tensor that stands for out= of another dtype.
_RESIZE_ONCE = frozenset(
    "abs angle addmm cumprod cumsum floor_divide logical_and logical_not logical_or logical_xor "
    "logit".split()
)

# Reductions that make out= fit before they take `dim` away, and whether they give it that dimension
# first: by its rank, the input's, and which one it is.
FITTED_WITH_DIM: dict[str, Callable[[int, int, int], bool]] = {
    "kthvalue": lambda own, rank, dim: own == rank - 1,
    "mode": lambda own, rank, dim: own >= dim,
}

# Operators that write out= element by element, so that it must not overlap itself or an input.
_DISJOINT: set[str] = set()
# But of these it may be an input as a whole, which is worked on where it lies; of these the first.
IN_PLACE_OF_INPUTS: set[str] = set()
_IN_PLACE_OF_FIRST: set[str] = set()
# These look at out= alone.
_WHOLE: set[str] = set()
# Which look at that, and at the dtype, before their arguments; what they refuse before.
_MEMORY_FIRST: dict[str, tuple[str, ...]] = {}
# Element-wise operators and their like look at that first, and out= may be an input as a whole.
_ITERATED = set("cumsum cumprod square angle conj_physical nan_to_num addmm".split())
_DTYPE_FIRST = frozenset("signbit isposinf isneginf".split())
# These look at out= alone.
_APART_FROM_ITSELF = frozenset("softmax log_softmax mm matmul".split())
_LATER_OUTPUTS: dict[str, tuple[Rule, ...]] = {}  # where the second output has words of its own


def unseen_out(names: str) -> None:
    """Declares that operators without a gradient take out= whatever requires grad."""
    UNSEEN_BY_AUTOGRAD.update(names.split())


def exact_out(
    name: str,
    *texts: str,
    speaker: str = "",
    overlap: str = "",
    before: tuple[str, ...] = (),
) -> None:
    """Declares that `name` takes an out= of its result's dtype only, and none of its inputs.

    texts: the error for each output, with {0} for the dtype that is wanted and {1} for the given.
    speaker: under whose name it refuses to be differentiated, if not its own.
    overlap: with what out= may share memory nevertheless: it may be an "input", or the "first"
        of them, if it is that as a whole; lie "among" them, but not overlap itself; or "any",
        where torch reads what it has begun to write.
    before: how refusals begin that come before the look at memory, of an operator which has that
        look before most.
    """
    if overlap != "any":
        _DISJOINT.add(name)
    if overlap in _MAY_OVERLAP:
        _MAY_OVERLAP[overlap].add(name)
    if before:
        _MEMORY_FIRST[name] = before
    rules = tuple([_exactly(_positional(text)) for text in texts]) or (_expected,)
    _BY_NAME[name] = rules[0]
    if speaker:
        _SPEAKS_FOR[name] = speaker
    if len(rules) > 1:
        _LATER_OUTPUTS[name] = rules


_MAY_OVERLAP = {
    "input": IN_PLACE_OF_INPUTS,
    "first": _IN_PLACE_OF_FIRST,
    "among": _WHOLE,
}

# In which order operators look at and write their outputs; those that look at them in order.
ORDERED = {"_linalg_eigh": (1, 0), "linalg_eigh": (1, 0), "linalg_svd": (0, 2, 1)}
WRITTEN_IN_REVERSE = frozenset(("histogram",))

# Operators that give out= of another shape row-major strides, whatever their result has; and those
# of them that leave empty ones as the result lies.
ROW_MAJOR: set[str] = set()
ROW_MAJOR_BUT_EMPTY: set[str] = set()
KEPT_IF_EMPTY: set[str] = set()


def castable_out(
    name: str,
    shown: str,
    *outputs: str,
    columns: bool = False,
    kept: bool = False,
    speaker: str = "",
) -> None:
    """Declares that `name`, which calls itself `shown`, casts outputs only where that is safe.

    columns: whether an empty out= is made anew, as the result lies.
    kept: whether one of the right shape stays as it is all the same.
    speaker: under whose name it refuses to be differentiated, if not its own.
    """
    texts = [
        f"{shown}: Expected {each} to be safely castable from {{result.scalar_name}} dtype, but "
        f"got {each} with dtype {{out.scalar_name}}"
        for each in outputs or ("result",)
    ]
    _LATER_OUTPUTS[name] = tuple(map(_castable, texts))
    _SPEAKS_FOR[name] = speaker or name
    ROW_MAJOR.add(name)
    if columns:
        ROW_MAJOR_BUT_EMPTY.add(name)
    if kept:
        KEPT_IF_EMPTY.add(name)


def _positional(text: str) -> str:
    return text.replace("{0", "{result").replace("{1", "{out")


def disjoint_out(names: str) -> None:
    """Declares that operators take no out= that overlaps itself or an input."""
    _DISJOINT.update(names.split())


def iterated_out(name: str) -> None:
    """Declares that `name` writes out= element by element, as it reads its inputs."""
    _ITERATED.add(name)


def check_out_dtype(
    name: str, result: Any, out: Any, given: Sequence[Any] = (), number: int = 0
) -> None:
    """RuntimeError or TypeError with torch's text if `result` cannot go into the dtype `out`.

    given: the tensors among the operator's arguments.
    number: which output it is.
    """
    rules = _LATER_OUTPUTS.get(name)
    rule = rules[min(number, len(rules) - 1)] if rules else _BY_NAME.get(name, castable)
    if rule in _OPERANDS and (
        len(given) != _OPERANDS[rule]
        or any(each.dtype.is_complex for each in given) > result.is_complex
    ):
        rule = castable
    falls = result.is_complex and out is not dtypes.bool and not out.is_complex
    if falls and name in _COPIED_FIRST and given[_COPIED_FIRST[name]]._array.size:
        warn_of_real_parts()
    rule(name, result, out)


def check_iterated(name: str, out: Any, given: Any) -> None:
    """RuntimeError with torch's text if `out` overlaps itself, or a part of one of the given
    tensors, where the operator looks at that before all else."""
    if name in _ITERATED and name not in _DTYPE_FIRST:
        check_itself(out._array)
        for each in given:
            check_same_or_apart(out._array, each._array)
    elif name in _APART_FROM_ITSELF:
        check_itself(out._array)


def check_overlap(name: str, out: Any, given: Any) -> None:
    """RuntimeError with torch's text if `out` overlaps itself, or one of the given tensors, where
    the operator cannot bear it."""
    if name not in _DISJOINT:
        return
    check_itself(out._array)
    for place, each in enumerate(() if name in _WHOLE else given):
        may_be_out = name in IN_PLACE_OF_INPUTS or (not place and name in _IN_PLACE_OF_FIRST)
        if each is not out or not may_be_out:
            check_apart(out._array, each._array, each is out)


def check_before_arguments(name: str, refusal: str, out: Any, given: Any) -> None:
    """RuntimeError with torch's text for a dtype or memory of `out` that the operator looks at
    before that which it refuses with this text."""
    if name in _MEMORY_FIRST and not refusal.startswith(_MEMORY_FIRST[name]):
        check_out_dtype(name, given[0].dtype, out.dtype, given)
        check_overlap(name, out, given)


def resizes_in_silence(name: str, given: Sequence[Any]) -> bool:
    """Whether `name`, called with the tensors `given`, gives out= its shape without a warning."""
    if name in _RESIZE_FOR_SCALARS_IN_SILENCE:
        return given[0]._array.ndim == 0
    return name in _RESIZE_IN_SILENCE


def resizes_twice(name: str, args: Sequence[Any], result: Any, out: Any) -> bool:
    """Whether `name` computes in a dtype that is not that of `out`, in a tensor which stands for it
    and is resized as well."""
    if name not in _ITERATED or name in _RESIZE_ONCE or out is result:
        return False
    if name == "pow" and not hasattr(args[0], "dtype"):  # which has fitted it before it computes
        return False
    if result is not dtypes.bool:
        return True
    operands = [(x.dtype, x.ndim) if hasattr(x, "dtype") else x for x in args if x is not None]
    return result_type(*operands) is not out


def speaker_of(name: str) -> str:
    """Under whose name `name` refuses to be differentiated into out=."""
    return _SPEAKS_FOR.get(name, name)


def refuse_gradients(speaker: str) -> RuntimeError:
    """The error for out= where something requires grad."""
    return RuntimeError(
        f"{speaker}(): functions with out=... arguments don't support "
        "automatic differentiation, but one of the arguments requires grad."
    )


_WRITTEN_DIRECTLY = frozenset(("addmm_", "addmv_", "baddbmm_"))


# In-place operators that write a tensor whose elements share memory, as those of an expanded one.
BEARS_OVERLAP = frozenset(
    "addmv_ baddbmm_ tril_ triu_ masked_fill_ index_fill_ index_put_ float_power_ "
    "threshold_".split()
)
# Where they leave every number alone, these do not write at all.
_IDLE = {"conj_physical_": Kind.FLOATING, "nan_to_num_": Kind.INTEGER}


def bears_overlap(name: str, self: Any) -> bool:
    """Whether an in-place operator writes `self` even if its elements share memory. What is read
    through a bit is written by a copy that goes back."""
    bears = name in BEARS_OVERLAP or self.dtype.kind <= _IDLE.get(name, -1)
    if name in TRIANGLES:
        bears = self.dim() < 4 or _lie_in_turn(self.shape, self.stride())
    return bears and type(self._array) is not Lazy


# In-place operators that write zeros outside of a triangle.
TRIANGLES = frozenset(("tril_", "triu_"))


def _lie_in_turn(shape: Any, strides: Any) -> bool:
    """Whether matrices follow upon each other. As checkTrilTriuBatchContiguous of
    ATen/native/LinearAlgebraUtils.h, which lets the first dimension of a batch repeat."""
    step = shape[-1] * shape[-2]
    for dim in range(len(shape) - 3, -1, -1):
        if strides[dim] != step and (dim or (strides[0] and shape[0] != 1)):
            return False
        step *= shape[dim]
    return True


# In-place operators that write one value, the last argument, at some elements and leave the others
# alone, and warn where elements share memory; with what does the same.
FILLS = {
    "masked_fill_": "tensor[mask] = scalar",
    "index_fill_": "tensor[mask] = scalar",
}

# What is said of dtypes before anybody looks at memory.
OF_DTYPES = ("is not supported", "is not intended", "for complex tensors")  # with out=
BEFORE_OVERLAP = ("expected dtype", "clamp is not supported")

# What those say before that which read no memory that they write.
BEFORE_APART = ("Dimension", "scatter(): Expected dtype", "put_(): Expected a long")
# In-place operators that read no memory which they write.
APART = frozenset("index_copy_ index_fill_ put_ scatter_ scatter_add_ scatter_reduce_".split())

# In-place operators that may read the very memory which they write, but no part of it.
SAME_OR_APART = frozenset(("masked_fill_",))

# In-place operators whose numbers must not promote `self`, which torch refuses in words of its own.
CLAMPING = frozenset("clamp_ clip_ clamp_min_ clamp_max_".split())


def check_mask(mask: Any) -> None:
    """RuntimeError for a mask that is not bool."""
    if mask.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.of(mask).c_name}"
        )


def check_clamped(name: str, result: Any, own: Any) -> None:
    """RuntimeError with torch's text if clamping by numbers gives `result`, another dtype."""
    if name in CLAMPING and result is not own:
        raise RuntimeError(
            f"result type {result.scalar_name} can't be cast to the desired output type "
            f"{own.c_name}"
        )


# In-place operators that torch writes as if into out=, so that `self` takes the result's shape.
RESHAPED = frozenset(("addbmm_",))


def refuse_shape(name: str, own: tuple[int, ...], result: tuple[int, ...]) -> RuntimeError:
    """The error for an in-place operator whose result has another shape."""
    if name in _WRITTEN_DIRECTLY:
        return RuntimeError(
            f"Bad in-place call: input tensor size {list(own)} and output tensor size "
            f"{list(result)} should match"
        )
    if name == "addr_":
        return RuntimeError(f"2D tensor expected, got {len(own)}D tensor for input")
    return RuntimeError(
        f"output with shape {list(own)} doesn't match the broadcast shape {list(result)}"
    )
