"""The ONNX graph of a small BERT encoder, built straight from its weights, so that no torch is needed.

A BERT encoder (Devlin et al. 2019) of 12 heads and width 384 with mean pooling and normalisation (Reimers and Gurevych
2019): all-MiniLM-L6-v2 has 6 layers, multilingual-e5-small 12. Inputs: int64 ``input_ids`` and ``attention_mask`` of shape
(batch, tokens). Outputs: float32 ``embedding`` of shape (batch, 384), each row of length 1, and int8 ``token_vectors`` of shape
(batch, tokens, 64), each of length 127, for late interaction (Khattab and Zaharia 2020, ColBERT).
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

DIMENSION = 384

_HEADS = 12
_OPSET, _IR_VERSION = 20, 9  # the first opset with Gelu; the IR that goes with it, read by onnxruntime from 1.17
_FAR_BELOW = -1e4  # added to the scores of padding; exp of it is exactly 0, so that padding changes nothing
_NORM_EPSILON = 1e-12
_ROWS = 8192
_CONTRIBUTED = "com.microsoft"  # onnxruntime's own operators

# Weights use 7 of 8 bits: processors without VNNI add two products in 16 bits, which 8 would overflow. So a vector, and with it
# an index, is the same on all of them.
_WEIGHT_LEVELS = 63
_LEVELS = 127
_MIDDLE = 128  # activations are unsigned; this stands for 0

Array = npt.NDArray[Any]


def build_model(
    weights: dict[str, Array], file: Path, layers: int, quantized: bool, projection: Array, centre: Array | None = None
) -> None:
    """Write the model made from weights.

    Args:
        weights: by the names that they have in BERT's own checkpoints; each is taken out when it is used, so that its memory
            is free again.
        file: where the ONNX model is written.
        layers: how many the model has.
        quantized: linear layers in 8-bit integers: weights with one scale for each output channel, activations with one scale
            for each token, taken as they come (Yao et al. 2022, ZeroQuant), so that a token's numbers depend on no other
            text's.
        projection: float32 of shape (65, 384): the mean of the tokens' vectors of length 1, which is taken from each, and
            below it the directions that are kept of them.
        centre: float32 of shape (384,), taken from each vector of length 1 before it gets length 1 again. Vectors of a model
            that all point much the same way then differ as widely as those of others (Mu and Viswanath 2018, All-but-the-Top).

    Raises:
        KeyError, ValueError: these are not the weights of such a model.
    """
    onnx.save(_Builder(weights, layers, quantized).model(projection, centre), str(file))


class _Builder:
    """Collects the nodes and constants of the graph; every method returns the name of a value."""

    def __init__(self, weights: dict[str, Array], layers: int, quantized: bool) -> None:
        width = weights["embeddings.word_embeddings.weight"].shape[1]
        if width != DIMENSION or any(name.startswith(f"encoder.layer.{layers}.") for name in weights):
            raise ValueError(f"its width is {width}, or it has more than {layers} layers")
        self._weights = weights
        self._layers = layers
        self._quantized = quantized
        self._in_integers: dict[str, tuple[str, str]] = {}
        self._constants: list[onnx.TensorProto] = []
        self._nodes: list[onnx.NodeProto] = []

    def model(self, projection: Array, centre: Array | None) -> onnx.ModelProto:
        """The whole model, checked."""
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        bias = self._node("Mul", self._node("Sub", self._constant(np.float32(1)), mask), self._constant(np.float32(_FAR_BELOW)))
        bias = self._node("Unsqueeze", bias, self._integers(1, 2))
        hidden = self._embeddings()
        for layer in range(self._layers):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}.")
        pooled = self._mean(hidden, mask)
        if centre is not None:
            pooled = self._node("Sub", self._node("LpNormalization", pooled, axis=1, p=2), self._constant(centre))
        self._nodes.append(helper.make_node("LpNormalization", [pooled], ["embedding"], axis=1, p=2))
        self._nodes.append(
            helper.make_node("Cast", [self._reduced(hidden, projection)], ["token_vectors"], to=TensorProto.INT8)
        )
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [
            helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIMENSION]),
            helper.make_tensor_value_info("token_vectors", TensorProto.INT8, ["batch", "tokens", len(projection) - 1]),
        ]
        graph = helper.make_graph(self._nodes, "encoder", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = _IR_VERSION
        onnx.checker.check_model(model)
        return model

    def _embeddings(self) -> str:
        # There is one sentence only, so that its token type joins the position.
        places = (
            self._weight("embeddings.position_embeddings.weight") + self._weight("embeddings.token_type_embeddings.weight")[0]
        )
        length = self._node("Slice", self._node("Shape", "input_ids"), self._integers(1), self._integers(2), self._integers(0))
        words = self._words(self._weight("embeddings.word_embeddings.weight"))
        place = self._node("Slice", self._constant(places), self._integers(0), length, self._integers(0))
        return self._norm(self._node("Add", words, place), "embeddings.LayerNorm")

    def _words(self, table: Array) -> str:
        if not self._quantized:
            return self._node("Gather", self._constant(table), "input_ids")
        scales = np.maximum(table.max(axis=1, keepdims=True), -table.min(axis=1, keepdims=True)) / _LEVELS
        integers = np.empty(table.shape, np.int8)
        for start in range(0, len(table), _ROWS):  # a table of 250,000 words has 400 MB: no copy of it is made
            part = slice(start, start + _ROWS)
            integers[part] = np.rint(table[part] / scales[part])
        whole = self._node("Gather", self._constant(integers), "input_ids")
        return self._node(
            "Mul", self._node("Cast", whole, to=TensorProto.FLOAT), self._node("Gather", self._constant(scales), "input_ids")
        )

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

    def _reduced(self, hidden: str, projection: Array) -> str:
        """The vectors of the tokens in few directions, each of length 127, in whole numbers."""
        unit = self._node("LpNormalization", hidden, axis=-1, p=2)
        kept = self._product(self._node("Sub", unit, self._constant(projection[0])), projection[1:].T)
        unit = self._node("LpNormalization", kept, axis=-1, p=2)
        return self._node("Round", self._node("Mul", unit, self._constant(np.float32(_LEVELS))))

    def _norm(self, value: str, name: str) -> str:
        scale, bias = self._constant(self._weight(f"{name}.weight")), self._constant(self._weight(f"{name}.bias"))
        return self._node("LayerNormalization", value, scale, bias, axis=-1, epsilon=_NORM_EPSILON)

    def _linear(self, value: str, name: str) -> str:
        weight = self._weight(f"{name}.weight").T
        product = self._integer_product(value, weight) if self._quantized else self._product(value, weight)
        return self._node("Add", product, self._constant(self._weight(f"{name}.bias")))

    def _product(self, value: str, weight: Array) -> str:
        return self._node("MatMul", value, self._constant(weight))

    def _integer_product(self, value: str, weight: Array) -> str:
        """The product with a weight of shape (inputs, outputs), both in 8-bit integers."""
        scales = np.abs(weight).max(axis=0) / _WEIGHT_LEVELS
        whole, greatest = self._integers_of(value)
        product = self._node(
            "MatMulIntegerToFloat",
            whole,
            self._constant(np.rint(weight / scales).astype(np.int8)),
            self._constant(np.float32(1 / _LEVELS)),
            self._constant(scales),
            self._constant(np.uint8(_MIDDLE)),
            self._constant(np.zeros(len(scales), np.int8)),
            domain=_CONTRIBUTED,
        )
        return self._node("Mul", product, greatest)

    def _integers_of(self, value: str) -> tuple[str, str]:
        """A value as unsigned 8-bit integers, and the greatest number of each token, which is their scale."""
        if value not in self._in_integers:  # query, key and value read the same
            greatest = self._node("ReduceMax", self._node("Abs", value), self._integers(-1), keepdims=1)
            greatest = self._node("Max", greatest, self._constant(np.float32(np.finfo(np.float32).tiny)))
            share = self._node("Mul", value, self._node("Reciprocal", greatest))
            scale, middle = self._constant(np.float32(1 / _LEVELS)), self._constant(np.uint8(_MIDDLE))
            self._in_integers[value] = self._node("QuantizeLinear", share, scale, middle), greatest
        return self._in_integers[value]

    def _weight(self, name: str) -> Array:
        return self._weights.pop(name).astype(np.float32, copy=False)

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
