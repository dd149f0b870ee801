"""torch.ao.pruning: weights of which a part is zero, chosen again as a model trains."""

from minitorch._public import outlines
from minitorch.ao.pruning._mappings import (
    get_dynamic_sparse_quantized_mapping,
    get_static_sparse_quantized_mapping,
)
from minitorch.ao.pruning.scheduler.base_scheduler import BaseScheduler
from minitorch.ao.pruning.scheduler.cubic_scheduler import CubicSL
from minitorch.ao.pruning.scheduler.lambda_scheduler import LambdaSL
from minitorch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier
from minitorch.ao.pruning.sparsifier.nearly_diagonal_sparsifier import NearlyDiagonalSparsifier
from minitorch.ao.pruning.sparsifier.utils import (
    FakeSparsity,
    fqn_to_module,
    get_arg_info_from_tensor_fqn,
    module_to_fqn,
)
from minitorch.ao.pruning.sparsifier.weight_norm_sparsifier import WeightNormSparsifier

__getattr__, __dir__ = outlines.rest_of("torch.ao.pruning")
