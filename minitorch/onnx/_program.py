"""The result of torch.onnx.export: a model of ONNX."""

from __future__ import annotations

import os
from typing import Any, NoReturn

import numpy

from minitorch import from_numpy
from minitorch.core.tensor.tensor import Tensor
from minitorch.testing import assert_close
from minitorch.utils._pytree import tree_leaves


class ONNXProgram:
    """A model of ONNX, with the shapes of the inputs that it was written for.

    Attributes:
        model_proto: the message of the package `onnx`

    As torch.onnx.ONNXProgram.
    """

    __module__ = "torch.onnx"

    def __init__(self, model_proto: Any) -> None:
        self.model_proto = model_proto

    def __repr__(self) -> str:
        from onnx import printer  # start-up: only exports need it

        return f"ONNXProgram({printer.to_text(self.model_proto)})"

    def save(
        self,
        destination: str | os.PathLike[str],
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Writes the model to a file.

        Args:
            destination: its name
            external_data: whether parameters go to a file beside it

        Raises: NotImplementedError without initializers, or with these as inputs.
        """
        import onnx  # start-up: only exports need it

        if not include_initializers or keep_initializers_as_inputs:
            raise NotImplementedError(
                "ONNXProgram.save: minitorch writes parameters into the model; torch.onnx.export "
                "takes keep_initializers_as_inputs"
            )
        path = os.fspath(destination)
        beside = {"location": f"{os.path.basename(path)}.data"} if external_data else {}
        # A copy: with data beside it, the package takes the data out of the message.
        model = onnx.ModelProto.FromString(self.model_proto.SerializeToString())
        onnx.save_model(model, path, save_as_external_data=bool(external_data), **beside)

    def call_reference(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The tensors that ONNX's reference computes from tensors."""
        from onnx.reference import ReferenceEvaluator  # start-up: only exports need it

        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        names = [each.name for each in self.model_proto.graph.input]
        feed = {name: each.detach().cpu().numpy() for name, each in zip(names, given, strict=False)}
        found = ReferenceEvaluator(self.model_proto).run(None, feed)
        return tuple([from_numpy(numpy.array(each)) for each in found])

    def _verify(self, args: Any, kwargs: Any, results: list[Any]) -> None:
        """AssertionError if ONNX's reference computes something else than the module."""
        assert_close(
            list(self.call_reference(*args, **kwargs)), [each.detach() for each in results]
        )

    def _missing(self, name: str, reason: str) -> NoReturn:
        raise NotImplementedError(f"ONNXProgram.{name} is not implemented by minitorch: {reason}")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses: torch runs the model by onnxruntime. `call_reference` computes it."""
        self._missing("__call__", "torch runs it by onnxruntime; call_reference computes it")

    def initialize_inference_session(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses: there is no session of onnxruntime."""
        self._missing("initialize_inference_session", "there is no session of onnxruntime")

    def optimize(self) -> NoReturn:
        """Refuses: torch does this by onnxscript."""
        self._missing("optimize", "torch does it by onnxscript")

    def apply_weights(self, state_dict: Any) -> NoReturn:
        """Refuses: torch does this by onnxscript."""
        self._missing("apply_weights", "torch does it by onnxscript")
