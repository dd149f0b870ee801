"""Samples of every operator row; see registry.py."""

from tests.aten.samples import elementwise, indexing, linear, neural, random, reductions, views
from tests.aten.samples.registry import BUILDERS, Sample, deep_map, samples
