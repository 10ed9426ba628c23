"""Measures on this GPU facts that the cuBLASLt manual doesn't state. Usage: library_facts.py
QUESTIONS RESULTS

RESULTS is a JSON object: the bit that a relu's call writes for each kind of number, the difference
between fp8 sums and exact sums, the time difference between the library's first choice and its
best choice, and the cost of epilogues.
"""

import json
import sys

import ml_dtypes
import numpy as np
import torch

import call_values
import cublaslt
from time_library import enlarged, fill, median


def find(questions, subject, variation):
    for line in open(questions):
        question = json.loads(line)
        if question["subject"].startswith(subject) and question["variation"] == variation:
            return question["call"]
    raise KeyError(variation)


def run(lt, call, given):
    held = {pointer: torch.from_numpy(np.frombuffer(values.tobytes(), np.uint8).copy()).cuda() for pointer, values in given.items()}
    made = cublaslt.Call(lt, call, {pointer: values.data_ptr() for pointer, values in held.items()})
    made.run()
    torch.cuda.synchronize()
    made.free()
    return {pointer: np.frombuffer(held[pointer].cpu().numpy().tobytes(), values.dtype) for pointer, values in given.items()}


def relu_bits(lt, questions):
    """Multiplies each number by one, and by minus one. All other addends are zero. Returns, for
    each product, the bit that the relu writes and its result."""
    numbers = {"1": 1, "-1": -1, "0": 0, "nan": np.nan, "inf": np.inf, "-inf": -np.inf, "denormal": 1e-40, "-denormal": -1e-40}
    told = {}
    for sign in (1, -1):
        call = enlarged(find(questions, "bf16 bf16 f32 f32", "Relu"), 128, 128, 128)
        call["alpha"] = str(sign)
        given = call_values.buffers_of(call, np.random.default_rng(1))
        call["epilogue"] = "CUBLASLT_EPILOGUE_RELU_AUX"
        call["aux"] = {**call["D"], "pointer": "bits", "type": cublaslt.BITS}
        given["bits"] = np.zeros(128 * 128 // 8, np.uint8)
        a, b = np.zeros((128, 128), ml_dtypes.bfloat16), np.zeros((128, 128), ml_dtypes.bfloat16)
        for row, number in enumerate(numbers.values()):
            a[row, row] = number
        b[np.arange(128), np.arange(128)] = 1
        # A is transposed and column-major, so its row i is at i * 128. A NaN, or an infinity times zero, spreads along its row.
        given[call["A"]["pointer"]], given[call["B"]["pointer"]] = a.reshape(-1), b.reshape(-1)
        taken = run(lt, call, given)
        bits = np.unpackbits(taken["bits"], bitorder="little").reshape(128, 128).T  # the elements of a column are contiguous
        values = call_values.view(taken[call["D"]["pointer"]], call["D"])[0]
        for row, name in enumerate(numbers):
            told[f"{sign} * {name}"] = {"bit": int(bits[row, row]), "value": str(values[row, row])}
    return told


def fp8_sums(lt, questions):
    """Returns the largest and the median difference from exact sums, relative to the sum of
    magnitudes."""
    told = {}
    for depth in (1024, 16384):
        for isFast in (False, True):
            call = enlarged(find(questions, "f8E4M3FN f8E4M3FN f32 f32", "beta 0, fast" if isFast else "beta 0"), 256, 256, depth)
            random = np.random.default_rng(2)
            given = call_values.buffers_of(call, random)
            for name in "AB":
                given[call[name]["pointer"]] = random.standard_normal(256 * depth).astype(ml_dtypes.float8_e4m3fn)
            taken = run(lt, call, given)
            exact = call_values.expected(call, given)["D"][0]
            a, b = (given[call[name]["pointer"]].astype(np.float64).reshape(256, depth) for name in "AB")
            apart = np.abs(call_values.view(taken[call["D"]["pointer"]], call["D"])[0].astype(np.float64) - exact) / (np.abs(a) @ np.abs(b).T)
            told[f"k {depth}, {'fast' if isFast else 'exact'}"] = {"largest": float(apart.max()), "median": float(np.median(apart))}
    return told


def times_of_choices(lt, call):
    """Returns the microseconds of the library's first choice and of the best of its ten choices."""
    held = fill(call)
    made = cublaslt.Call(lt, call, {pointer: values.data_ptr() for pointer, values in held.items()}, most=10)
    times = []
    for made.heuristic in made.choices:
        times.append(round(median(made.run), 2))
    made.free()
    return {"first": times[0], "best": min(times), "choices": len(times)}


def choices(lt, questions):
    """Returns the microseconds of the library's first choice and of the best of its ten choices,
    for several calls."""
    told = {}
    for subject in ("bf16 bf16 bf16 bf16", "f8E4M3FN f8E4M3FN bf16 bf16", "f32 f32 f32 f32 CUBLAS_COMPUTE_32F "):
        for sizes in ((8192, 8192, 8192), (4096, 4096, 4096), (11008, 2048, 4096), (4096, 512, 4096), (4096, 16, 4096), (1000, 197, 768), (50304, 128, 768)):
            told[f"{subject} {'x'.join(map(str, sizes))}"] = times_of_choices(lt, enlarged(find(questions, subject, "Default"), *sizes))
    return told


def epilogues(lt, questions):
    """Returns microseconds of a 4096 cubed bf16 GEMM with each epilogue."""
    told = {}
    for variation in ("Default", "GeluAux bf16 ld 128", "GeluAuxBias bf16 ld 128", "GeluGrad bf16 ld 128", "GeluGradBiasGrad bf16 ld 128", "BiasGradA NN", "BiasGradB NT"):
        for sizes in ((4096, 4096, 4096), (4096, 16384, 1024), (1024, 16384, 4096)):
            told[f"{variation} {'x'.join(map(str, sizes))}"] = times_of_choices(lt, enlarged(find(questions, "bf16 bf16 bf16 bf16", variation), *sizes))
    # The tables omit DRELU and related epilogues.
    for name in ("DRELU", "DRELU_BGRAD", "RELU_AUX"):
        call = enlarged(find(questions, "bf16 bf16 bf16 bf16", "GeluGradBiasGrad bf16 ld 128" if name.endswith("BGRAD") else "GeluGrad bf16 ld 128"), 4096, 4096, 4096)
        call["epilogue"] = f"CUBLASLT_EPILOGUE_{name}"
        held = fill(call)
        call["aux"]["type"] = cublaslt.BITS
        made = cublaslt.Call(lt, call, {pointer: values.data_ptr() for pointer, values in held.items()})
        told[f"{name} 4096x4096x4096"] = round(median(made.run), 2)
        made.free()
    return told


def main(questions, results):
    lt, told = cublaslt.CublasLt(), {}
    for name, ask in (("relu_bits", relu_bits), ("fp8_sums", fp8_sums), ("choices", choices), ("epilogues", epilogues)):
        try:
            told[name] = ask(lt, questions)
        except Exception as failure:
            told[name] = f"{type(failure).__name__}: {failure}"
        json.dump(told, open(results, "w"), indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
