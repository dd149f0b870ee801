"""Samples of views, of joins and splits, and of their gradients' operators."""

from tests.aten.samples.registry import call, sampled


@sampled("as_strided", "as_strided_", "as_strided_copy")
def as_strided(draw):
    yield call(draw(2, 3), (3, 2), (1, 3))
    yield call(draw(6), (2, 3), (2, 1), 1)
    yield call(draw(4), (3, 2), (1, 1), 0)


@sampled("as_strided_scatter")
def as_strided_scatter(draw):
    yield call(draw(2, 3), draw(3, 2), (3, 2), (1, 3))
    yield call(draw(8), draw(2, 2), (2, 2), (3, 1), 1)


@sampled("_reshape_alias")
def reshape_alias(draw):
    yield call(draw(2, 3), (3, 2), (2, 1))


@sampled("view", "_unsafe_view", "view_copy")
def view(draw):
    yield call(draw(2, 3), (3, 2))
    yield call(draw(2, 3), (-1,))
    yield call(draw(), (1, 1))


@sampled("expand", "expand_copy")
def expand(draw):
    yield call(draw(1, 3), (2, 3))
    yield call(draw(3), (2, -1))
    yield call(draw(), (2, 2))


@sampled("permute", "permute_copy")
def permute(draw):
    yield call(draw(2, 3, 2), (2, 0, 1))
    yield call(draw(2, 3), (-1, 0))


@sampled("transpose_int", "transpose_", "transpose_copy_int")
def transpose(draw):
    yield call(draw(2, 3), 0, 1)
    yield call(draw(2, 3, 2), -1, 0)


@sampled("t", "t_", "t_copy")
def t(draw):
    yield call(draw(2, 3))
    yield call(draw(3))


@sampled("diagonal", "diagonal_copy")
def diagonal(draw):
    yield call(draw(3, 3))
    yield call(draw(2, 3, 4), 1, -1, 0)


@sampled("diagonal_scatter")
def diagonal_scatter(draw):
    yield call(draw(3, 3), draw(3))
    yield call(draw(3, 4), draw(3), 1)


@sampled("diagonal_backward")
def diagonal_backward(draw):
    yield call(draw(3), (3, 4), 1, 0, 1)
    yield call(draw(2, 3), (2, 3, 3), 0, 1, 2)


@sampled("diag_embed")
def diag_embed(draw):
    yield call(draw(2, 3))
    yield call(draw(3), 1)
    yield call(draw(2, 2), -1, 0, -1)


@sampled("select_int", "select_copy_int")
def select(draw):
    yield call(draw(2, 3), 0, 1)
    yield call(draw(2, 3), -1, -2)


@sampled("select_backward")
def select_backward(draw):
    yield call(draw(3), (2, 3), 0, 1)
    yield call(draw(2), (2, 3), -1, -2)


@sampled("select_scatter")
def select_scatter(draw):
    yield call(draw(2, 3), draw(3), 0, 1)
    yield call(draw(2, 3), draw(2), 1, -1)


@sampled("slice_Tensor", "slice_copy_Tensor")
def slice_of(draw):
    yield call(draw(5, 2), 0, 1, 4, 2)
    yield call(draw(2, 3), 1, -2)
    yield call(draw(4))


@sampled("narrow_copy")
def narrow_copy(draw):
    yield call(draw(5, 2), 0, 1, 3)
    yield call(draw(2, 3), -1, -3, 2)


@sampled("slice_backward")
def slice_backward(draw):
    yield call(draw(2, 2), (5, 2), 0, 1, 4, 2)
    yield call(draw(2, 2), (2, 3), 1, 1, 3, 1)


@sampled("slice_scatter")
def slice_scatter(draw):
    yield call(draw(5, 2), draw(2, 2), 0, 1, 4, 2)
    yield call(draw(2, 3), draw(2, 2), 1, -2)


@sampled("squeeze", "squeeze_", "squeeze_copy")
def squeeze(draw):
    yield call(draw(1, 3, 1))
    yield call(draw(2, 3))


@sampled("squeeze_dim", "squeeze__dim", "squeeze_copy_dim")
def squeeze_dim(draw):
    yield call(draw(1, 3), 0)
    yield call(draw(2, 1), -1)
    yield call(draw(2, 3), 0)


@sampled("squeeze_dims", "squeeze__dims", "squeeze_copy_dims")
def squeeze_dims(draw):
    yield call(draw(1, 3, 1), (0, 2))
    yield call(draw(1, 2), (0, 1))


@sampled("unsqueeze", "unsqueeze_", "unsqueeze_copy")
def unsqueeze(draw):
    yield call(draw(2, 3), 1)
    yield call(draw(), -1)


@sampled("unfold", "unfold_copy")
def unfold(draw):
    yield call(draw(5), 0, 3, 1)
    yield call(draw(2, 5), 1, 2, 2)


@sampled("unfold_backward")
def unfold_backward(draw):
    yield call(draw(3, 3), (5,), 0, 3, 1)
    yield call(draw(2, 2, 2), (2, 5), 1, 2, 2)


@sampled("split_Tensor", "unsafe_split_Tensor", "split_copy_Tensor")
def split(draw):
    yield call(draw(5, 2), 2)
    yield call(draw(2, 3), 1, -1)


@sampled("split_with_sizes", "unsafe_split_with_sizes", "split_with_sizes_copy")
def split_with_sizes(draw):
    yield call(draw(5, 2), (2, 3))
    yield call(draw(2, 3), (1, 2), 1)


@sampled("unbind_int", "unbind_copy_int")
def unbind(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), -1)


@sampled("cat")
def cat(draw):
    yield call([draw(2, 3), draw(1, 3)])
    yield call([draw(2, 3), draw(2, 1), draw(2, 2)], -1)


@sampled("stack")
def stack(draw):
    yield call([draw(2, 3), draw(2, 3)])
    yield call([draw(3), draw(3)], -1)


@sampled("block_diag")
def block_diag(draw):
    yield call([draw(2, 3), draw(1, 1), draw(2)])


@sampled("flip")
def flip(draw):
    yield call(draw(2, 3), (0,))
    yield call(draw(2, 3), (0, -1))


@sampled("roll")
def roll(draw):
    yield call(draw(2, 3), (1,), (1,))
    yield call(draw(2, 3), (1, -2), (0, 1))
    yield call(draw(2, 3), (2,))


@sampled("rot90")
def rot90(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 2, (1, 0))
    yield call(draw(2, 3), -1)


@sampled("repeat")
def repeat(draw):
    yield call(draw(2, 3), (2, 2))
    yield call(draw(3), (2, 1, 2))


@sampled("tril", "triu")
def triangles(draw):
    yield call(draw(3, 3))
    yield call(draw(2, 3, 4), 1)
    yield call(draw(3, 2), -1)


@sampled("trace")
def trace(draw):
    yield call(draw(3, 3))
    yield call(draw(2, 3))


@sampled("slice_inverse")
def slice_inverse(draw):
    yield call(draw(3, 2), draw(3, 2), 0, 0, 3)  # self has the memory of all of src
