"""Reports on recordings: memory, gradients, reasons, comparisons, findings."""
