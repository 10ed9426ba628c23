"""Measures bare GEMMs of odd and small sizes and prints those that are furthest from the machine's
limit.

Run by `./dev bench sweep [FILTER]`. The limit of a GEMM is the larger of operations / peak rate
and bytes / read bandwidth, plus the cost of an image call. Both rates are measured around every
hundred GEMMs. The cost of a call is the time of a program that adds two numbers, in the same run.
The columns are the time, the limit, and their ratio, worst first. Every result is compared with
the GEMM in f64. FILTER is part of a name, such as `bf16/T` or `_64x`. `--json` keeps all rows for
a comparison.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import image
from limits import Limits

SAMPLES, SAMPLE_SECONDS = 7, 1.5e-3
LIMITS_EVERY = 100  # GEMMs between two measurements of the limits
EDGES = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 127, 129, 255, 257)

# name: (MLIR operand type, result type, NumPy operand type, the peak rate that bounds it,
# tolerance)
FORMS = {
    "f32": ("f32", "f32", np.float32, "f32", 2e-5),
    "bf16": ("bf16", "bf16", ml_dtypes.bfloat16, "bf16", 1e-2),
    "int8": ("i8", "i32", np.int8, "int8", 0.0),
    "fp8": ("f8E4M3FN", "f32", ml_dtypes.float8_e4m3fn, "bf16", 2e-5),
}


def shapes():
    """Yields (batch, m, k, n, family) of every GEMM. Most families vary one size and keep the others
    fixed; `batch` and `square` vary several sizes together, and `cube` has random sizes."""
    for base in (64, 129):
        for size in EDGES:
            yield 1, size, base, base, "edge"
            yield 1, base, size, base, "edge"
            yield 1, base, base, size, "edge"
    for rows in (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65, 96):
        yield 1, rows, 2048, 2048, "few rows"
    for rows, columns in ((1, 1), (3, 5), (8, 8), (16, 16), (33, 17), (64, 64), (100, 130)):
        yield 1, rows, 65536, columns, "long k"
    for depth in (1, 2, 3, 5, 8, 16, 24):
        yield 1, 1024, depth, 1024, "small k"
    for columns in (1, 2, 4, 8, 12, 16, 24, 33):
        yield 1, 2048, 2048, columns, "few columns"
    for size in (1, 4, 8, 15, 17, 32, 33, 64):
        yield 64, size, size, size, "batch"
        yield 64, 1, 128, size, "batch"
    for size in (255, 256, 257, 384, 500, 768):
        yield 1, size, size, size, "square"
    draw = random.Random(1)
    for _ in range(24):
        yield (1, *(draw.choice(EDGES) for _ in range(3)), "cube")


class Product:
    def __init__(self, form, transposed, batch, m, k, n, family):
        self.form, self.transposed, self.sizes, self.family = form, transposed, (batch, m, k, n), family
        many = f"{batch}*" if batch > 1 else ""
        self.name = f"{form}{'/T' if transposed else ''}_{many}{m}x{k}x{n}"
        lead = (batch,) if batch > 1 else ()
        self.left, self.right, self.out = lead + (m, k), lead + ((n, k) if transposed else (k, n)), lead + (m, n)

    def text(self):
        operand, result = FORMS[self.form][:2]
        left, right, out = ("x".join(map(str, s)) for s in (self.left, self.right, self.out))
        first = len(self.left) - 2
        batching = "batching_dims = [0] x [0], " if first else ""
        contracting = f"contracting_dims = [{first + 1}] x [{first + (1 if self.transposed else 0)}]"
        return (f"func.func @main(%a: tensor<{left}x{operand}>, %b: tensor<{right}x{operand}>) -> tensor<{out}x{result}> {{\n"
                f"  %0 = stablehlo.dot_general %a, %b, {batching}{contracting} : (tensor<{left}x{operand}>, "
                f"tensor<{right}x{operand}>) -> tensor<{out}x{result}>\n  return %0 : tensor<{out}x{result}>\n}}\n")

    def inputs(self):
        dtype = FORMS[self.form][2]
        generator = np.random.default_rng(list(self.sizes))
        for shape in (self.left, self.right):
            if dtype is np.int8:
                yield generator.integers(-128, 128, shape, np.int8)
            else:
                yield generator.standard_normal(shape, np.float32).astype(dtype)

    def empty_result(self):
        return np.empty(self.out, {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i32": np.int32}[FORMS[self.form][1]])

    def difference(self, inputs, got):
        """Returns the largest difference, relative to the sum of the products' magnitudes. That
        sum bounds the error of every rounding."""
        left, right = (array.astype(np.float64) for array in inputs)
        right = right.swapaxes(-1, -2) if self.transposed else right
        scale = np.abs(left) @ np.abs(right)
        return float(np.max(np.abs(got.astype(np.float64) - left @ right) / np.where(scale == 0, 1, scale)))


def products():
    seen = set()
    for shape in shapes():
        for form in FORMS:
            # Types other than f32 skip two thirds of the family `edge`.
            if form != "f32" and shape[4] == "edge" and sum(shape[:4]) % 3:
                continue
            for transposed in (False, True):
                product = Product(form, transposed, *shape)
                if product.name not in seen:
                    seen.add(product.name)
                    yield product


def compile_one(arguments, name, text):
    program, output = arguments.folder / f"{name}.mlir", arguments.folder / f"{name}.so"
    program.write_text(text)
    command = [arguments.build / "bin" / "drumlin", "compile", program, "-o", output, "--no-cache", "--num-parallel-jobs", "1"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return output, done.stderr.strip() if done.returncode else ""


def seconds_of(run):
    """Returns the smallest sample: machine noise only adds time."""
    run()
    begin = time.perf_counter()
    run()
    count = max(1, math.ceil(SAMPLE_SECONDS / (time.perf_counter() - begin + 1e-9)))
    best = math.inf
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        best = min(best, (time.perf_counter() - begin) / count)
    return best


def overhead(arguments):
    text = ("func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
            "  %0 = stablehlo.add %a, %b : tensor<f32>\n  return %0 : tensor<f32>\n}\n")
    output, message = compile_one(arguments, "overhead", text)
    if message:
        raise RuntimeError(message)
    one = np.ones((), np.float32)
    loaded = image.Image(arguments.library, output, [one, one], [one])
    try:
        return seconds_of(loaded.run)
    finally:
        loaded.close()


def measure(arguments, product, output, launch):
    inputs = list(product.inputs())
    loaded = image.Image(arguments.library, output, inputs, [product.empty_result()])
    try:
        seconds = seconds_of(loaded.run)
        difference = product.difference(inputs, loaded.results[0])
    finally:
        loaded.close()
    moved = sum(array.nbytes for array in inputs) + loaded.results[0].nbytes
    return {"name": product.name, "family": product.family, "form": product.form, "seconds": seconds, "launch": launch,
            "operations": 2.0 * math.prod(product.sizes), "bytes": moved, "difference": difference,
            "agrees": difference <= FORMS[product.form][4]}


def add_limit(row, rates):
    unit = FORMS[row["form"]][3]
    row["limit"] = row["launch"] + max(row["operations"] / rates[unit], row["bytes"] / rates["read"])
    row["ratio"] = row["seconds"] / row["limit"]


def geometric_mean(rows):
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows)) if rows else math.nan


def report(rows, worst):
    rows.sort(key=lambda row: -row["ratio"])
    print(f"{'product (m x k x n; /T: the rhs is [n, k])':44} {'time':>12} {'limit':>12} {'ratio':>6}")
    for row in rows[:worst]:
        print(f"{row['name']:44} {row['seconds'] * 1e6:9.1f} us {row['limit'] * 1e6:9.1f} us {row['ratio']:6.1f}  {row['family']}")
    print(f"\n{'family':16}" + "".join(f"{form:>8}" for form in FORMS) + "   geometric means of the ratio")
    for family in dict.fromkeys(row["family"] for row in rows):
        means = [geometric_mean([r for r in rows if r["family"] == family and r["form"] == form]) for form in FORMS]
        print(f"{family:16}" + "".join(f"{mean:8.2f}" for mean in means))
    slow = sum(row["ratio"] > 2 for row in rows)
    print(f"{len(rows)} products, geometric mean {geometric_mean(rows):.2f} of the limit, {slow} beyond twice the limit")
    for row in rows:
        if not row["agrees"]:
            print(f"NUMBERS DIFFER: {row['name']} by {row['difference']:.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--worst", type=int, default=40, help="how many rows are printed")
    parser.add_argument("--json", type=pathlib.Path, help="where all rows go")
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    arguments.library = image.Library(arguments.build / "lib" / "libdrumlin_runtime.so")
    arguments.folder = arguments.build / "sweep"
    arguments.folder.mkdir(exist_ok=True)
    wanted = [product for product in products() if arguments.filter in product.name or arguments.filter == product.family]
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        images = list(pool.map(lambda p: compile_one(arguments, p.name.replace("/", "").replace("*", "b"), p.text()), wanted))
    compiled = time.perf_counter() - begin
    limits = Limits(arguments.build)
    launch = overhead(arguments)
    rows, broken = [], 0
    for first in range(0, len(wanted), LIMITS_EVERY):
        timed = []
        for product, (output, message) in list(zip(wanted, images))[first:first + LIMITS_EVERY]:
            if message:
                broken += 1
                print(f"{product.name:44} {message.splitlines()[0]}")
                continue
            timed.append(measure(arguments, product, output, launch))
            output.unlink()
        rates, _ = limits.around()
        for row in timed:
            add_limit(row, rates)
        rows += timed
    print(f"{limits.text()}; a call {launch * 1e6:.2f} us; {len(wanted)} products compiled in {compiled:.0f} s")
    report(rows, arguments.worst)
    if arguments.json:
        arguments.json.write_text(json.dumps({"limits": {"from": limits.lowest, "to": limits.highest}, "launch": launch, "rows": rows}, indent=1) + "\n")
    return 1 if broken or not all(row["agrees"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
