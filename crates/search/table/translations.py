"""Texts in German, French, Spanish and Dutch, each with its English original.

The teacher knows English. A translation is fitted to the teacher's vector of the original, so that a question in one
language finds a record in another.
"""

import gettext
import json
import pathlib
import re

from packages import fetch, files, plain

LANGUAGES = ("de", "fr", "es", "nl")
WORDS_MAX = 120


def gather(cache: pathlib.Path) -> dict[str, tuple[int, list[tuple[str, str]]]]:
    """For each source and language how many pairs it may give, and the pairs of translation and original it has."""
    home, names = fetch(cache, "pip", "homeassistant==2024.3.3"), fetch(cache, "npm", "cldr-annotations-full@48.2.0")
    charts, pages = fetch(cache, "pip", "apache-superset==6.1.0"), fetch(cache, "pip", "wagtail==8.0.1")
    home_originals, name_originals = messages(home, "en"), annotations(names, "en")
    sources = {}
    for language in LANGUAGES:
        sources[f"homeassistant {language}"] = 8000, by_key(messages(home, language), home_originals)
        sources[f"annotations {language}"] = 5000, by_key(annotations(names, language), name_originals)
        sources[f"superset {language}"] = 4000, catalogues(charts, language)
        sources[f"wagtail {language}"] = 3000, catalogues(pages, language)
    return {source: (limit, distinct(pairs)) for source, (limit, pairs) in sources.items()}


def distinct(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that say something in two languages, with one original for each translation."""
    found = {}
    for translation, original in ((bare(a), bare(b)) for a, b in pairs):
        if translation.lower() != original.lower() and translation.isprintable() and original.isprintable():
            if translation and 0 < len(original.split()) <= WORDS_MAX:
                found.setdefault(translation, original)
    return sorted(found.items())


def bare(message: str) -> str:
    """The message without placeholders, marks and addresses."""
    without = re.sub(r"%\(\w+\)[sdif]|%[sdif]|\{[^{}]*\}|<[^>]*>|\(?https?:\S+|\[%.*?%\]|[*`&\[\]]", " ", message)
    return " ".join(without.split())


def by_key(translations: dict[str, str], originals: dict[str, str]) -> list[tuple[str, str]]:
    return [(text, originals[key]) for key, text in sorted(translations.items()) if key in originals]


def messages(folder: pathlib.Path, language: str) -> dict[str, str]:
    """The texts of JSON message files by their path of keys."""
    found = {}

    def walk(value, path):
        if isinstance(value, dict):
            for key in sorted(value):
                walk(value[key], f"{path}/{key}")
        elif isinstance(value, str):
            found[path] = value

    for file in files(folder, f"translations/{language}.json"):
        walk(json.loads(plain(file)), str(file.parent.relative_to(folder)))
    return found


def annotations(folder: pathlib.Path, language: str) -> dict[str, str]:
    """Names and keywords of symbols, by the symbol: everyday things, food, animals, feelings."""
    found = {}
    for file in files(folder, f"annotations/{language}/annotations.json"):
        for symbol, texts in json.loads(plain(file))["annotations"]["annotations"].items():
            for kind, words in texts.items():
                found[f"{symbol} {kind}"] = ", ".join(words)
    return found


def catalogues(folder: pathlib.Path, language: str) -> list[tuple[str, str]]:
    """The entries of all gettext catalogues of a language; their keys are the originals."""
    found = []
    for file in files(folder, f"{language}/LC_MESSAGES/*.mo"):
        with open(file, "rb") as stream:
            entries = gettext.GNUTranslations(stream)._catalog.items()
        found += [(text, key[0] if isinstance(key, tuple) else key) for key, text in entries]
    return sorted((text, original.rpartition("\x04")[2]) for text, original in found if original)
