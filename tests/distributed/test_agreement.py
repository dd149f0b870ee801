"""The messages by which ranks agree on the operations that they run."""

import numpy
import pytest

from minitorch.distributed.agreement import (
    Call,
    difference,
    head_of,
    message_error,
    read_head,
    split_error,
)

SUM = Call("ALLREDUCE", "float32", 6, "ReduceOp=SUM", ((6,),))


@pytest.mark.parametrize(
    ("other", "aspect"),
    [
        (SUM._replace(count=4, shapes=((4,),)), "  Tensor Tensor shapes: 6vs 4"),
        (SUM._replace(dtype="float64"), "  Tensor Tensor dtypes: Floatvs Double"),
        (SUM._replace(more="ReduceOp=MAX"), "  ReduceOp=SUMvs ReduceOp=MAX"),
        (SUM._replace(kind="BROADCAST"), "  Op type: ALLREDUCEvs BROADCAST"),
        (Call("BARRIER"), "  Op type: ALLREDUCEvs BARRIER  Tensor Tensor shapes: 6vs   Tensor "),
    ],
)
def test_a_difference_names_both_calls_and_what_differs(other, aspect):
    text = difference(0, SUM, 3, 1, other, 3, strict=False)
    assert text.startswith("Detected mismatch between collectives on ranks. Rank 0 is running ")
    assert "but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=3" in text
    assert aspect in text


def test_shapes_of_as_many_elements_differ_only_for_detail():
    other = SUM._replace(shapes=((2, 3),))
    assert difference(0, SUM, 0, 1, other, 0, strict=False) == ""
    assert "  Tensor Tensor shapes: 6vs 2 3" in difference(0, SUM, 0, 1, other, 0, strict=True)


def test_numbers_of_operations_that_differ_are_told():
    assert "\t Sequence number: 2vs 5" in difference(0, SUM, 2, 1, SUM, 5, strict=True)


class Pair:
    size = 2


def test_sizes_of_an_all_to_all_are_compared_by_pair():
    sizes = numpy.array([[1, 2, 1, 3], [3, 1, 2, 1]])
    assert split_error(Pair, sizes) == ""
    sizes[1, 2] = 5
    assert split_error(Pair, sizes).endswith(
        "Rank 0 sends 2 elements to Rank 1 in all_to_all, but Rank 1 expects 5"
    )


def test_a_message_tells_its_size_and_dtype():
    array = numpy.zeros(3, numpy.float64)
    assert read_head(head_of(array, 7) + b"data") == (3, 7, "float64")
    assert message_error(0, 4, "int32", 1, array) == (
        "Detected mismatch between send and recv. Rank 0 is running send of 4 elements of int32, "
        "but Rank 1 is running recv of 3 elements of float64"
    )
