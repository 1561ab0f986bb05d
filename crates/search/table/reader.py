"""Reads table.bin and embeds texts with it: the plain reference that the Rust reader is checked against.

    text  ->  characters cleaned, accents off, lower case  ->  words and marks  ->  pieces  ->  unit(sum of their rows)

Standard library only. README.md says the same in words.
"""

import array
import math
import pathlib
import struct
import sys
import unicodedata

MAGIC, VERSION = b"CHTB", 1
WORD_CHARS_MAX = 100


class Table:
    def __init__(self, path: pathlib.Path):
        data = path.read_bytes()
        magic, version, rows, self.dims = struct.unpack_from("<4sIII", data)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(f"{path} is not a table of version {VERSION}")
        at, self.ids = 16, {}
        for row in range(rows):
            length = data[at]
            self.ids[data[at + 1 : at + 1 + length].decode()] = row
            at += 1 + length
        self.scales = array.array("f", data[at : at + 4 * rows])
        if sys.byteorder == "big":
            self.scales.byteswap()
        at += 4 * rows
        self.rows = array.array("b", data[at:])
        if len(self.rows) != rows * self.dims:
            raise ValueError(f"{path} is cut short or too long")

    def pieces(self, text: str) -> list[int]:
        """The rows of a text, in its order. A word that has no pieces is left out."""
        return [piece for word in words(normalise(text)) for piece in self.pieces_of_word(word)]

    def pieces_of_word(self, word: str) -> list[int]:
        """The longest entry that the word begins with, then the longest ## entry that the rest begins with, and so on."""
        if len(word) > WORD_CHARS_MAX:
            return []
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self.ids.get(("##" if start else "") + word[start:end])
                if piece is not None:
                    break
            else:
                return []
            found.append(piece)
            start = end
        return found

    def vector(self, pieces: list[int]) -> list[float]:
        """The unit vector of a text; zeros if it has no pieces."""
        total = [0.0] * self.dims
        for piece in pieces:
            scale, row = self.scales[piece], self.rows[piece * self.dims : (piece + 1) * self.dims]
            total = [sum_ + scale * value for sum_, value in zip(total, row)]
        length = math.sqrt(math.fsum(value * value for value in total))
        return [value / length for value in total] if length else total


def normalise(text: str) -> str:
    """Controls out, every blank a space, ideographs apart, accents off, lower case; each character for itself."""
    cleaned = []
    for char in text:
        if char in "\t\n\r" or unicodedata.category(char) in ("Zs", "Zl", "Zp"):
            cleaned.append(" ")
        elif char == "\ufffd" or unicodedata.category(char)[0] == "C":
            continue
        else:
            cleaned.append(f" {char} " if is_ideograph(ord(char)) else char)
    bare = (char for char in unicodedata.normalize("NFD", "".join(cleaned)) if unicodedata.category(char) != "Mn")
    return "".join(char.lower() for char in bare)


def is_ideograph(code: int) -> bool:
    ranges = (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)
    return any(low <= code <= high for low, high in (*ranges, (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


def words(text: str) -> list[str]:
    """Runs of other characters between blanks; each mark of punctuation is a word of its own."""
    found, word = [], ""
    for char in text:
        mark = is_mark(char)
        if mark or char.isspace():
            found += [word] if word else []
            word = ""
            found += [char] if mark else []
        else:
            word += char
    return found + ([word] if word else [])


def is_mark(char: str) -> bool:
    code = ord(char)
    ascii_mark = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_mark or unicodedata.category(char)[0] == "P"
