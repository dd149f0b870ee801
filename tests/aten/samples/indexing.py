"""Samples of filling, indexing, gathering and scattering."""

import numpy

from tests.aten.samples.registry import call, inexact, sampled


@sampled("fill_Scalar", "fill__Scalar")
def fill(draw):
    yield call(draw(2, 3), 1.5)
    yield call(draw(), 2)


@sampled("fill_Tensor", "fill__Tensor")
def fill_with_a_tensor(draw):
    yield call(draw(2, 3), draw())


@sampled("masked_fill_Scalar")
def masked_fill(draw):
    yield call(draw(2, 3), draw.mask(2, 3), 1.5)
    yield call(draw(2, 3), draw.mask(3), 0)


@sampled("masked_fill_Tensor")
def masked_fill_with_a_tensor(draw):
    yield call(draw(2, 3), draw.mask(2, 3), draw())
    yield call(draw(2, 3), draw.mask(2, 1), draw())


@sampled("masked_select")
def masked_select(draw):
    yield call(draw(2, 3), draw.mask(2, 3))
    yield call(draw(2, 3), draw.mask(3))


@sampled("masked_scatter")
def masked_scatter(draw):
    yield call(draw(2, 3), draw.mask(2, 3), draw(4))
    yield call(draw(2, 3), draw.mask(3), draw(2, 3))


@sampled("masked_scatter_backward")
def masked_scatter_backward(draw):
    yield call(draw(2, 3), draw.mask(2, 3), (4,))


@sampled("index_fill_int_Scalar")
def index_fill(draw):
    yield call(draw(3, 2), 0, draw.places(3, 2), 1.5)
    yield call(draw(2, 3), -1, draw.places(3, 1), 0)


@sampled("index_fill_int_Tensor")
def index_fill_with_a_tensor(draw):
    yield call(draw(3, 2), 0, draw.places(3, 2), draw())


@sampled("index_Tensor")
def index(draw):
    yield call(draw(3, 4), (draw.integers(0, 3, 5),))
    yield call(draw(3, 4), (None, draw.integers(-4, 4, 2, 2)))
    yield call(draw(3, 4), (draw.integers(0, 3, 2, 1), draw.integers(0, 4, 3)))
    yield call(draw(2, 3), (draw.mask(2, 3),))


@sampled("index_put", "_index_put_impl_")
def index_put(draw):
    yield call(draw(3, 4), (draw.places(3, 2),), draw(2, 4))
    yield call(draw(3, 4), (draw.integers(0, 3, 5),), draw(5, 4), True)
    yield call(draw(2, 3), (draw.mask(2, 3),), draw())


@sampled("_unsafe_masked_index")
def masked_index(draw):
    yield call(draw(3, 4), draw.mask(5), (draw.integers(-5, 5, 5), draw.integers(0, 9, 5)), 0.5)


@sampled("_unsafe_masked_index_put_accumulate")
def masked_put(draw):
    where = (draw.integers(-5, 5, 5), draw.integers(0, 9, 5))
    yield call(draw(3, 4), draw.mask(5), where, draw(5))


@sampled("index_select")
def index_select(draw):
    yield call(draw(3, 4), 0, draw.integers(0, 3, 5))
    yield call(draw(3, 4), -1, draw.integers(0, 4, 2))


@sampled("index_add", "index_copy")
def index_add(draw):
    yield call(draw(3, 4), 0, draw.places(3, 2), draw(2, 4))
    yield call(draw(3, 4), -1, draw.places(4, 3), draw(3, 3))


@sampled("gather")
def gather(draw):
    yield call(draw(3, 4), 0, draw.integers(0, 3, 2, 4))
    yield call(draw(3, 4), -1, draw.integers(0, 4, 3, 2))


@sampled("scatter_src", "scatter_add")
def scatter(draw):
    along_0 = numpy.argsort(draw(3, 4), axis=0)
    yield call(draw(3, 4), 0, along_0, draw(3, 4))
    yield call(draw(3, 4), 1, along_0[:2].argsort(axis=1), draw(2, 4))


@sampled("scatter_value")
def scatter_value(draw):
    yield call(draw(3, 4), 0, draw.integers(0, 3, 2, 4), 1.5)


@sampled("scatter_reduce")
def scatter_with_a_reduction(draw):
    yield call(draw(3, 4), 0, draw.integers(0, 3, 2, 4), draw(2, 4), reduce="add")
    yield call(draw(3, 4), 1, draw.integers(0, 4, 3, 2), draw(3, 2), reduce="multiply")


@sampled("scatter_value_reduce")
def scatter_value_with_a_reduction(draw):
    yield call(draw(3, 4), 0, draw.integers(0, 3, 2, 4), 1.5, reduce="add")
    yield call(draw(3, 4), 1, draw.integers(0, 4, 3, 2), 0.5, reduce="multiply")


@sampled("scatter_reduce_two")
def scatter_reduce(draw):
    for reduce in ("sum", "mean", "amax", "amin", "prod"):
        yield call(draw(3, 4), 0, draw.integers(0, 3, 2, 4), draw(2, 4), reduce)
    index = numpy.array([[0, 1, 2, 3], [3, 2, 1, 0]])
    yield call(draw(2, 4), 1, index, draw(2, 4), "amax", include_self=False)
    yield call(draw(2, 4), 1, index, draw(2, 4), "mean", include_self=False)


@sampled("take")
def take(draw):
    yield call(draw(2, 3), draw.integers(0, 6, 2, 2))
    yield call(draw(2, 3), draw.integers(-6, 6, 3))


@sampled("put")
def put(draw):
    yield call(draw(2, 3), draw.places(6, 4), draw(4))
    yield call(draw(2, 3), draw.integers(0, 6, 5), draw(5), True)


@sampled("_unique")
def unique(draw):
    yield call(draw.integers(0, 4, 6))
    yield call(draw.integers(0, 4, 6), True, True)


@sampled("repeat_interleave_Tensor")
def repeat_interleave(draw):
    yield call(draw.integers(0, 4, 3))
    yield call(numpy.array([1, 2]), output_size=3)


@sampled("embedding")
def embedding(draw):
    yield call(draw(4, 3), draw.integers(0, 4, 2, 2))
    yield call(draw(4, 3), numpy.array([1, 1, 2, 0]))
    yield inexact(draw(4, 3), numpy.array([1, 1, 2, 0]), 1, True)  # row 1 is padding


@sampled("embedding_dense_backward")
def embedding_dense_backward(draw):
    yield call(draw(4, 3), numpy.array([1, 1, 2, 0]), 4, -1, False)
    yield inexact(draw(4, 3), numpy.array([1, 1, 2, 0]), 4, 2, True)  # row 2 is padding


BAGS = numpy.array([0, 3, 1, 1, 2]), numpy.array([0, 2, 2])


@sampled("_embedding_bag")
def embedding_bag(draw):
    for mode in (0, 1, 2):
        yield call(draw(4, 3), *BAGS, False, mode, False, None, False, 1)  # row 1 is padding
    yield call(draw(4, 3), *BAGS, False, 1)
    yield call(draw(4, 3), *BAGS, False, 0, False, draw(5), False, 0)
    yield inexact(draw(4, 3), *BAGS, True, 1, False, None, True, 1)


@sampled("_embedding_bag_backward")
def embedding_bag_backward(draw):
    bags, sizes = numpy.array([0, 0, 2, 2, 2]), numpy.array([2, 0, 3])
    rest = (bags, sizes, sizes, 4, True, 1, False, None)
    yield call(draw(3, 3), *BAGS, *rest)


@sampled("_embedding_bag_per_sample_weights_backward")
def embedding_bag_weights_backward(draw):
    yield call(draw(3, 3), draw(4, 3), *BAGS, numpy.array([0, 0, 2, 2, 2]), 0)


@sampled("index_reduce")
def index_reduce(draw):
    for reduce in ("prod", "mean", "amax", "amin"):
        yield call(draw(3, 2), 0, draw.integers(0, 3, 4), draw.positive(4, 2), reduce)
    yield call(draw(2, 3), 1, draw.places(3, 2), draw(2, 2), "mean", include_self=False)


@sampled("_pdist_forward")
def distances_of_all_pairs(draw):
    for p in (2.0, 1.0, 3.0):
        yield call(draw(4, 3), p)


@sampled("_pdist_backward")
def distances_of_all_pairs_backward(draw):
    yield call(draw(3), draw(3, 2), 2.0, draw.positive(3))


@sampled("renorm")
def renorm(draw):
    yield call(draw(2, 3), 2.0, 0, 1.0)
    yield call(draw(3, 2, 2), 1.0, -1, 2.5)
