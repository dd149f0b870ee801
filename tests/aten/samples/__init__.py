"""Samples of every operator row; see registry.py."""

from tests.aten.samples import (
    elementwise,
    fourier,
    images,
    indexing,
    layers,
    linalg,
    linear,
    neural,
    random,
    reductions,
    views,
)
from tests.aten.samples.registry import BUILDERS, Sample, has_samples, samples
