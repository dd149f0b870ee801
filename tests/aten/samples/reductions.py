"""Samples of reductions, scans, sorting and searching."""

import numpy

from tests.aten.samples.registry import call, sampled


@sampled("sum_dim_IntList", "mean_dim", "nansum", "logsumexp", "amax", "amin")
def over_dims(draw):
    yield call(draw(2, 3), (1,))
    yield call(draw(2, 3), (0, -1), True)
    yield call(draw(2, 3, 2), (0, 2))
    yield call(draw(), (0,))


@sampled("all", "any")
def truth_of_all(draw):
    yield call(draw(2, 3))
    yield call(draw.mask(2, 3))


@sampled("all_dims", "any_dims")
def truth(draw):
    yield call(draw(2, 3))
    yield call(draw.mask(2, 3), (1,))
    yield call(draw.mask(2, 3), (0, -1), True)


@sampled("count_nonzero")
def count_nonzero(draw):
    yield call(draw.mask(2, 3))
    yield call(draw.integers(0, 2, 2, 3), 1)


@sampled("count_nonzero_dim_IntList")
def count_nonzero_over(draw):
    yield call(draw.mask(2, 3), (0, 1))
    yield call(draw.integers(0, 2, 2, 3), (1,))


@sampled("prod")
def product(draw):
    yield call(draw(2, 3))
    yield call(numpy.array([2.0, 0.0, -1.5]))
    yield call(draw())


@sampled("prod_dim_int")
def product_along(draw):
    yield call(draw(2, 3), 1)
    yield call(draw(2, 3), -2, True)
    yield call(numpy.array([[2.0, 0.0, -1.5], [0.0, 3.0, 0.0]]), 1)


@sampled("nonzero")
def nonzero(draw):
    yield call(draw.mask(2, 3))
    yield call(draw.integers(0, 3, 4))


@sampled("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")
def scan(draw):
    yield call(draw(2, 3), 1)
    yield call(draw(3, 2, 2), -2)
    yield call(draw(), 0)


@sampled("kthvalue")
def kthvalue(draw):
    yield call(draw(2, 3), 2)
    yield call(draw(3, 2), 1, 0, True)


@sampled("topk")
def topk(draw):
    yield call(draw(2, 4), 2)
    yield call(draw(4, 2), 3, 0, False)


@sampled("max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode")
def choice_along(draw):
    yield call(draw(2, 3), 1)
    yield call(draw(3, 2), -2, True)


@sampled("sort_stable")
def sort(draw):
    yield call(draw(2, 3), stable=False)
    yield call(draw(3, 2), stable=True, dim=0, descending=True)


@sampled("aminmax")
def aminmax(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), dim=1, keepdim=True)


@sampled("searchsorted_Tensor")
def searchsorted(draw):
    yield call(numpy.array([-1.0, 0.0, 0.5, 1.5]), draw(2, 3))
    yield call(numpy.array([-1.0, 0.0, 0.5, 1.5]), draw(2, 3), right=True, out_int32=True)


@sampled("unique_dim")
def unique_dim(draw):
    yield call(draw.integers(0, 2, 4, 2), 0)


@sampled("_convert_indices_from_coo_to_csr")
def coo_to_csr(draw):
    yield call(numpy.array([0, 0, 2, 3]), 4)
    yield call(numpy.array([1, 3, 0, 2]), 4, out_int32=True)


@sampled("_convert_indices_from_csr_to_coo")
def csr_to_coo(draw):
    yield call(numpy.array([0, 2, 2, 3]), numpy.array([1, 0, 1]))
    yield call(numpy.array([[0, 1, 3], [0, 3, 3]]), numpy.array([[0, 0, 1], [0, 1, 2]]))


@sampled("bincount")
def bincount(draw):
    yield call(draw.integers(0, 4, 6))
    yield call(draw.integers(0, 4, 6), draw(6), 7)


@sampled("var_correction", "std_correction", "var_mean_correction", "std_mean_correction")
def spread(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), (1,))
    yield call(draw(2, 3), (0, -1), correction=0, keepdim=True)


@sampled("dist")
def dist(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3), 1)
    yield call(draw(2, 3), draw(3), 3)


@sampled("_histogramdd_bin_edges", "_histogramdd_from_bin_cts")
def histogram_of_points(draw):
    yield call(draw(6, 2), [3, 2])
    yield call(draw(6, 1), [4], range=[-1.0, 1.0])


@sampled("_histogramdd_from_bin_tensors")
def histogram_of_points_between_edges(draw):
    yield call(draw(6, 2), [numpy.array([-1.0, 0.0, 2.0]), numpy.array([-2.0, 2.0])])


@sampled("histogram_bin_ct")
def histogram_of_bins(draw):
    yield call(draw(2, 3), 4)
    yield call(draw(6), 3, weight=draw(6), density=True)


@sampled("histogram_bins_tensor")
def histogram_between_edges(draw):
    yield call(draw(2, 3), numpy.array([-1.0, 0.0, 2.0]))


@sampled("histc")
def histc(draw):
    yield call(draw(2, 3), 4)
    yield call(draw(6), 3, -1, 1)


@sampled("hash_tensor")
def hash_tensor(draw):
    yield call(draw.integers(-5, 5, 2, 3))
    yield call(draw.integers(-5, 5, 2, 3), (1,), keepdim=True)


@sampled("_chunk_cat")
def chunk_cat(draw):
    yield call([draw(3, 2), draw(1, 2)], 0, 2)


@sampled("segment_reduce")
def segments(draw):
    for reduce in ("sum", "mean", "prod", "max", "min"):
        yield call(draw(5), reduce, lengths=numpy.array([2, 0, 3]), initial=0.7)
        yield call(draw(2, 3, 2), reduce, offsets=numpy.array([[0, 1, 3]] * 2), axis=1)


@sampled("_segment_reduce_backward")
def segments_backward(draw):
    yield call(draw(2), draw(2), draw(5), "mean", lengths=numpy.array([2, 3]))
