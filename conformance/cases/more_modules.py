"""Samples of the classes of torch.nn that torch's own `module_db` leaves out.

A sample is the arguments of the class and the shapes of the inputs; what is no shape is the input.
"""

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.testing import make_tensor

from conformance.cases.database import FunctionInput, ModuleInfo, ModuleInput


def sample(*shapes: Any, of: tuple = (), **keywords: Any) -> tuple:
    """Returns a construction, `of` its arguments and keywords, with the shapes of the inputs."""
    return of, keywords, shapes


def _indices(size: tuple[int, ...], step: int) -> torch.Tensor:
    """Returns the positions of what max pooling could have found in windows of `step`."""
    return (torch.arange(size[-1]) * step).expand(size).clone()


LAYERS = (nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2, bias=False))
DROPPING = [sample((4, 5)), sample((4, 5), p=0.2), sample((4, 5), of=(0.7, True)), sample((3,))]
CHANNELS_1D = [sample((2, 3, 4)), sample((3, 4), p=0.2), sample((3, 4), of=(0.7, True))]
CHANNELS_2D = [sample((2, 3, 4, 2)), sample((3, 4, 2), p=0.2), sample((2, 3, 4, 2), of=(0.7, True))]
CHANNELS_3D = [sample((2, 3, 2, 4, 2)), sample((2, 3, 2, 4, 2), p=0.2)]

SAMPLES = {
    nn.Dropout: DROPPING,
    nn.AlphaDropout: DROPPING,
    nn.Dropout1d: CHANNELS_1D,
    nn.Dropout2d: CHANNELS_2D,
    nn.Dropout3d: CHANNELS_3D,
    nn.FeatureAlphaDropout: CHANNELS_3D,
    nn.RReLU: [sample((4, 5)), sample((4, 5), of=(0.2, 0.4)), sample((3,), inplace=False)],
    nn.Hardsigmoid: [sample((4, 5)), sample(())],
    nn.Identity: [sample((4, 5)), sample((4, 5), of=(54,), unused=True)],
    nn.Flatten: [sample((2, 3, 4)), sample((2, 3, 4, 2), of=(2,)), sample((2, 3, 4), end_dim=1)],
    nn.Unflatten: [
        sample((2, 6), of=(1, (2, 3))),
        sample((2, 6), dim=-1, unflattened_size=(3, -1)),
    ],
    nn.PairwiseDistance: [sample((4, 3), (4, 3)), sample((4, 3), (4, 3), p=1.0, keepdim=True)],
    nn.CosineSimilarity: [sample((4, 3), (4, 3)), sample((4, 3), (4, 3), dim=0, eps=1e-4)],
    nn.PixelShuffle: [sample((1, 8, 2, 3), of=(2,)), sample((4, 2, 3), of=(2,))],
    nn.PixelUnshuffle: [sample((1, 2, 4, 6), of=(2,)), sample((2, 4, 6), of=(2,))],
    nn.ChannelShuffle: [sample((1, 4, 2, 3), of=(2,))],
    nn.Upsample: [
        sample((1, 2, 3), scale_factor=2.0),
        sample((1, 2, 3, 4), size=(5, 7), mode="bilinear"),
        sample((1, 2, 3, 4), scale_factor=(2.0, 1.5), mode="bicubic", align_corners=True),
    ],
    nn.UpsamplingNearest2d: [sample((1, 2, 3, 4), scale_factor=2)],
    nn.UpsamplingBilinear2d: [sample((1, 2, 3, 4), size=(5, 7))],
    nn.Unfold: [sample((1, 2, 5, 4), of=(2,)), sample((1, 2, 5, 4), of=((2, 3), 1, 1, 2))],
    nn.Fold: [sample((1, 8, 12), of=((5, 4), 2))],
    nn.EmbeddingBag: [
        sample(torch.tensor([[1, 2], [4, 5]]), of=(6, 3)),
        sample(torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3]), of=(6, 3), mode="sum"),
    ],
    nn.TripletMarginLoss: [
        sample((4, 3), (4, 3), (4, 3)),
        sample((4, 3), (4, 3), (4, 3), margin=0.5, p=1.0, swap=True, reduction="none"),
    ],
    nn.TripletMarginWithDistanceLoss: [sample((4, 3), (4, 3), (4, 3), margin=0.5, swap=True)],
    nn.AdaptiveLogSoftmaxWithLoss: [sample((4, 8), torch.tensor([0, 3, 9, 5]), of=(8, 10, [4, 7]))],
    nn.MaxUnpool1d: [sample((1, 2, 3), _indices((1, 2, 3), 2), of=(2,))],
    nn.MaxUnpool2d: [sample((1, 2, 2, 3), _indices((1, 2, 2, 3), 2), of=(2,), stride=2)],
    nn.CrossMapLRN2d: [sample((1, 4, 3, 2), of=(3,))],
    nn.LazyLinear: [sample((4, 5), of=(3,)), sample((5,), of=(3, False))],
    nn.LazyBatchNorm1d: [sample((4, 5)), sample((4, 5, 3), affine=False)],
    nn.LazyBatchNorm2d: [sample((2, 3, 4, 2)), sample((2, 3, 4, 2), momentum=None)],
    nn.LazyInstanceNorm1d: [sample((2, 3, 4)), sample((2, 3, 4), affine=True)],
    nn.TransformerDecoder: [
        sample((3, 2, 4), (5, 2, 4), of=(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2))
    ],
    nn.Sequential: [sample((5, 4), of=LAYERS), sample((5, 4)), sample((5, 4), of=LAYERS[1:2])],
    nn.ModuleList: [sample((5, 4), of=(list(LAYERS),)), sample((5, 4))],
    nn.ModuleDict: [sample((5, 4), of=({"first": LAYERS[0], "act": LAYERS[1]},))],
    nn.ParameterList: [sample((2,), of=([torch.arange(3.0), torch.ones(2, 2)],)), sample((2,))],
    nn.ParameterDict: [sample((2,), of=({"a": torch.arange(3.0), "b": torch.ones(2, 2)},))],
}

DRAWING = (*list(SAMPLES)[:7], nn.LazyBatchNorm1d, nn.LazyBatchNorm2d)  # in training, that is


def _inputs(info: Any, device: str, dtype: torch.dtype, requires_grad: bool, **_: Any) -> list:
    make = partial(make_tensor, device=device, dtype=dtype, requires_grad=requires_grad)
    return [
        ModuleInput(
            FunctionInput(*arguments, **keywords),
            FunctionInput(*(make(each) if type(each) is tuple else each for each in inputs)),
        )
        for arguments, keywords, inputs in SAMPLES[info.module_cls]
    ]


MORE = [
    ModuleInfo(cls, module_inputs_func=_inputs, train_and_eval_differ=cls in DRAWING)
    for cls in SAMPLES
]
