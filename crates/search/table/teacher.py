"""The teacher: all-MiniLM-L6-v2 as an ONNX graph, and a cache of the vectors it gave.

A text goes in, a unit vector of 384 dimensions comes out. Batches hold texts of one length, so nothing is padded and a
vector does not depend on the texts beside it, apart from rounding.
"""

import hashlib
import pathlib
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

DIMS = 384
HEADS = 12
LAYERS = 6
PIECES_MAX = 192
TOKENS_A_BATCH = 4096


class Teacher:
    """Turns texts into unit vectors; what was asked before comes from the cache folder."""

    def __init__(self, model: pathlib.Path, cache: pathlib.Path, threads: int):
        self.tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(PIECES_MAX)
        self.model, self.threads, self.session = model, threads, None
        self.keys_path, self.vectors_path = cache / "teacher.keys", cache / "teacher.f16"
        self.known = {}
        if self.keys_path.exists():
            keys = self.keys_path.read_bytes()
            self.known = {keys[i : i + 16]: i // 16 for i in range(0, len(keys) - 15, 16)}

    def vectors(self, texts: list[str]) -> np.ndarray:
        """The vectors of `texts`, in their order."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts) if key not in self.known}
        if missing:
            self._ask(list(missing), list(missing.values()))
        stored = np.memmap(self.vectors_path, np.float16, "r").reshape(-1, DIMS)
        return np.asarray(stored[[self.known[key] for key in keys]], np.float32)

    def pieces(self, ids: list[int]) -> np.ndarray:
        """The vectors of single entries of the vocabulary, each as a text of its own."""
        self.session = self.session or session(self.model, self.threads)
        begin, end = (self.tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        batches = [np.array([[begin, id_, end] for id_ in ids[at : at + 1024]], np.int64) for at in range(0, len(ids), 1024)]
        vectors = np.concatenate([self.session.run(None, {"ids": batch})[0] for batch in batches])
        # Rounded as cached vectors are.
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)

    def _ask(self, keys, texts):
        self.session = self.session or session(self.model, self.threads)
        start, done = time.monotonic(), 0
        with open(self.keys_path, "ab") as key_file, open(self.vectors_path, "ab") as vector_file:
            # In parts, so that an interrupted run keeps what it has.
            for at in range(0, len(texts), 20_000):
                part = self._encode(texts[at : at + 20_000]).astype(np.float16)
                vector_file.write(part.tobytes())
                vector_file.flush()
                for key in keys[at : at + 20_000]:
                    self.known[key] = len(self.known)
                key_file.write(b"".join(keys[at : at + 20_000]))
                key_file.flush()
                done += len(part)
                print(f"teacher: {done} of {len(texts)}, {done / (time.monotonic() - start):.0f} texts/s", flush=True)

    def _encode(self, texts):
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        vectors, at = np.empty((len(ids), DIMS), np.float32), 0
        while at < len(order):
            length = len(ids[order[at]])
            end = at
            while end < len(order) and len(ids[order[end]]) == length and (end - at) * length < TOKENS_A_BATCH:
                end += 1
            batch = np.array([ids[i] for i in order[at:end]], np.int64)
            vectors[order[at:end]] = self.session.run(None, {"ids": batch})[0]
            at = end
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def session(model: pathlib.Path, threads: int) -> onnxruntime.InferenceSession:
    """An ONNX Runtime session of the model in the folder `model`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # A spinning pool would hold the cores that others need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph = build(load_file(model / "model.safetensors"))
    return onnxruntime.InferenceSession(graph.SerializeToString(), options, ["CPUExecutionProvider"])


def build(weights: dict) -> onnx.ModelProto:
    """The encoder with mean pooling: ids [batch, length] to vectors [batch, 384]. No mask, since nothing is padded."""
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(kind, inputs, **attributes):
        output = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(x, name):
        w = constant(name + ".weight.T", weights[name + ".weight"].T)
        return op("Add", [op("MatMul", [x, w]), constant(name + ".bias", weights[name + ".bias"])])

    def norm(x, name):
        inputs = [x] + [constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return op("LayerNormalization", inputs, axis=-1, epsilon=1e-12)

    constant("split", np.array([0, 0, HEADS, DIMS // HEADS], np.int64))
    constant("join", np.array([0, 0, DIMS], np.int64))
    constant("root", np.float32((DIMS // HEADS) ** -0.5))
    constant("zero", np.array([0], np.int64))
    constant("one", np.array([1], np.int64))
    constant("two", np.array([2], np.int64))
    words = constant("words", weights["embeddings.word_embeddings.weight"])
    # Every text is segment 0, so its vector is part of each position's.
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = op("Slice", [op("Shape", ["ids"]), "one", "two"])
    x = op("Add", [op("Gather", [words, "ids"]), op("Slice", [constant("places", places), "zero", length])])
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        q, k, v = (op("Reshape", [linear(x, f"{name}attention.self.{part}"), "split"]) for part in ("query", "key", "value"))
        q, v = (op("Transpose", [part], perm=[0, 2, 1, 3]) for part in (q, v))
        shares = op("Softmax", [op("Mul", [op("MatMul", [q, op("Transpose", [k], perm=[0, 2, 3, 1])]), "root"])], axis=-1)
        mixed = op("Reshape", [op("Transpose", [op("MatMul", [shares, v])], perm=[0, 2, 1, 3]), "join"])
        x = norm(op("Add", [x, linear(mixed, name + "attention.output.dense")]), name + "attention.output.LayerNorm")
        inner = op("Gelu", [linear(x, name + "intermediate.dense")])
        x = norm(op("Add", [x, linear(inner, name + "output.dense")]), name + "output.LayerNorm")
    nodes.append(helper.make_node("ReduceMean", [x, "one"], ["vectors"], keepdims=0))
    graph = helper.make_graph(
        nodes,
        "minilm",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", DIMS])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
