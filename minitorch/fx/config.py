"""torch.fx.config: what an Interpreter shows while it runs."""

from __future__ import annotations

disable_progress = True
verbose_progress = False
do_not_emit_stack_traces = False
