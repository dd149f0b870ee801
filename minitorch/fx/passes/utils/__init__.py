"""torch.fx.passes.utils: parts of graphs that look like others."""
