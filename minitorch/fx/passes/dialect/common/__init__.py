"""torch.fx.passes.dialect.common: passes for graphs of ATen's operators."""
