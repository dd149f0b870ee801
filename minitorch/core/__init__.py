"""The engine room: arrays, numbers, sampling, the graph, the Tensor and the declaration of operators."""
