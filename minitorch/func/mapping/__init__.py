"""vmap: functions of one example, applied to many at once; and the rules for operators."""
