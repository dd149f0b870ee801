"""The levels of transforms: gradients, tangents, batches, functional writes."""
