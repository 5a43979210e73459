"""Makes tests/golden/vectors/quantized.json, vectors in fewer bits by sentence-transformers itself, and
maxsim.json, sums of the greatest inner products (MaxSim of Khattab and Zaharia, ColBERT, 2020) by numpy.

    python make_golden.py FOLDER

Needs sentence-transformers (6.2; older ones divide a range of no width by 0 and wrap around what lies
outside of the ranges) and numpy.
"""
import json
import sys

import numpy as np
from sentence_transformers.util.quantization import quantize_embeddings


def numbers(array):
    """Float32 values as the shortest decimals that read back as the same."""
    return [[float(str(value)) for value in row] for row in array]


def values(quantized, precision, ranges):
    """What quantized vectors stand for, in double precision: signs, or levels of the ranges."""
    if precision == "binary":
        quantized = (quantized.astype(np.int16) + 128).astype(np.uint8)
    if precision.endswith("binary"):
        return np.unpackbits(quantized, axis=-1) * 2.0 - 1
    least, greatest = ranges
    steps = (greatest - least) / 255  # in single precision
    levels = quantized.astype(np.float64) + (128 if precision == "int8" else 0)
    return levels * np.where(steps == 0, 1, steps) + least


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def cases():
    random = np.random.default_rng(7)
    shapes = [(2, 8), (3, 16), (40, 24), (5, 384)]
    for count, dimensions in shapes:
        vectors = random.normal(0, 0.4, (count, dimensions)).astype(np.float32)
        if dimensions == 16:
            vectors[:, 3] = 0.25  # a dimension whose range has no width
            vectors[0, 5] = 0.0  # no sign
        yield vectors, None
        corpus = random.normal(0, 0.3, (50, dimensions)).astype(np.float32)
        yield vectors, np.vstack((corpus.min(axis=0), corpus.max(axis=0)))


def maxsim():
    random = np.random.default_rng(8)
    for queries, dimensions, lengths in [(1, 4, [1, 3]), (5, 16, [7, 1, 12]), (12, 32, [20, 9, 15])]:
        query = random.normal(0, 1, (queries, dimensions)).astype(np.float32)
        documents = [random.normal(0, 1, (n, dimensions)).astype(np.float32) for n in lengths]
        products = [query.astype(np.float64) @ d.astype(np.float64).T for d in documents]
        yield {
            "query": numbers(query),
            "documents": [numbers(document) for document in documents],
            "scores": [float(p.max(axis=1).sum()) for p in products],
        }


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def main(folder):
    found = []
    for vectors, ranges in cases():
        case = {"vectors": numbers(vectors), "expect": {}}
        if ranges is not None:
            case["ranges"] = numbers(ranges)
        for precision in ("int8", "uint8", "binary", "ubinary"):
            result = quantize_embeddings(vectors, precision, ranges=ranges)
            used = np.vstack((vectors.min(axis=0), vectors.max(axis=0))) if ranges is None else ranges
            first, second = values(result, precision, used)[:2]
            case["expect"][precision] = {
                "dtype": str(result.dtype),
                "data": result.tolist(),
                "cosine": cosine(first, second),  # of the first two
                "cosine_to_float": cosine(first, vectors[1].astype(np.float64)),
            }
        found.append(case)
    write(f"{folder}/quantized.json", found)
    write(f"{folder}/maxsim.json", list(maxsim()))


main(sys.argv[1])
