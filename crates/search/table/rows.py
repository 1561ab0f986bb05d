"""Fits a row to each piece, so that the sum of a text's rows points where the teacher's vector of the text points."""

import numpy as np
from scipy import sparse

RATE, EPOCHS, BATCH = 0.01, 4, 2048
DIRECTION, ORDER, PULL = 50, 5, 0.0003
NEIGHBOURS, TEMPERATURE = 512, 0.05
HELD_OUT = 2000


def project(vectors: np.ndarray, dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and principal axes of the teacher's vectors."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors.astype(np.float64) - mean
    values, axes = np.linalg.eigh(centred.T @ centred)
    # An axis and its opposite are equally good; the largest component decides, so that every run takes the same.
    axes = axes[:, np.argsort(-values, kind="stable")[:dims]]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dims)])
    kept = np.sort(values)[::-1][:dims].sum() / values.sum()
    print(f"rows: {dims} of {vectors.shape[1]} dimensions keep {kept:.3f} of the variance", flush=True)
    return mean.astype(np.float32), axes.astype(np.float32)


def start(alone: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Rows before the fit: each piece as the teacher sees it alone, frequent pieces shorter.

    The vocabulary is ordered by frequency, so the rank stands for it.
    """
    rows = (alone - alone.mean(axis=0)) @ axes
    share = 1 / np.arange(1, len(rows) + 1)
    share /= share.sum()
    rows *= (1e-4 / (1e-4 + share))[:, None].astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1).mean()


def fit(rows: np.ndarray, bags: sparse.csr_matrix, targets: np.ndarray, seed: int) -> np.ndarray:
    """Adam on three terms: direction and order of the sums (see below), and a pull towards the rows at the start."""
    first, rows = rows.astype(np.float32), rows.astype(np.float32).copy()
    speed, size = np.zeros_like(rows), np.zeros_like(rows)
    chance = np.random.default_rng(seed)
    order = chance.permutation(bags.shape[0])
    held, order = order[:HELD_OUT], order[HELD_OUT:]
    report(0, rows, bags[held], targets[held])
    steps = EPOCHS * -(-len(order) // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        shuffled = chance.permutation(order)
        for at in range(0, len(shuffled), BATCH):
            batch = np.sort(shuffled[at : at + BATCH])
            bag, target = bags[batch], targets[batch]
            used = np.unique(bag.indices)
            bag = bag[:, used]
            sums = bag @ rows[used]
            gradient = bag.T @ slope(sums, target, chance.permutation(len(batch))) + PULL * (rows[used] - first[used])
            speed[used] = 0.9 * speed[used] + 0.1 * gradient
            size[used] = 0.99 * size[used] + 0.01 * gradient**2
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            rows[used] -= np.float32(rate) * speed[used] / (np.sqrt(size[used]) + 1e-6)
            step += 1
        report(epoch + 1, rows, bags[held], targets[held])
    return rows


def slope(sums: np.ndarray, targets: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    """The gradient of the loss by the sums; the targets have unit length.

    Direction: 1 - cosine between sum and target. Order: among some hundred texts of the batch, the divergence between how
    near the others are to a text and how near they should be, near ones above all.
    """
    length = np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-9)
    unit = sums / length
    wanted = -DIRECTION * targets
    for at in range(0, len(mixed), NEIGHBOURS):
        some = mixed[at : at + NEIGHBOURS]
        surplus = (nearness(unit[some]) - nearness(targets[some])) / TEMPERATURE
        wanted[some] += ORDER * (surplus + surplus.T) @ unit[some]
    # Only what turns a sum counts: its length is free.
    return (wanted - (wanted * unit).sum(axis=1, keepdims=True) * unit) / (length * len(sums))


def nearness(vectors: np.ndarray) -> np.ndarray:
    """For each vector how its nearness is spread over the others; each row sums to 1."""
    scores = vectors @ vectors.T / np.float32(TEMPERATURE)
    np.fill_diagonal(scores, -np.inf)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def report(epoch, rows, bags, targets):
    sums = bags @ rows
    cosine = (sums * targets).sum(axis=1) / (np.linalg.norm(sums, axis=1) + 1e-9)
    print(f"rows: epoch {epoch}: cosine {cosine.mean():.4f} on {len(cosine)} texts left out", flush=True)


def weights(bags: sparse.csr_matrix) -> np.ndarray:
    """How much a piece counts: sqrt(ln(1 + N / (1 + n))) with n of N texts holding it."""
    holding = np.bincount(bags.indices, minlength=bags.shape[1])
    return np.sqrt(np.log(1 + bags.shape[0] / (1 + holding))).astype(np.float32)
