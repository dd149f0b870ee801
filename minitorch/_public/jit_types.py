"""The types in schemas of operators, as torch has them: torch.TensorType, torch.ListType.

A type is `int[]` in a schema, `List[int]` in Python, and ListType to programs that look at classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any


class Type:
    """A type in a schema.

    Source: torch.Type.
    """

    __module__ = "torch"
    __hash__ = None  # type: ignore[assignment]  # as torch's, which compare by what they are
    _text = _annotation = _kind = ""

    def __init__(self) -> None:
        raise TypeError(f"torch._C.{type(self).__name__}: No constructor defined!")

    def str(self) -> str:
        """The type as schemas write it: Scalar, int[]."""
        return self._text

    @property
    def annotation_str(self) -> str:  # type: ignore[valid-type]
        """The type as annotations of Python write it: number, List[int]."""
        return self._annotation

    def kind(self) -> str:  # type: ignore[valid-type]
        """The name of its class in C++: ListType."""
        return self._kind

    def containedTypes(self) -> list[Type]:
        """The types of its elements."""
        return []

    def isSubtypeOf(self, other: Type) -> bool:
        """Whether each value of this type is one of the other."""
        if isinstance(other, OptionalType) and self != other:
            element = self._element if isinstance(self, OptionalType) else self
            return isinstance(self, NoneType) or element.isSubtypeOf(other._element)
        numbers = isinstance(other, NumberType) and self._text in ("int", "float", "complex")
        return numbers or isinstance(other, AnyType) or self == other

    def is_interface_type(self) -> bool:
        """False: no type here is an interface."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and (self._kind, self._text) == (other._kind, other._text)

    def __repr__(self) -> str:  # type: ignore[valid-type]
        return self._annotation


def _made(cls: type, text: Any, annotation: Any, kind: Any = None) -> Any:
    made = object.__new__(cls)
    made._text, made._annotation, made._kind = text, annotation, kind or cls.__name__
    return made


class _Single(Type):
    """A type that has no parts: `get` gives it."""

    __module__ = "torch"
    _words = ("", "")

    @classmethod
    def get(cls) -> Any:
        """The type."""
        return _made(cls, *cls._words)


def _single(name: str, text: str, annotation: str = "", module: str = "torch") -> type[_Single]:
    members = {"__module__": module, "__doc__": f"{text} in schemas.", "_words": None}
    return type(name, (_Single,), {**members, "_words": (text, annotation or text)})


AnyType = _single("AnyType", "Any")
BoolType = _single("BoolType", "bool")
ComplexType = _single("ComplexType", "complex")
DeviceObjType = _single("DeviceObjType", "Device")
FloatType = _single("FloatType", "float")
IntType = _single("IntType", "int")
NoneType = _single("NoneType", "NoneType", "None")
NumberType = _single("NumberType", "Scalar", "number")
StreamObjType = _single("StreamObjType", "Stream")
StringType = _single("StringType", "str")
SymBoolType = _single("SymBoolType", "SymBool", "bool")
SymIntType = _single("SymIntType", "SymInt", "int")
TensorType = _single("TensorType", "Tensor")
_GeneratorType = _single("_GeneratorType", "Generator", module="torch._C")


class ListType(Type):
    """Lists of values of a type.

    Args:
        a: the type of the elements

    Source: torch.ListType.
    """

    __module__ = "torch"
    _element: Type

    def __new__(cls, a: Type) -> ListType:
        made = _made(cls, f"{a._text}[]", f"List[{a._annotation}]")
        made._element = a
        return made

    def __init__(self, a: Type) -> None:
        pass

    def getElementType(self) -> Type:
        """The type of the elements."""
        return self._element

    def containedTypes(self) -> list[Type]:
        """The types of its elements."""
        return [self._element]

    @staticmethod
    def ofInts() -> ListType:
        """int[]."""
        return ListType(IntType.get())

    @staticmethod
    def ofTensors() -> ListType:
        """Tensor[]."""
        return ListType(TensorType.get())

    @staticmethod
    def ofFloats() -> ListType:
        """float[]."""
        return ListType(FloatType.get())

    @staticmethod
    def ofBools() -> ListType:
        """bool[]."""
        return ListType(BoolType.get())

    @staticmethod
    def ofStrings() -> ListType:
        """str[]."""
        return ListType(StringType.get())

    @staticmethod
    def ofComplexDoubles() -> ListType:
        """complex[]."""
        return ListType(ComplexType.get())


class OptionalType(Type):
    """Values of a type, or None.

    Args:
        a: the type of the values that are not None

    Source: torch.OptionalType.
    """

    __module__ = "torch"
    _element: Type

    def __new__(cls, a: Type) -> OptionalType:
        made = _made(cls, f"{a._text}?", f"Optional[{a._annotation}]")
        made._element = a
        return made

    def __init__(self, a: Type) -> None:
        pass

    def getElementType(self) -> Type:
        """The type of the values that are not None."""
        return self._element

    def containedTypes(self) -> list[Type]:
        """The types of its elements."""
        return [self._element]

    @staticmethod
    def ofTensor() -> OptionalType:
        """Tensor?."""
        return OptionalType(TensorType.get())


class TupleType(Type):
    """Tuples with a type for each place.

    Args:
        a: these types

    Source: torch.TupleType.
    """

    __module__ = "torch"
    _elements: list[Type]

    def __new__(cls, a: Sequence[Type]) -> TupleType:
        inside = ", ".join([each._annotation for each in a])
        made = _made(cls, f"({', '.join([each._text for each in a])})", f"Tuple[{inside}]")
        made._elements = list(a)
        return made

    def __init__(self, a: Sequence[Type]) -> None:
        pass

    def elements(self) -> list[Type]:
        """The types of its places."""
        return list(self._elements)

    containedTypes = elements


class DictType(Type):
    """Dictionaries with types of keys and of values.

    Args:
        a, b: these types

    Source: torch.DictType.
    """

    __module__ = "torch"
    _pair: tuple[Type, Type]

    def __new__(cls, a: Type, b: Type) -> DictType:
        text = f"Dict({a._text}, {b._text})"
        made = _made(cls, text, f"Dict[{a._annotation}, {b._annotation}]")
        made._pair = (a, b)
        return made

    def __init__(self, a: Type, b: Type) -> None:
        pass

    def getKeyType(self) -> Type:
        """The type of the keys."""
        return self._pair[0]

    def getValueType(self) -> Type:
        """The type of the values."""
        return self._pair[1]

    def containedTypes(self) -> list[Type]:
        """The types of its keys and of its values."""
        return list(self._pair)


_SINGLE = {
    each._words[0]: each
    for each in (
        AnyType,
        BoolType,
        ComplexType,
        DeviceObjType,
        FloatType,
        IntType,
        NumberType,
        StreamObjType,
        StringType,
        SymBoolType,
        SymIntType,
        TensorType,
        _GeneratorType,
    )
} | {"None": NoneType, "NoneType": NoneType}
# Types that are integers to programs, which see what they are by `Argument.real_type`.
_INTEGERS = ("SymInt", "ScalarType", "Layout", "MemoryFormat")


def type_of(text: str, real: bool = False) -> Type:
    """The type that a schema writes so, without marks of aliases: SymInt[2]?.

    real: whether SymInt and ScalarType are types of their own, not int.
    """
    if text.endswith("?"):
        return OptionalType(type_of(text[:-1], real))
    if text.endswith("]"):
        return ListType(type_of(text[: text.rindex("[")], real))
    if (pair := re.fullmatch(r"Dict\((\w+), (\w+)\)", text)) is not None:
        return DictType(type_of(pair[1], real), type_of(pair[2], real))
    if text.startswith("("):
        return TupleType([type_of(each, real) for each in text[1:-1].split(", ")])
    if text in _INTEGERS and not real:
        return IntType.get()
    single = _SINGLE.get(text)
    return _made(Type, text, text, f"{text}Type") if single is None else single.get()
