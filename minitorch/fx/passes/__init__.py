"""torch.fx.passes: changes of graphs, and what is known of their values."""
