"""torch.fx.passes.infra: what passes derive from, and what runs them in order."""
