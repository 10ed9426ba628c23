"""Writes seeds for the readers of arrays. `./dev fuzz` runs it with NumPy: `.venv/bin/python
scripts/fuzz_arrays.py FOLDER`."""
import pathlib
import sys

import numpy as np

KINDS = "?bBhHiIlLefdFD"  # all NumPy types that our files may have
SAFETENSORS = b'{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"I8","shape":[0],"data_offsets":[24,24]},"__metadata__":{"c":"d"}}'


def main(folder):
    arrays = {kind: np.arange(6).astype(kind).reshape(2, 3) for kind in KINDS}
    for index, array in enumerate(arrays.values()):
        np.save(folder / "npy" / f"seed{index}.npy", array)
    np.savez(folder / "npz" / "stored.npz", **arrays)
    np.savez_compressed(folder / "npz" / "deflated.npz", **arrays)
    elements = arrays["f"].astype("<f4").tobytes()
    (folder / "safetensors" / "seed").write_bytes(len(SAFETENSORS).to_bytes(8, "little") + SAFETENSORS + elements)


main(pathlib.Path(sys.argv[1]))
