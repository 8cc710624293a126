"""The ONNX graph of all-MiniLM-L6-v2, built straight from its weights, so that no torch is needed.

A BERT encoder (Devlin et al. 2019) of 6 layers, 12 heads and width 384 with mean pooling and normalisation
(Reimers and Gurevych 2019). Inputs: int64 ``input_ids`` and ``attention_mask`` of shape (batch, tokens). Output:
float32 ``embedding`` of shape (batch, 384), each row of length 1.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import SafetensorError
from safetensors.numpy import load_file

from mneme.errors import SettingsError

DIMENSION = 384
BUILD = 1  # counted up with every change here that changes a vector: it names the cached file

_LAYERS, _HEADS = 6, 12
_OPSET, _IR_VERSION = 20, 9  # the first opset with Gelu; the IR that goes with it, read by onnxruntime from 1.17
_FAR_BELOW = -1e4  # added to the scores of padding; exp of it is exactly 0, so that padding changes nothing
_NORM_EPSILON = 1e-12

Array = npt.NDArray[Any]


def build_model(weights: Path, file: Path, quantized: bool) -> None:
    """Write the model made from a safetensors file.

    Args:
        weights: ``model.safetensors``.
        file: where the ONNX model is written.
        quantized: weights as 8-bit integers, one scale for each output channel (a single scale for a matrix costs four
            times the error), activations quantised as they come, one scale for each call of the session.

    Raises:
        SettingsError: the file does not hold the weights of this model.
    """
    try:
        model = _Builder(load_file(str(weights))).model()
    except (SafetensorError, KeyError, ValueError) as error:
        raise SettingsError(
            f"{weights} does not hold the weights of all-MiniLM-L6-v2 ({error}); set MNEME_EMBEDDER__PATH"
        ) from error
    if quantized:
        _quantize(model, file)
    else:
        onnx.save(model, str(file))


def _quantize(model: onnx.ModelProto, file: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory(dir=file.parent) as workplace:
        plain, prepared = Path(workplace) / "plain.onnx", Path(workplace) / "prepared.onnx"
        onnx.save(model, str(plain))
        quant_pre_process(str(plain), str(prepared), skip_optimization=True, skip_symbolic_shape=True)
        # reduce_range: 7 bits, since processors without VNNI overflow on 8. An index then means the same on all of them.
        quantize_dynamic(str(prepared), str(file), per_channel=True, reduce_range=True)


class _Builder:
    """Collects the nodes and constants of the graph; every method returns the name of a value."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        width = weights["embeddings.word_embeddings.weight"].shape[1]
        if width != DIMENSION or any(name.startswith(f"encoder.layer.{_LAYERS}.") for name in weights):
            raise ValueError(f"its width is {width}, or it has more than {_LAYERS} layers")
        self._weights = weights
        self._constants: list[onnx.TensorProto] = []
        self._nodes: list[onnx.NodeProto] = []

    def model(self) -> onnx.ModelProto:
        """The whole model, checked."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        bias = self._node("Mul", self._node("Sub", self._constant(np.float32(1)), mask), self._constant(np.float32(_FAR_BELOW)))
        bias = self._node("Unsqueeze", bias, self._integers(1, 2))
        hidden = self._embeddings()
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}.")
        self._nodes.append(helper.make_node("LpNormalization", [self._mean(hidden, mask)], ["embedding"], axis=1, p=2))
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIMENSION])
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
        model.ir_version = _IR_VERSION
        onnx.checker.check_model(model)
        return model

    def _embeddings(self) -> str:
        # There is one sentence only, so that its token type joins the position.
        places = (
            self._weight("embeddings.position_embeddings.weight") + self._weight("embeddings.token_type_embeddings.weight")[0]
        )
        length = self._node("Slice", self._node("Shape", "input_ids"), self._integers(1), self._integers(2), self._integers(0))
        words = self._node("Gather", self._constant(self._weight("embeddings.word_embeddings.weight")), "input_ids")
        place = self._node("Slice", self._constant(places), self._integers(0), length, self._integers(0))
        return self._norm(self._node("Add", words, place), "embeddings.LayerNorm")

    def _layer(self, hidden: str, bias: str, name: str) -> str:
        attended = self._linear(self._attention(hidden, bias, f"{name}attention.self."), f"{name}attention.output.dense")
        hidden = self._norm(self._node("Add", hidden, attended), f"{name}attention.output.LayerNorm")
        inner = self._node("Gelu", self._linear(hidden, f"{name}intermediate.dense"))
        outer = self._linear(inner, f"{name}output.dense")
        return self._norm(self._node("Add", hidden, outer), f"{name}output.LayerNorm")

    def _attention(self, hidden: str, bias: str, name: str) -> str:
        query = self._heads(self._linear(hidden, f"{name}query"), [0, 2, 1, 3])
        key = self._heads(self._linear(hidden, f"{name}key"), [0, 2, 3, 1])
        value = self._heads(self._linear(hidden, f"{name}value"), [0, 2, 1, 3])
        scale = self._constant(np.float32((DIMENSION // _HEADS) ** -0.5))
        scores = self._node("Add", self._node("Mul", self._node("MatMul", query, key), scale), bias)
        mixed = self._node("MatMul", self._node("Softmax", scores, axis=-1), value)
        return self._node("Reshape", self._node("Transpose", mixed, perm=[0, 2, 1, 3]), self._integers(0, 0, DIMENSION))

    def _heads(self, value: str, order: list[int]) -> str:
        split = self._node("Reshape", value, self._integers(0, 0, _HEADS, DIMENSION // _HEADS))
        return self._node("Transpose", split, perm=order)

    def _mean(self, hidden: str, mask: str) -> str:
        masked = self._node("Mul", hidden, self._node("Unsqueeze", mask, self._integers(2)))
        total = self._node("ReduceSum", masked, self._integers(1), keepdims=0)
        return self._node("Div", total, self._node("ReduceSum", mask, self._integers(1), keepdims=1))

    def _norm(self, value: str, name: str) -> str:
        scale, bias = self._constant(self._weight(f"{name}.weight")), self._constant(self._weight(f"{name}.bias"))
        return self._node("LayerNormalization", value, scale, bias, axis=-1, epsilon=_NORM_EPSILON)

    def _linear(self, value: str, name: str) -> str:
        product = self._node("MatMul", value, self._constant(self._weight(f"{name}.weight").T))
        return self._node("Add", product, self._constant(self._weight(f"{name}.bias")))

    def _weight(self, name: str) -> Array:
        return self._weights[name].astype(np.float32)

    def _integers(self, *values: int) -> str:
        return self._constant(np.array(values, np.int64))

    def _constant(self, value: Any) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(
            numpy_helper.from_array(np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value), name)
        )
        return name

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"value_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name
