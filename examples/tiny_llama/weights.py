"""safetensors files of f32 arrays: an 8-byte header length, a JSON header, the bytes."""
import json
import struct

import numpy as np


def save(path, arrays):
    header, offset = {}, 0
    for name, array in arrays.items():
        end = offset + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)  # pads the header, so that a mapped file's arrays start at multiples of 64 bytes
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array, np.float32).tobytes())


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    start = 8 + length
    arrays = {}
    for name, entry in json.loads(data[8:start]).items():
        low, high = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[start + low : start + high], np.float32).reshape(entry["shape"])
    return arrays
