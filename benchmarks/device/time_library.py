"""Times cuBLASLt calls at sizes that use a GPU's full width. Usage: time_library.py QUESTIONS
RESULTS

Takes questions of the usual kinds (ask_library.py) and enlarges their matrices. RESULTS is a JSON
list. It has the median of seven times of each call, in microseconds; and the cost of a launch
between consecutive tiny calls, in a stream and in a CUDA graph.
"""

import copy
import json
import statistics
import sys

import numpy as np
import torch

import call_values
import cublaslt

SIZES = [(8192, 8192, 8192), (4096, 4096, 4096), (4096, 512, 4096), (4096, 16, 4096), (11008, 2048, 4096), (1024, 1024, 1024)]
WANTED = {
    "epilogues": ["Default", "Bias", "ReluBias", "GeluBias", "BiasGradA NN", "BiasGradA TN", "BiasGradB NT", "BiasGradB NN", "GeluAuxBias bf16 ld 128", "GeluGradBiasGrad bf16 ld 128", "Relu"],
    "scales": ["scalar and scalar", "outer-vector and outer-vector", "row-128 and row-128", "square-128 and row-128"],
    "results": ["scalar, amax", "unscaled, fast", "beta 0, fast", "beta 0.5"],
    "orders": ["NN unscaled", "TT unscaled", "NT unscaled"],
}  # fmt: skip


def enlarged(call, m, n, k):
    call = copy.deepcopy(call)
    shapes = {"C": (m, n), "D": (m, n), "A": (k, m) if call["transa"].endswith("T") else (m, k), "B": (n, k) if call["transb"].endswith("T") else (k, n)}
    for name, (rows, columns) in shapes.items():
        call[name].update(rows=rows, cols=columns, ld=rows)
    if call.get("aux"):
        call["aux"].update(rows=m, cols=n, ld=m)
    return call


def fill(call):
    """Returns random numbers around zero in each matrix, and ones for scales."""
    kinds = {"CUDA_R_32F": torch.float32, "CUDA_R_64F": torch.float64, "CUDA_R_16F": torch.float16, "CUDA_R_16BF": torch.bfloat16,
             "CUDA_R_8F_E4M3": torch.float8_e4m3fn, "CUDA_R_8F_E5M2": torch.float8_e5m2}  # fmt: skip
    held = {}
    names = {call[name]["pointer"]: call[name]["type"] for name in "ABCD"}
    for pointer, dtype, count, what in call_values.needs(call):
        if pointer in names and names[pointer] in kinds:
            values = torch.empty(count, device="cuda").normal_().to(kinds[names[pointer]])
        elif what == "scale" or what == "amax":
            values = torch.ones(count, device="cuda")
        elif what == "bias":
            values = torch.zeros(count * np.dtype(dtype).itemsize, dtype=torch.uint8, device="cuda")
        else:
            values = torch.randint(0, 60, (count * np.dtype(dtype).itemsize,), dtype=torch.uint8, device="cuda")
        if pointer not in held or values.nbytes > held[pointer].nbytes:
            held[pointer] = values
    return held


def median(run, microseconds_each=2000):
    """Returns microseconds per run. Many runs are in one graph, so that time on the host doesn't
    count."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def once(what):
        begin.record()
        what()
        end.record()
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)

    run()
    torch.cuda.synchronize()
    count = int(min(200, max(1, microseconds_each / once(run))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            run()
    once(graph.replay)
    return statistics.median(once(graph.replay) for _ in range(7)) / count


def launches(lt, question):
    """Returns the microseconds between consecutive tiny calls, and between consecutive nearly
    empty kernels."""
    call = enlarged(question["call"], 64, 64, 64)
    held = fill(call)
    made = cublaslt.Call(lt, call, {pointer: values.data_ptr() for pointer, values in held.items()})
    x = torch.zeros(256, device="cuda")
    return {"call": median(made.run), "small_kernel": median(lambda: x.add_(1))}


def main(questions, results):
    lt, told = cublaslt.CublasLt(), []
    first = None
    for line in open(questions):
        question = json.loads(line)
        kind = (question["subject"], question["group"], question["variation"])
        usual = question["variation"] in WANTED.get(question["group"], [])
        integers = question["subject"].startswith("i8 i8") and question["group"] in ("orders", "epilogues")
        if not usual or (question["limit"] and not integers):
            continue
        if question["call"]["epilogue"].endswith("BGRAD") and not question["variation"].endswith("128"):
            continue
        first = first or (question if question["subject"].startswith("bf16 bf16 bf16") else None)
        for m, n, k in SIZES if question["variation"] in ("Default", "scalar and scalar", "row-128 and row-128") else SIZES[1:3]:
            call = enlarged(question["call"], m, n, k)
            held = fill(call)
            try:
                made = cublaslt.Call(lt, call, {pointer: values.data_ptr() for pointer, values in held.items()})
                told.append({"kind": kind, "m": m, "n": n, "k": k, "us": round(median(made.run), 2)})
                made.free()
            except (cublaslt.Failed, KeyError) as failure:
                told.append({"kind": kind, "m": m, "n": n, "k": k, "refused": str(failure)})
    a, b = torch.empty(1 << 30, dtype=torch.uint8, device="cuda"), torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    copy_us = median(lambda: b.copy_(a))
    json.dump({"card": torch.cuda.get_device_name(), "version": lt.version(), "place": lt.place, "copy_tb_s": 2 * (1 << 30) / copy_us * 1e-6,
               "launch_us": launches(lt, first), "calls": told}, open(results, "w"), indent=0)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
