"""The loops of CuPy's ufuncs, as `cupy.add.types` of CuPy 14.2.0 lists them; E is bfloat16.

CuPy takes the first loop that the operands can be cast to safely, and refuses where there is none.
"""

_INTEGERS = "bBhHiIlLqQ"
_REALS = "eEfd"
_FLOATS = "eEfdFD"
_ALL = "?" + _INTEGERS + _FLOATS

# (number of operands, the dtypes that are those of the result too): names
_SAME = {
    (1, _ALL): "negative positive",
    (1, _INTEGERS + _FLOATS): "conj conjugate reciprocal sign square",
    (1, _FLOATS): (
        "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh "
        "exp exp2 expm1 i0 log log10 log1p log2 rint sin sinc sinh sqrt tan tanh"
    ),
    (1, _REALS): "cbrt deg2rad degrees fabs rad2deg radians",
    (1, "?" + _INTEGERS + _REALS): "ceil fix floor trunc",
    (1, "?" + _INTEGERS): "bitwise_invert bitwise_not invert",
    (2, _ALL): "add fmax fmin maximum minimum multiply subtract",
    (2, _FLOATS): "arctan2 atan2 copysign hypot nextafter",
    (2, _REALS): "heaviside logaddexp logaddexp2",
    (2, "?" + _INTEGERS): "bitwise_and bitwise_or bitwise_xor gcd lcm",
    (2, _INTEGERS): "bitwise_left_shift bitwise_right_shift left_shift right_shift",
    (2, _INTEGERS + _REALS): "floor_divide fmod mod remainder",
}
# (number of operands, their dtypes): names of those whose result is bool
_TRUTH = {
    (1, _FLOATS): "isfinite isinf isnan",
    (1, _REALS): "signbit",
    (1, "?" + _INTEGERS + "efd"): "logical_not",
    (2, "?" + _INTEGERS + "efd"): "logical_xor",
}
# loops: names
_OWN = {
    "??->? qq->? QQ->? qQ->? Qq->? ee->? EE->? ff->? dd->? FF->? DD->?": (
        "equal greater greater_equal less less_equal not_equal"
    ),
    "??->? qq->? QQ->? qQ->? Qq->? ee->? EE->? ff->? dd->?": "logical_and logical_or",
    "qq->d qQ->d Qq->d QQ->d ee->e EE->E ff->f dd->d FF->F DD->D": "divide true_divide",
    " ".join(["??->b", *[f"{c}{c}->{c}" for c in _INTEGERS + _FLOATS]]): "pow power",
    " ".join([*[f"{c}->{c}" for c in "?" + _INTEGERS + _REALS], "F->f D->d"]): "abs absolute",
    " ".join([f"{c}{c}->{c}{c}" for c in _INTEGERS + "efd"]): "divmod",
    " ".join([f"{c}->B" for c in _INTEGERS]): "bitwise_count",
    "dd->d FF->D DD->D": "float_power",
    "e->ei E->Ei f->fi d->di": "frexp",
    "ei->e Ei->E fi->f el->e El->E fl->f di->d dq->d": "ldexp",
    "e->ee E->EE f->ff d->dd": "modf",
}


def _loops() -> dict[str, tuple[str, ...]]:
    found = {}
    for groups, result in ((_SAME, None), (_TRUTH, "?")):
        for (count, kinds), names in groups.items():
            loops = tuple([f"{kind * count}->{result or kind}" for kind in kinds])
            found.update(dict.fromkeys(names.split(), loops))
    for loops, names in _OWN.items():
        found.update(dict.fromkeys(names.split(), tuple(loops.split())))
    return found


LOOPS = _loops()
# The dtypes that `ufunc.at` writes in. CuPy's maximum.at and minimum.at take floats too, but drop
# NaN and compare doubles as single floats.
WRITES_AT = {
    "add": "ilqILQefd",
    "maximum": "ilqILQ",
    "minimum": "ilqILQ",
    "subtract": "iI",
}
