"""Rules for every row of the table of operators, on its samples."""

import ast
import re
from pathlib import Path

import numpy
import pytest

import minitorch as torch
from minitorch import aten
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.base import formulas
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import watch
from minitorch.core.declare.out import NEVER, out_of
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import FREE, derived, parameters
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.wording.out_rules import error_name_of, in_place_of
from minitorch.core.tensor.conversion import from_array
from tests.aten.samples import has_samples, samples
from tests.aten.samples.calling import (
    differentiable,
    function_of,
    gradients,
    inplace,
    is_random,
    recorded,
    refuses_dtype,
    run,
    weights_for,
    with_leaves,
    writes,
)

# Rows whose formula is, as in torch, not the derivative of their forward.
NOT_THE_DERIVATIVE = {
    "normal_Tensor_Tensor": "what is drawn counts as constant",
    "normal_Tensor_float": "what is drawn counts as constant",
    "normal_float_Tensor": "what is drawn counts as constant",
    "as_strided_scatter": "of `self`, what was overwritten gets a gradient and the rest none",
}

# Rows whose formula, as in torch, passes on the gradient of the first output alone.
FIRST_OUTPUT_ONLY = {"native_group_norm"}

# Rows whose backward operator has no derivative, in torch either.
NO_SECOND_DERIVATIVE = {
    "_cdist_forward",
    "_pdist_forward",
    "_embedding_bag",
    "_weight_norm_interface",  # one that takes the norms as constants
    "hardsigmoid",
    "_scaled_dot_product_flash_attention_for_cpu",
    "multi_margin_loss",
    "multilabel_margin_loss_forward",
    "segment_reduce",
}

# Rows with a result of a dtype of its own: weights of 2 bytes are counted in float64, the
# logarithms of sums that attention keeps for its gradient are float32, as is what an LSTM keeps.
OWN_DTYPE = {
    "bincount",
    "_scaled_dot_product_flash_attention_for_cpu",
    "mkldnn_rnn_layer",
    "_weight_norm_interface",
    "norm_ScalarOpt_dtype",
    "norm_ScalarOpt_dim_dtype",
}

# Rows that have, as in torch, another formula for gradients which are to be differentiated.
TWO_FORMULAS = {"_linalg_det", "_linalg_slogdet", "_linalg_solve_ex", "mkldnn_rnn_layer"}

# Rows that write running statistics or averages.
UPDATING = {
    "_batch_norm_with_update",
    "_fused_moving_avg_obs_fq_helper",
    "batch_norm_update_stats",
}

# Rows that take float32, or scales of it, whatever else is.
SINGLE = {
    "_fake_quantize_learnable_per_channel_affine",
    "_fake_quantize_learnable_per_channel_affine_backward",
    "_fake_quantize_learnable_per_tensor_affine_backward",
    "_grouped_mm",
    "choose_qparams_optimized",
    "fake_quantize_per_channel_affine_cachemask",
}

KEYS = sorted(filter(has_samples, ROWS))
WITH_NODE = [key for key in KEYS if differentiable(key)]
DERIVATIVES = [key for key in WITH_NODE if key not in NOT_THE_DERIVATIVE]


def bits(tensor):
    """The elements as bytes, so that NaNs and signs of zero count."""
    return numpy.ascontiguousarray(tensor._array).tobytes()


def same(a, b):
    """Whether two gradients are equal to the bit; both may be None."""
    if a is None or b is None:
        return a is b
    return a.dtype is b.dtype and a.shape == b.shape and bits(a) == bits(b)


# ---- the declarations ----------------------------------------------------------------------------


def test_every_row_has_samples():
    assert [key for key in sorted(ROWS) if not has_samples(key)] == []


@pytest.mark.parametrize("key", KEYS)
def test_every_row_declares_what_its_parts_ask_for(key):
    row = ROWS[key]
    names = {a.name for a in row.schema.arguments}
    for formula in row.formulas.values():
        for name in parameters(formula):
            assert name in names | FREE | set(row.schema.outputs) or derived(row, name), name
    assert set(row.formulas) <= names | {"inputs"}
    if callable(row.forward) and not writes(key):
        assert set(parameters(row.forward)) <= names | {"xp", "dtype"}


def test_formulas_ask_for_operators_that_exist():
    missing = set()
    for path in Path(aten.__file__).parent.rglob("*.py"):
        if path.parent.name == "sparse":  # whose operators are there once a tensor is sparse
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Attribute) or node.attr == "__dict__":
                continue
            if ast.unparse(node.value) in ("F", "OPS", "RAW"):
                asked = [OPS, RAW] if node.value.id == "F" else [getattr(formulas, node.value.id)]
                for language in asked:
                    if node.attr not in vars(language):
                        missing.add(f"{path.stem}:{node.lineno} {ast.unparse(node)}")
    assert missing == set()


def written_down(schema):
    """A schema put together again from its parts."""
    parts, starred = [], False
    for a in schema.arguments:
        if a.keyword_only and not starred:
            parts.append("*")
            starred = True
        kind = a.type.replace("Tensor", f"Tensor({a.alias})", 1) if a.alias else a.type
        parts.append(f"{kind} {a.name}" + ("" if a.default is None else f"={a.default}"))
    head = schema.name + (f".{schema.overload}" if schema.overload else "")
    return f"{head}({', '.join(parts)}) -> {schema.returns}"


@pytest.mark.parametrize("key", KEYS)
def test_schemas_lose_nothing_when_they_are_parsed(key):
    schema = ROWS[key].schema
    again = Schema.parse(written_down(schema))
    assert list(map(vars, again.arguments)) == list(map(vars, schema.arguments))
    assert again.returns == schema.returns
    assert again.key == key == schema.key
    shortened = re.sub(r"=(\([^)]*\)|\[[^]]*\]|'[^']*'|[^,) ]*)", "", written_down(schema))
    assert shortened == re.sub(r"=(\[[^]]*\]|'[^']*'|[^,) ]*)", "", schema.text)


@pytest.mark.parametrize("key", WITH_NODE)
def test_names_of_nodes_are_those_of_torch(key):
    assert re.fullmatch(r"[A-Z]\w*Backward\d+(_copy)?|CopyBackwards", ROWS[key].node)


# ---- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", WITH_NODE)
def test_formulas_read_the_same_on_arrays_and_on_tensors(key):
    for sample in samples(key):
        call, leaves = with_leaves(key, sample)
        outputs = recorded(run(key, call))
        assert outputs
        weights = weights_for(outputs)
        plain = gradients(outputs, leaves, weights, retain_graph=True)
        graph = gradients(outputs, leaves, weights, create_graph=True)
        for a, b, leaf in zip(plain, graph, leaves, strict=True):
            assert same(a, b) or key in TWO_FORMULAS, (sample, a, b)
            assert a is None or (a.shape == leaf.shape and a.dtype is leaf.dtype)


def inner(weights, outputs):
    """The real part of the inner product of two lists of tensors."""
    return sum(
        float(numpy.vdot(w._array, y._array).real) for w, y in zip(weights, outputs, strict=True)
    )


def by_differences(function, x, weights, step=1e-5):
    """The gradient at the leaf `x` of the inner product of `weights` and function()."""
    found = numpy.zeros_like(x._array)
    for at in numpy.ndindex(x._array.shape):
        for unit in (1, 1j) if found.dtype.kind == "c" else (1,):
            before = x._array[at].copy()
            ends = []
            for sign in (1, -1):
                x._array[at] = before + sign * step * unit
                ends.append(inner(weights, function()))
            x._array[at] = before
            found[at] += unit * (ends[0] - ends[1]) / (2 * step)
    return found


def check_gradients(outputs, leaves, function):
    """Compares the gradients of outputs with central differences of function() at every leaf."""
    if not outputs:
        return
    weights = weights_for(outputs)
    for leaf, grad in zip(leaves, gradients(outputs, leaves, weights), strict=True):
        expected = by_differences(function, leaf, weights)
        got = numpy.zeros_like(expected) if grad is None else grad._array
        numpy.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-6)


def followed(key, call):
    """The outputs of a row that gradients flow from."""
    outputs = recorded(run(key, call))
    return outputs[:1] if key in FIRST_OUTPUT_ONLY else outputs


def check_second_derivatives(key, call, leaves, weights):
    """Compares the gradients of a row's gradients with central differences."""
    found = gradients(followed(key, call), leaves, weights, create_graph=True)
    kept = [i for i, grad in enumerate(found) if grad is not None and grad.requires_grad]

    def backward():
        # Without a history, which takes a third of the time.
        again = gradients(followed(key, call), leaves, weights, create_graph=key in TWO_FORMULAS)
        return [again[i] for i in kept]

    outputs = [found[i] for i in kept]
    for a, b in zip(outputs, backward(), strict=True):
        numpy.testing.assert_allclose(a._array, b._array, rtol=1e-12, atol=1e-12)
    check_gradients(outputs, [*leaves, *weights], backward)


def check_both_derivatives(key, sample):
    call, leaves = with_leaves(key, sample)
    check_gradients(followed(key, call), leaves, lambda: followed(key, call))
    if key in NO_SECOND_DERIVATIVE:
        return
    weights = [each.requires_grad_() for each in weights_for(followed(key, call))]
    check_second_derivatives(key, call, leaves, weights)


@pytest.mark.parametrize("key", DERIVATIVES)
def test_formulas_are_the_derivatives_and_have_derivatives(key):
    for sample in samples(key):
        if sample.exact:
            check_both_derivatives(key, sample)


def as_complex(x):
    """Floats made complex numbers, off the real axis."""
    return numpy.asarray(x + 0.6j * numpy.roll(x, 1)) if x.dtype.kind == "f" else x


# Operators that only formulas call, where the forward has refused complex numbers already.
REAL_ONLY = re.compile(
    r"(_(log_)?softmax|binary_cross_entropy|elu|gelu|glu|hardsigmoid|hardswish|hardtanh|huber_loss"
    r"|log_sigmoid|mse_loss|native_batch_norm|smooth_l1_loss|softplus)_backward(_data)?"
    r"|_scaled_dot_product_flash_attention_for_cpu|soft_margin_loss(_backward)?|mkldnn_rnn_layer"
    r"|frexp_Tensor|_pdist_forward"
)


TAKING_COMPLEX = [k for k in DERIVATIVES if not (REAL_ONLY.fullmatch(k) or is_random(k))]


@pytest.mark.parametrize("key", TAKING_COMPLEX)
def test_formulas_are_the_derivatives_for_complex_numbers_or_those_are_refused(key):
    for sample in samples(key):
        if not sample.exact:
            continue
        sample = sample.map(as_complex)
        try:
            check_both_derivatives(key, sample)
        except (NotImplementedError, RuntimeError, TypeError) as refusal:
            if "complex" not in str(refusal).lower():
                raise


@pytest.mark.parametrize("key", WITH_NODE)
def test_formulas_write_into_nothing_they_receive(key):
    for sample in samples(key):
        call, leaves = with_leaves(key, sample)
        outputs = recorded(run(key, call))
        frozen = [each._array for each in (*call.all(torch.Tensor), *outputs)]
        weights = weights_for(outputs)
        expected = gradients(outputs, leaves, weights, retain_graph=True)
        for x in (*frozen, *[each._array for each in weights]):
            x.flags.writeable = False
        found = gradients(outputs, leaves, weights, retain_graph=True)
        graph = gradients(outputs, leaves, weights, create_graph=True)
        for a, b, c in zip(expected, found, graph, strict=True):
            assert same(a, b)
            assert same(a, c) or key in TWO_FORMULAS


# _grouped_mm refuses such gradients, as in torch, for how they lie in memory.
@pytest.mark.parametrize("key", [key for key in WITH_NODE if key != "_grouped_mm"])
def test_formulas_take_gradients_that_repeat_one_element(key):
    for sample in samples(key):
        call, leaves = with_leaves(key, sample)
        outputs = recorded(run(key, call))
        ones = [torch.ones((), dtype=each.dtype).expand(each.shape) for each in outputs]
        dense = [torch.ones(each.shape, dtype=each.dtype) for each in outputs]
        found = gradients(outputs, leaves, ones, retain_graph=True)
        expected = gradients(outputs, leaves, dense, retain_graph=True)
        for a, b in zip(found, expected, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert a.shape == b.shape
                numpy.testing.assert_allclose(a._array, b._array, rtol=1e-12, atol=1e-12)


# ---- forwards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_forwards_return_arrays_that_match_their_views(key):
    for sample in samples(key):
        for each in run(key, sample.map(from_array)):
            assert type(each._array) in (numpy.ndarray, Lazy)
            assert each._view is not None or each._array.flags.c_contiguous


@pytest.mark.parametrize("key", [key for key in KEYS if key not in UPDATING])
def test_forwards_change_none_of_their_inputs(key):
    for sample in samples(key):
        before = [x.copy() for x in sample.all()]
        for x in sample.all():
            x.flags.writeable = False
        run(key, sample.map(from_array))
        for x, y in zip(sample.all(), before, strict=True):
            assert x.tobytes() == y.tobytes()


@pytest.fixture
def watched():
    """Makes every call ask whether somebody watches, as tensor subclasses and some modes do."""
    watch(+1)
    yield
    watch(-1)


@pytest.mark.parametrize("key", KEYS)
def test_calls_give_the_same_while_somebody_watches(key, watched):
    name = ROWS[key].inplace_name
    for sample in samples(key):
        found = run(key, sample.map(from_array))
        x, *rest = sample.map(from_array).args
        written = None
        if "inplace" in ROWS[key].variants and fits(x, found[0]):
            written = inplace(name)(x.clone(), *rest, **sample.map(from_array).kwargs)
        watch(-1)
        try:
            expected = run(key, sample.map(from_array))
        finally:
            watch(+1)
        for a, b in zip(found, expected, strict=True):
            assert same(a, b)
        assert written is None or bits(written) == bits(expected[0].to(x.dtype))


def cast(dtype):
    """A function that makes Tensors of arrays, floats of another dtype."""
    return lambda x: from_array(x).to(dtype) if x.dtype.kind == "f" else from_array(x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("key", [key for key in KEYS if not is_random(key) and key not in SINGLE])
def test_forwards_keep_the_dtype_or_refuse_it(key, dtype):
    tolerance = 8 * torch.finfo(dtype).eps
    for sample in samples(key):
        narrow = sample.map(cast(dtype))
        wide = narrow.map(lambda t: t.double() if t.dtype is dtype else t, torch.Tensor)
        expected = run(key, wide)
        try:
            found = run(key, narrow)
        except (NotImplementedError, RuntimeError) as refusal:
            if dtype is torch.float32 or not refuses_dtype(refusal, dtype.scalar_name):
                raise
            continue
        keeps = all(x.dtype.kind != "c" for x in sample.all()) and key not in OWN_DTYPE
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            if keeps and not b.is_complex():
                assert a.dtype is (dtype if b.dtype is torch.float64 else b.dtype)
            if a.dtype is torch.complex32:
                a = a.cfloat()
            finite = abs(b._array[numpy.isfinite(b._array)])
            largest = finite.max(initial=1)  # where terms cancel the result is smaller
            numpy.testing.assert_allclose(
                a.to(b.dtype)._array, b._array, rtol=tolerance, atol=tolerance * largest
            )


# ---- results that go into a tensor that exists ---------------------------------------------------


def fits(self, result):
    """Whether a result can be written into `self`."""
    return self.shape == result.shape and torch.can_cast(result.dtype, self.dtype)


@pytest.mark.parametrize("key", [key for key in KEYS if "inplace" in ROWS[key].variants])
def test_in_place_variants_write_what_the_functions_return(key):
    method = inplace(ROWS[key].inplace_name)
    written = 0
    for sample in samples(key):
        call, leaves = with_leaves(key, sample)
        (expected,) = run(key, call)
        x = call.args[0].clone()
        rest = call.args[1:]
        if not fits(x, expected):
            if in_place_of(ROWS[key].inplace_name).reshapes:
                assert same(method(x, *rest, **call.kwargs), expected)
                continue
            with pytest.raises(RuntimeError):
                method(x, *rest, **call.kwargs)
            assert bits(x) == bits(call.args[0].clone())
            continue
        written += 1
        version = x._version
        assert method(x, *rest, **call.kwargs) is x
        assert x._version == version + 1
        assert bits(x) == bits(expected.to(x.dtype))
        assert x.requires_grad == expected.requires_grad
        if x.requires_grad and key in WITH_NODE:
            weights = weights_for([x])
            for a, b in zip(
                gradients([x], leaves, weights), gradients([expected], leaves, weights), strict=True
            ):
                assert same(a, b)
    assert written


def outs(results, make):
    """`out=` for these results: one tensor or a tuple."""
    made = [make(each) for each in results]
    return made[0] if len(made) == 1 else tuple(made)


@pytest.mark.parametrize("key", [key for key in KEYS if "out" in ROWS[key].variants])
def test_out_takes_what_the_functions_return(key):
    function = function_of(key)
    for sample in samples(key):
        call = sample.map(from_array)
        expected = run(key, call)
        empty = lambda each: torch.empty(0, dtype=each.dtype)
        copied = out_of(ROWS[key].name).resize == NEVER  # whatever the shape of out=
        for make in (torch.empty_like,) if copied else (torch.empty_like, empty):
            out = outs(expected, make)
            torch.manual_seed(0)
            result = function(*call.args, **call.kwargs, out=out)
            if len(expected) == 1:
                assert result is out
            if result is None:  # of operators that return a list
                result = out
            for each, wanted in zip(
                result if len(expected) > 1 else [result], expected, strict=True
            ):
                assert same(each, wanted)
        if expected[0].dtype is not torch.bool and len(expected) == 1:
            wrong = torch.zeros(expected[0].shape, dtype=torch.bool)
            with pytest.raises((RuntimeError, TypeError)):
                function(*call.args, **call.kwargs, out=wrong)
            assert not wrong.any()


@pytest.mark.parametrize("key", [key for key in WITH_NODE if "out" in ROWS[key].variants])
def test_out_refuses_to_be_differentiated_or_says_that_it_cannot_be(key):
    call, _ = with_leaves(key, samples(key)[0])
    out = outs(run(key, call), lambda each: torch.empty_like(each).detach())
    if error_name_of(ROWS[key].name).startswith("aten::"):
        result = function_of(key)(*call.args, **call.kwargs, out=out)
        if result is None:  # of operators that return a list
            result = out[0]
        assert result.grad_fn.name() == "torch::autograd::NotImplemented"
        return
    said = out_of(ROWS[key].name)
    if said.takes_grad or said.takes_history:
        function_of(key)(*call.args, **call.kwargs, out=out)
        assert not any(each.requires_grad for each in out)
        return
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        function_of(key)(*call.args, **call.kwargs, out=out)
