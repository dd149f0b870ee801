"""Schemas of operators that a program defines, read token by token, refused in torch's words.

`Schema` of core/declare reads the rows of this package, which are right; this reads what people
write. As torch/csrc/jit/frontend/function_schema_parser.cpp and schema_type_parser.cpp.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

_WORDS = frozenset(
    "False None True and as assert await break class continue def del elif else except finally for "
    "from global if import in is lambda not or pass raise return try while with yield".split()
)
_TYPES = frozenset(
    "Tensor Generator ScalarType Layout MemoryFormat Storage QScheme Quantizer ConstQuantizerPtr "
    "Device DeviceIndex Scalar str float complex int SymInt bool SymBool None NoneType Capsule Any "
    "AnyClassType AnyEnumType Stream Event Dict Future RRef Await Float Double Half Long".split()
)
_CONSTANTS = frozenset(
    "Mean Sum contiguous_format preserve_format channels_last strided long float double int cpu "
    "cuda uint8 int8 int16 int32 int64 half bool".split()
)
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?)|(?P<ident>[A-Za-z_]\w*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')|(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<colons>::)|(?P<mark>[^\s\w])"
)
_MARKS = frozenset("()[]{}.,*=?!-+<>:/|")
_UNKNOWN_TYPE = (
    "unknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, "
    "Scalar; for a full list, please see https://github.com/pytorch/pytorch/blob/main/aten/src/"
    "ATen/native/README.md#func "
)


class Token(NamedTuple):
    """A token: its kind as errors say it, its text, and where it begins."""

    kind: str
    text: str
    start: int


class Parsed(NamedTuple):
    """A schema: its operator's name with the overload, and its canonical text; the text is that of
    the name alone if there are no arguments."""

    name: str
    text: str
    is_whole: bool


def parsed(text: str) -> Parsed:
    """A schema, or the name of an operator. RuntimeError in torch's words for neither."""
    return _Parser(text).declaration()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.tokens = [*self._lexed(), Token("eof", "", len(text))]

    def _lexed(self) -> list[Token]:
        found = []
        for match in _TOKEN.finditer(self.text.partition("#")[0]):
            kind, text = match.lastgroup or "", match[0]
            if kind == "mark":
                if text not in _MARKS:
                    self._fail("expected a valid token but found '{}' here:\n", text, match.start())
                kind = text
            elif kind == "colons" or (kind == "ident" and text in _WORDS):
                kind = text
            found.append(Token(kind, text, match.start()))
        return found

    # ---- errors

    def _fail(self, words: str, text: str, start: int) -> NoReturn:
        line = self.text
        if text:
            line = f"{self.text}\n{' ' * start}{'~' * len(text)} <--- HERE\n"
        raise RuntimeError(words.format(text) + line)

    def _unexpected(self, wanted: str) -> NoReturn:
        kind, text, start = self.tokens[self.at]
        self._fail(f"expected {wanted} but found '{kind}' here:\n".replace("{", "{{"), text, start)

    def _refuse(self, token: Token, words: str) -> NoReturn:
        self._fail(f"\n{words}:\n", token.text, token.start)

    # ---- tokens

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind

    def next(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def takes(self, kind: str) -> bool:
        """Whether the next token is of a kind; it is taken then."""
        found = self.kind == kind
        self.at += found
        return found

    def expect(self, kind: str) -> str:
        """The text of the next token, which is of a kind."""
        if self.kind != kind:
            self._unexpected(kind)
        return self.next().text

    # ---- the grammar

    def declaration(self) -> Parsed:
        """name(arguments) -> returns."""
        name = self._name()
        if self.kind != "(":
            self.expect("eof")
            return Parsed(name, name, False)
        arguments = self._list("(", ")", self._argument)
        self._check_defaults(name, arguments)
        self.expect("arrow")
        if self.takes("dots"):
            returns = "..."
        elif self.kind == "(":
            returns = f"({', '.join(self._list('(', ')', self._return))})"
        else:
            returns = self._return()
        self.expect("eof")
        return Parsed(name, f"{name}({', '.join(arguments)}) -> {returns}", True)

    def _name(self) -> str:
        name = self.expect("ident")
        if self.takes("::"):
            name += f"::{self.expect('ident')}"
        if self.takes("."):
            overload = self.expect("ident")
            if overload == "default":
                raise RuntimeError("default is not a legal overload name for aten operators")
            name += f".{overload}"
        return name

    def _list(self, opening: str, closing: str, item: object) -> list[str]:
        found = []
        self.expect(opening)
        if self.kind != closing:
            found.append(item())  # type: ignore[operator]
            while self.takes(","):
                found.append(item())  # type: ignore[operator]
        self.expect(closing)
        return found

    def _check_defaults(self, name: str, arguments: list[str]) -> None:
        """RuntimeError for an argument by place without a default after one with it."""
        seen = False
        for each in arguments:
            if each == "*":
                return
            if seen and "=" not in each:
                shown = f"{name}({', '.join(arguments)}) -> {self._rest()}"
                raise RuntimeError(
                    "!seen_default_arg || arg.kwarg_only() INTERNAL ASSERT FAILED at "
                    '"/__w/pytorch/pytorch/aten/src/ATen/core/function_schema.h":342, please '
                    "report a bug to PyTorch. Non-default positional argument follows default "
                    f"argument. Parameter {each.rpartition(' ')[2]} in {shown}"
                )
            seen = seen or "=" in each

    def _rest(self) -> str:
        return self.text[self.tokens[self.at].start :].removeprefix("->").strip()

    def _argument(self) -> str:
        if self.takes("*"):
            return "*"
        if self.takes("dots"):
            return "..."
        kind = self._type()
        name = self.expect("ident")
        return f"{kind} {name}={self._default(kind)}" if self.takes("=") else f"{kind} {name}"

    def _return(self) -> str:
        if self.takes("dots"):
            return "..."
        kind = self._type()
        return f"{kind} {self.next().text}" if self.kind == "ident" else kind

    def _type(self) -> str:
        if self.kind == "(":
            kind = f"({', '.join(self._list('(', ')', self._type))})"
        else:
            token = self.tokens[self.at]
            kind = self.expect("None") if self.kind == "None" else self.expect("ident")
            if kind not in _TYPES:
                self._refuse(token, _UNKNOWN_TYPE)
            if kind in ("Dict", "Future", "RRef", "Await") and self.kind == "(":
                kind += f"({', '.join(self._list('(', ')', self._type))})"
        alias = self._alias() if kind == "Tensor" and self.kind == "(" else ""
        kind += alias
        while True:
            if self.takes("["):
                count = self.next().text if self.kind == "number" else ""
                self.expect("]")
                kind += f"[{count}]"
            elif self.takes("?"):
                kind += "?"
            else:
                return kind

    def _alias(self) -> str:
        """(a), (a!), (a -> *) and the like, as they are."""
        start = self.tokens[self.at].start
        while self.kind not in (")", "eof"):
            self.next()
        end = self.tokens[self.at].start
        self.expect(")")
        return self.text[start : end + 1]

    def _default(self, kind: str) -> str:
        if kind.startswith(("Tensor", "Generator")) and not kind.endswith("]"):
            return self.expect("None")
        if self.kind == "[":
            of_floats = kind.startswith("float")
            items = self._list("[", "]", self._constant)
            return f"[{', '.join([self._written(each, of_floats) for each in items])}]"
        return self._written(self._constant(), kind.startswith("float") and kind[-1] != "?")

    def _written(self, value: str, is_float: bool) -> str:
        """A constant as torch writes it back: strings between ", numbers by 17 digits."""
        if value[0] == "'":
            return f'"{value[1:-1]}"'
        if not value[-1].isdigit() and value[-1] != ".":
            return value
        if not is_float and value.lstrip("-").isdigit():
            return value
        text = f"{float(value):.17g}"
        return text if "." in text or "e" in text else f"{text}."

    def _constant(self) -> str:
        if self.kind in ("True", "False", "None", "string"):
            return self.next().text
        if self.kind == "ident":
            token = self.next()
            if token.text not in _CONSTANTS:
                self._refuse(self.tokens[self.at], "invalid numeric default value")
            return token.text
        return "-" * self.takes("-") + self.expect("number")
