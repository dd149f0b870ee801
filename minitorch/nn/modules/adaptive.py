"""AdaptiveLogSoftmaxWithLoss: many classes, of which the rare ones stand in clusters."""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.nn import functional as F
from minitorch.nn.modules.container import ModuleList, Sequential
from minitorch.nn.modules.linear import Linear
from minitorch.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"], module="torch.nn.modules.adaptive")


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probabilities of targets: frequent classes in the head, rare ones in clusters.

    Classes are numbered from the most to the least frequent. The head tells the first ones and the
    clusters apart; cluster i (from 0) projects the input to in_features / div_value ** (i + 1)
    numbers before it tells its classes apart.

    Args:
        in_features: the size of an input.
        n_classes: the number of classes.
        cutoffs: the first class of each cluster; increasing ints from 1 to n_classes - 1.
        div_value: by what the size of an input is divided from cluster to cluster.
        head_bias: whether the head has a bias.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_features) or (in_features). Target: (N) or (), from 0 to n_classes - 1.
        Output: a named tuple of `output`, (N) or (), and `loss`, ().

    Attributes:
        head: a Linear from in_features to cutoffs[0] + len(cutoffs).
        tail: a ModuleList of a Sequential for each cluster: two Linears without bias.

    Returns:
        `output`, the log-probabilities of the targets, and `loss`, minus their mean.

    Raises:
        ValueError: for `cutoffs` that are empty or no such ints.
        RuntimeError: at the call, for shapes that do not fit, or a target that is none of the
            classes.

    As torch.nn.AdaptiveLogSoftmaxWithLoss. Grave et al., https://arxiv.org/abs/1609.04309.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Any,
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        options = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            inner = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, **options),
                    Linear(inner, high - low, bias=False, **options),
                )
            )

    def reset_parameters(self) -> None:
        """Draws all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> Any:
        rank = target_.dim()
        if rank > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if rank == 1 and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != rank + 1:
            raise RuntimeError(
                f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with "
                f"size {input_.size()}"
            )
        input = input_ if rank else input_.unsqueeze(0)
        target = target_ if rank else target_.unsqueeze(0)
        size = target.size(0)
        output, positions = input.new_zeros(size), target.new_empty(size)
        used = 0
        for i, (low, high) in enumerate(pairwise([0, *self.cutoffs])):
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if i == 0:
                positions.index_copy_(0, rows, target[mask])
            else:
                relative = target[mask] - low
                cluster = self.tail[i - 1](input.index_select(0, rows))
                positions.index_fill_(0, rows, self.shortlist_size + i - 1)
                own = F.log_softmax(cluster, dim=1).gather(1, relative.unsqueeze(1))
                output.index_copy_(0, rows, own.squeeze(1))
            used += rows.numel()
        if used != size:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, positions.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if rank else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Any, head_output: Any) -> Any:
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            out[:, low:high] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes, (N, n_classes).

        Args:
            input: (N, in_features).
        """
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Any) -> Any:
        """The most likely class of each row.

        Args:
            input: (N, in_features).

        Returns:
            (N), int64: what `log_prob(input).argmax(1)` gives, without the clusters that are not
                needed.
        """
        head = self.head(input)
        output = OPS.argmax(head, dim=1)
        rare = output >= self.shortlist_size
        if not rare.any():
            return output
        if rare.all():
            return OPS.argmax(self._get_full_log_prob(input, head), dim=1)
        output[rare] = OPS.argmax(self._get_full_log_prob(input[rare], head[rare]), dim=1)
        return output
