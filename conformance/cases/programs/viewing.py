"""Statements that take views."""

from conformance.cases.programs.author import Author, Unfit
from conformance.cases.programs.computing import is_full, whole

VIEWS: list[tuple[str, int]] = [  # the template, and the fewest dimensions that it makes sense for
    ("{x}.t()", 2),
    ("{x}[0]", 1),
    ("{x}[1:]", 1),
    ("{x}.view(-1)", 0),
    ("{x}.reshape(-1)", 0),
    ("{x}.transpose(0, 1)", 2),
    ("{x}.transpose(0, -1)", 1),
    ("{x}.permute({p})", 1),
    ("{x}.T", 0),
    ("{x}.mT", 2),
    ("{x}[:, 0]", 2),
    ("{x}[..., 0]", 1),
    ("{x}[None]", 0),
    ("{x}[::2]", 1),
    ("{x}[:, 1:]", 2),
    ("{x}.select({d}, 0)", 1),
    ("{x}.narrow({d}, 0, 1)", 1),
    ("{x}.unsqueeze({d})", 0),
    ("{x}.unsqueeze(-1)", 0),
    ("{x}.squeeze()", 0),
    ("{x}.squeeze({d})", 1),
    ("{x}.expand(2, *{x}.shape)", 0),
    ("{x}.expand(2, 3)", 0),
    ("{x}.diagonal()", 2),
    ("{x}.unfold({d}, 2, 1)", 1),
    ("{x}.flatten()", 0),
    ("{x}.flatten(0, 1)", 2),
    ("{x}.unflatten(0, (1, -1))", 1),
    ("{x}.movedim(0, -1)", 1),
    ("{x}.swapaxes(0, 1)", 2),
    ("{x}.view_as({x})", 0),
    ("{x}.view({x}.shape)", 0),
    ("{x}.as_strided((2, 2), (1, 1))", 1),
    ("torch.as_strided({x}, (2,), (1,), 1)", 1),
    ("{x}.broadcast_to((2, *{x}.shape))", 0),
    ("{x}.chunk(2)[0]", 1),
    ("torch.split({x}, 1)[-1]", 1),
    ("{x}.unbind()[0]", 1),
    ("{x}.tensor_split(2, {d})[1]", 1),
    ("torch.hsplit({x}, 1)[0]", 1),
    ("{x}.detach()", 0),
    ("{x}.data", 0),
    ("{x}.reshape({x}.shape)", 0),
    ("{x}.ravel()", 0),
    ("torch.atleast_2d({x})", 0),
    ("{x}.real", 0),
    ("{x}.to({x}.dtype)", 0),
    ("{x}[()]", 0),
    ("{x}[:]", 1),
    ("{x}.contiguous().view(-1)", 0),
]
COMPLEX = ["{x}.imag", "torch.view_as_real({x})", "{x}.real", "{x}.conj()", "{x}.conj()"]
COMPLEX += ["{x}.mH", "{x}.adjoint()", "{x}.H", "{x}.conj().imag", "{x}.resolve_conj()"]


def view(author: Author) -> None:
    """One view."""
    template, least = author.choose(VIEWS)
    x = author.tensor(lambda x: x.dim() >= least)
    dims = author[x].dim()
    if dims < least and "unflatten" in template:
        raise Unfit  # torch's error shows the C++ stack
    if "as_strided" in template and not is_full(author[x]):
        raise Unfit  # beyond the numbers there may be any
    order = [*range(1, dims), 0]
    text = template.format(x=x, d=author.integer(max(dims - 1, 0)), p=str(order)[1:-1])
    author.bind(text, author.is_exact(author[x]))


def complex_view(author: Author) -> None:
    """A view of complex numbers, or as complex numbers."""
    if author.rarely(4):
        x = author.tensor(
            lambda x: whole(author, x) and x.dim() and x.shape[-1] == 2 and x.stride(-1) == 1
        )
        author.bind(f"torch.view_as_complex({x})", author.is_exact(author[x]))
    else:
        template = author.choose(COMPLEX)
        x = author.tensor(lambda x: x.is_complex())
        author.bind(template.format(x=x), author.is_exact(author[x]))


def views(author: Author) -> None:
    """Several views at once."""
    template = author.choose(["{x}.unbind(0)", "{x}.chunk(2, -1)", "torch.split({x}, 1, 0)"])
    x = author.tensor(lambda x: x.dim() > 0 and x.shape[0] == 2 and x.shape[-1] >= 2)
    first, second = author.fresh(), author.fresh()
    if first == second:
        raise Unfit
    author.write(f"{first}, {second} = {template.format(x=x)}", author.is_exact(author[x]))
