"""vmap: functions of one example, applied to many at once, and the rules by which operators are."""
