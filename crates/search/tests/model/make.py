#!/usr/bin/env python3
"""Makes the tiny model of the transformer's test, with the vectors that it must give. Standard library only.

    python3 make.py

Two layers of 8 numbers with random weights: it means nothing, but every step of the computation leaves its trace in the vectors.
The computation below is written from the published description of BERT, in double precision and one number at a time.
"""

import json
import math
import pathlib
import random
import struct

HIDDEN, LAYERS, HEADS, WIDE, POSITIONS, EPSILON = 8, 2, 2, 12, 16, 1e-12
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "order", "##s", "are", "kept", "cafe", "##te", "##ria", ".", ",", "a", "in", "ledger", "售", "b"]
TEXTS = {
    "orders are kept": [2, 5, 6, 7, 8, 3],
    "The Orders, are KEPT.": [2, 4, 5, 6, 13, 7, 8, 12, 3],
    "Cafétéria 售b": [2, 9, 10, 11, 17, 18, 3],
    "unheard": [2, 1, 3],
    "a a a a a a a a a a a a a a a a a a a a": [2] + [14] * 14 + [3],
    "the ledger": [2, 4, 16, 3],
}


def main():
    here = pathlib.Path(__file__).parent
    tensors = weights(random.Random(7))
    config = {
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "intermediate_size": WIDE, "max_position_embeddings": POSITIONS, "vocab_size": len(PIECES), "layer_norm_eps": EPSILON,
    }
    tokenizer = {
        "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "vocab": {piece: number for number, piece in enumerate(PIECES)}},
    }
    write(here / "config.json", config)
    write(here / "tokenizer.json", tokenizer)
    (here / "model.safetensors").write_bytes(safetensors(tensors))
    write(here / "expected.json", [{"text": text, "vector": embed(tensors, pieces)} for text, pieces in TEXTS.items()])


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def weights(dice):
    """Tensors by name: (shape, numbers). Rounded to what a float of 32 bits holds."""
    shapes = {
        "embeddings.word_embeddings.weight": (len(PIECES), HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        linears = [f"attention.self.{part}" for part in ("query", "key", "value")] + ["attention.output.dense"]
        for part, rows, columns in [(part, HIDDEN, HIDDEN) for part in linears] + [
            ("intermediate.dense", WIDE, HIDDEN), ("output.dense", HIDDEN, WIDE)]:
            shapes |= {f"{name}{part}.weight": (rows, columns), f"{name}{part}.bias": (rows,)}
        norms += [f"{name}attention.output.LayerNorm", f"{name}output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (HIDDEN,), f"{norm}.bias": (HIDDEN,)}
    rounded = lambda value: struct.unpack("<f", struct.pack("<f", value))[0]  # noqa: E731
    return {name: (shape, [rounded(dice.gauss(0, 0.8)) for _ in range(math.prod(shape))]) for name, shape in shapes.items()}


def safetensors(tensors):
    """A length, a JSON head that tells where each tensor is, and the numbers."""
    head, body = {}, b""
    for name, (shape, numbers) in tensors.items():
        data = struct.pack(f"<{len(numbers)}f", *numbers)
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def embed(tensors, pieces):
    row = lambda name, at: tensors[name][1][at * HIDDEN : (at + 1) * HIDDEN]  # noqa: E731
    state = []
    for position, piece in enumerate(pieces):
        parts = row("embeddings.word_embeddings.weight", piece), row("embeddings.position_embeddings.weight", position), row(
            "embeddings.token_type_embeddings.weight", 0)
        state.append(norm(tensors, "embeddings.LayerNorm", [sum(values) for values in zip(*parts)]))
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        query, key, value = ([linear(tensors, f"{name}attention.self.{part}", vector) for vector in state] for part in ("query", "key", "value"))
        seen = [[] for _ in state]
        size = HIDDEN // HEADS
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for at, vector in enumerate(query):
                dots = [sum(a * b for a, b in zip(vector[part], other[part])) / math.sqrt(size) for other in key]
                total = math.fsum(math.exp(dot) for dot in dots)
                shares = [math.exp(dot) / total for dot in dots]
                seen[at] += [sum(share * other[part][n] for share, other in zip(shares, value)) for n in range(size)]
        for at, vector in enumerate(seen):
            out = linear(tensors, f"{name}attention.output.dense", vector)
            middle = norm(tensors, f"{name}attention.output.LayerNorm", [a + b for a, b in zip(out, state[at])])
            wide = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in linear(tensors, f"{name}intermediate.dense", middle)]
            out = linear(tensors, f"{name}output.dense", wide)
            seen[at] = norm(tensors, f"{name}output.LayerNorm", [a + b for a, b in zip(out, middle)])
        state = seen
    mean = [sum(values) / len(state) for values in zip(*state)]
    length = math.sqrt(sum(value * value for value in mean))
    return [round(value / length, 6) for value in mean]


def linear(tensors, name, vector):
    (rows, columns), weight = tensors[f"{name}.weight"]
    bias = tensors[f"{name}.bias"][1]
    return [bias[r] + sum(weight[r * columns + c] * vector[c] for c in range(columns)) for r in range(rows)]


def norm(tensors, name, vector):
    mean = sum(vector) / HIDDEN
    spread = math.sqrt(sum((value - mean) ** 2 for value in vector) / HIDDEN + EPSILON)
    weight, bias = tensors[f"{name}.weight"][1], tensors[f"{name}.bias"][1]
    return [(value - mean) / spread * w + b for value, w, b in zip(vector, weight, bias)]


if __name__ == "__main__":
    main()
