# Tensor.__add__: every operator of Python between tensors and operands of every kind
import operator
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy

warnings.simplefilter("ignore")


class Reflecting:
    """An operand with operators of its own."""

    def _own(self, other):
        return "its own"

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _own
    __rand__ = __ror__ = __rxor__ = __rmatmul__ = __rlshift__ = __rrshift__ = _own
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _own
    __hash__ = None


TENSORS = {
    "float": lambda: torch.tensor([1.0, 2.0]),
    "int": lambda: torch.tensor([1, 2]),
    "bool": lambda: torch.tensor([True, False]),
    "complex": lambda: torch.tensor([1 + 1j, 2]),
    "number": lambda: torch.tensor(3),
    "uint8": lambda: torch.tensor([1, 2], dtype=torch.uint8),
    "half": lambda: torch.tensor([1.0, 2.0], dtype=torch.float16),
    "matrix": lambda: torch.ones(2, 2),
}
OPERANDS = {
    "a word": lambda: "a",
    "None": lambda: None,
    "a list": lambda: [1, 2],
    "a tuple": lambda: (1, 2),
    "an object": object,
    "one that reflects": Reflecting,
    "a dict": dict,
    "a set": set,
    "bytes": lambda: b"a",
    "an array": lambda: numpy.ones(2),
    "NumPy's fraction": lambda: numpy.float64(2),
    "NumPy's integer": lambda: numpy.int64(2),
    "a Fraction": lambda: Fraction(1, 2),
    "a Decimal": lambda: Decimal(1),
    "a huge integer": lambda: 2**70,
    "a complex number": lambda: 1j,
    "a truth": lambda: True,
    "a dtype": lambda: torch.float32,
    "dots": lambda: ...,
    "nan": lambda: float("nan"),
    "an integer": lambda: 2,
    "a fraction": lambda: 2.5,
    "a tensor": lambda: torch.tensor([2, 3]),
}
NAMES = (
    "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift matmul lt le gt ge eq ne "
    "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift imatmul contains"
).split()
OPERATORS = {name: getattr(operator, name) for name in NAMES} | {"divmod": divmod}


def told(call):
    try:
        result = call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(result, torch.Tensor):
        return f"{result.dtype} {result.tolist()}"
    return repr(result)


for kind, tensor in TENSORS.items():
    for label, operand in OPERANDS.items():
        for name, call in OPERATORS.items():
            print(kind, name, label, told(lambda: call(tensor(), operand())))
            if not name.startswith("i"):
                print(label, name, kind, told(lambda: call(operand(), tensor())))

# Tensor.__array_wrap__: arrays that become tensors, and what is no array
import numpy


class Foo:
    dtype = bool


x = torch.tensor([1.0, 2.0])
print(numpy.sin(x), numpy.add(x, numpy.ones(2)), numpy.isnan(x))
for given in (
    Foo(),
    [1],
    3,
    numpy.float32(1),
    torch.ones(1),
    numpy.array(True),
    numpy.array([1, 2], dtype=object),
    numpy.arange(4)[::-1],
):
    try:
        print(x.__array_wrap__(given))
    except Exception as error:
        print(type(error).__name__, error)
