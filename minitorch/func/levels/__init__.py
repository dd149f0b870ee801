"""The levels of transforms, by what a tensor of each carries."""
