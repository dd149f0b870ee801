"""Sparse tensors of random shapes, the same ones for the same seed."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

import minitorch as torch
from minitorch.utils.benchmark.utils.fuzzer import FuzzedTensor


class FuzzedSparseTensor(FuzzedTensor):
    """A tensor of coordinates whose shape, density and layout are drawn anew each time.

    Its number of elements is the share "density" of the sum of the sizes; "coalesced" says whether
    each place stands in it once. Both are parameters of the Fuzzer.

    Args:
        name: what it is called in the sets of tensors.
        size: its sizes; a text is the name of the parameter that has the size.
        min_elements, max_elements: how many elements it may have, zeros included.
        dim_parameter: the parameter that says how many dimensions it has, of those in `size`.
        sparse_dim: "sparse_dim", if that parameter says how many of them are sparse; else all are.
        nnz, density, coalesced: are not used.
        dtype: of its numbers.
        cuda: whether it lies on a GPU.
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        min_elements: int | None = None,
        max_elements: int | None = None,
        dim_parameter: str | None = None,
        sparse_dim: str | None = None,
        nnz: str | None = None,
        density: str | None = None,
        coalesced: str | None = None,
        dtype: Any = torch.float32,
        cuda: bool = False,
    ) -> None:
        super().__init__(
            name=name,
            size=size,
            min_elements=min_elements,
            max_elements=max_elements,
            dim_parameter=dim_parameter,
            dtype=dtype,
            cuda=cuda,
        )
        self._density, self._coalesced, self._sparse_dim = density, coalesced, sparse_dim

    @staticmethod
    def sparse_tensor_constructor(
        size: Any, dtype: Any, sparse_dim: int, nnz: int, is_coalesced: Any
    ) -> Any:
        """A sparse tensor with `nnz` elements; each place is there twice unless it is coalesced.

        Coalesced, it has fewer where places were drawn twice.
        """
        if isinstance(size, Number):
            size = [size] * sparse_dim
        if all(each <= 0 for each in size[:sparse_dim]) and nnz != 0:
            raise AssertionError("invalid arguments")
        shape = [nnz, *size[sparse_dim:]]
        if dtype.is_floating_point:
            values = torch.rand(size=shape, dtype=dtype, device="cpu")
        else:
            values = torch.randint(1, 127, size=shape, dtype=dtype, device="cpu")
        drawn = torch.rand(sparse_dim, nnz, device="cpu")
        places = drawn.mul_(torch.tensor(size[:sparse_dim]).unsqueeze(1).to(drawn)).to(torch.long)
        if not is_coalesced:
            values = torch.cat([values, torch.randn_like(values)], 0)
            places = torch.cat([places, places], 1)
        made = torch.sparse_coo_tensor(places, values, torch.Size(size))
        return made.coalesce() if is_coalesced else made

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        size, _, _ = self._get_size_and_steps(params)
        density = params["density"]
        nnz = math.ceil(sum(size) * density)
        if nnz > sum(size):
            raise AssertionError("nnz cannot exceed total number of elements")
        sparse_dim = min(params["sparse_dim"] if self._sparse_dim else len(size), len(size))
        tensor = self.sparse_tensor_constructor(
            size, self._dtype, sparse_dim, nnz, params["coalesced"]
        )
        if self._cuda:
            tensor = tensor.cuda()
        return tensor, {
            "numel": int(tensor.numel()),
            "shape": tensor.size(),
            "is_coalesced": tensor.is_coalesced(),
            "density": density,
            "sparsity": 1.0 - density,
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "is_hybrid": len(size[tensor.sparse_dim() :]) > 0,
            "dtype": str(self._dtype),
        }
