"""Where the nodes of a graph stand on a page: those that are linked near each other, none upon another."""

from collections.abc import Sequence

import numpy as np

_ROUNDS = 250
_SPRING, _GRAVITY = 0.1, 0.25  # weak: names stand beside the nodes, and need room


def positions(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], width: float, height: float
) -> dict[str, tuple[float, float]]:
    """The place of each node within a frame, the same for the same graph (the springs of Fruchterman and Reingold).

    Args:
        nodes: their names, the most important first: it begins in the middle.
        edges: pairs of names; what is no node is left out.
        width: of the frame, in its units.
        height: of the frame.
    """
    if not nodes:
        return {}
    place = {name: number for number, name in enumerate(nodes)}
    pairs = np.array([(place[a], place[b]) for a, b in edges if a in place and b in place and a != b], dtype=int).reshape(-1, 2)
    turn = np.arange(len(nodes)) * 2.399963  # the golden angle: a spiral fills a disk evenly
    at = np.sqrt(np.arange(len(nodes)) / len(nodes))[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    near = 1.6 / np.sqrt(len(nodes))
    degree = np.sqrt(1.0 + np.bincount(pairs.ravel(), minlength=len(nodes)))  # what is linked much gets room for its links
    weights = np.outer(degree, degree)
    for heat in np.linspace(0.12, 0.002, _ROUNDS):
        apart = at[:, None] - at[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (weights * near**2 / distance**2)[..., None]).sum(axis=1)
        if len(pairs):
            pull = at[pairs[:, 0]] - at[pairs[:, 1]]
            pull *= _SPRING * np.linalg.norm(pull, axis=1, keepdims=True) / near
            np.subtract.at(force, pairs[:, 0], pull)
            np.add.at(force, pairs[:, 1], pull)
        force -= _GRAVITY * at  # towards the middle, or what is linked to nothing would drift away
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / length * np.minimum(length, heat)
    low, size = at.min(axis=0), np.maximum(np.ptp(at, axis=0), 1e-6)
    scaled = (at - low) / size if len(nodes) > 1 else np.full((1, 2), 0.5)
    return {name: (float(x * width), float(y * height)) for name, (x, y) in zip(nodes, scaled, strict=True)}
