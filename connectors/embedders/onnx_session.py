"""A model in onnxruntime's own format: optimised once, then mapped into memory, so that it is loaded in milliseconds.

An ONNX file of 90 MB is copied, parsed and optimised whenever it is loaded, which takes .3 s of processor time; of a file
in onnxruntime's format only what is used is read, and processes share it (onnxruntime.ai, "ORT model format").
"""

from pathlib import Path

from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions

SUFFIX = ".ort"


def optimise(model: Path, file: Path) -> None:
    """Write an ONNX model in onnxruntime's format, with the optimisations that are right on any processor."""
    options = _options()
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(file)
    options.add_session_config_entry("session.save_model_format", "ORT")
    InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def open_session(file: Path) -> InferenceSession:
    """A session of a file that ``optimise`` wrote; each of its calls runs in the thread that makes it."""
    options = _options()
    options.add_session_config_entry("session.use_memory_mapped_ort_model", "1")
    options.add_session_config_entry("session.use_ort_model_bytes_for_initializers", "1")
    return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _options() -> SessionOptions:
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the embedder's own threads share the work
    options.log_severity_level = 3
    return options
