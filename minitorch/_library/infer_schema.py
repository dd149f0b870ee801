"""torch._library.infer_schema: the schema of a function, under the path that torch has it at."""

from minitorch._public.library_schema import infer_schema

__all__ = ["infer_schema"]
