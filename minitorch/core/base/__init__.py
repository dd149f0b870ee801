"""What graph and tensor stand on: modes, latches, the language of formulas, fields."""
