"""torch._higher_order_ops: functions of functions: branches, loops and scans over tensors.

They run the functions that they are given, one call after another, so that a gradient goes through
each operator in them. Torch compiles them first, and shows one node for the whole.
"""

from minitorch._higher_order_ops.associative_scan import associative_scan
from minitorch._higher_order_ops.cond import cond
from minitorch._higher_order_ops.map import map
from minitorch._higher_order_ops.scan import scan
from minitorch._higher_order_ops.while_loop import while_loop
from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch._higher_order_ops")
