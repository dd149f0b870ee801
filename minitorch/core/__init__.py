"""The engine room: arrays, numbers, sampling, graph, Tensor and the declaration of operators."""
