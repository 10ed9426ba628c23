"""Compares the predicted and the measured time of small programs on one thread. The plugin uses
the prediction to decide whether a program runs on its caller's thread.

Run by `./dev bench predictions`, or `predictions:FILTER` for some rows. The kernels are those of
widths.py, on tensors of 1,000, 3,001 and 30,001 elements. A row `add_bias_bf16_r2_50_3001` is a
kernel of 3,001 elements whose last dimension is 50. The columns are predicted and measured
microseconds, without the time of an empty call, and their ratio. Predictions are marked if they
are off by more than a factor of two and by more than 0.2 us. Results go to build/predictions.json.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import image
import widths

os.environ["JAX_PLATFORMS"] = "cpu,drumlin"

import jax
import numpy as np

SIZES = (1000, 3001, 30_001)
WIDTHS = (50, 197)
FACTOR, UNNOTICED = 2.0, 0.2e-6


def rows(wanted):
    """Yields (name, function, inputs)."""
    for name, (types, function, shapes) in widths.KERNELS.items():
        for kind, dtype in widths.TYPES.items():
            for width in WIDTHS:
                for size in SIZES:
                    full = f"{name}_{kind}_r2_{width}_{size}"
                    given = shapes((max(size // width, 1),), width)
                    if kind in types and given is not None and wanted in full:
                        random = np.random.default_rng(1)
                        yield full, function, [widths.draw(shape, dtype, random) for shape in given]


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.library = image.Library(arguments.build / "lib" / "libdrumlin_runtime.so")
        self.timed = image.timed_runs(arguments.build)
        self.folder = arguments.build / "bench"
        self.folder.mkdir(exist_ok=True)
        self.device = jax.devices("drumlin")[0]
        self.call = self.seconds(jax.jit(lambda x: x + 1), [np.ones(1, np.float32)])

    def seconds(self, function, inputs):
        """Returns the seconds of a run on one thread, including the call."""
        lowered = function.lower(*inputs)
        program, output = self.folder / "predictions.mlir", self.folder / "predictions.so"
        program.write_text(lowered.as_text())
        subprocess.run([self.arguments.build / "bin" / "drumlin", "compile", program, "-o", output], check=True, capture_output=True)
        results = [np.empty(each.shape, each.dtype) for each in jax.tree.leaves(lowered.out_info)]
        loaded = image.Image(self.library, output, inputs, results, threads=1)
        taken = loaded.seconds(self.timed, rounds=self.arguments.rounds)
        loaded.close()
        return taken

    def measure(self, function, inputs):
        """Returns (predicted, measured) seconds."""
        held = [jax.device_put(array, self.device) for array in inputs]
        predicted = jax.jit(function).lower(*held).compile().cost_analysis()["predicted_seconds"]
        return predicted, max(self.seconds(jax.jit(function), inputs) - self.call, 0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    os.environ["DRUMLIN_LIBRARY"] = str(arguments.build / "lib" / "libdrumlin.so")
    jax.config.update("jax_platforms", "cpu,drumlin")
    jax.config.update("jax_enable_x64", True)
    bench = Bench(arguments)
    measured = []
    print(f"{'predictions':36} {'predicted':>10} {'measured':>10} {'ratio':>6}")
    for name, function, inputs in rows(arguments.filter):
        predicted, taken = bench.measure(function, inputs)
        ratio = predicted / max(taken, 1e-9)
        isOff = not 1 / FACTOR <= ratio <= FACTOR and abs(predicted - taken) > UNNOTICED
        measured.append({"name": name, "predicted": predicted, "seconds": taken, "off": isOff})
        print(f"{name:36} {1e6 * predicted:10.2f} {1e6 * taken:10.2f} {ratio:6.2f}{'  OFF' if isOff else ''}", flush=True)
    ratios = [row["predicted"] / row["seconds"] for row in measured if row["seconds"] > 0]
    print(f"{len(measured)} rows, median {statistics.median(ratios):.2f}, {sum(row['off'] for row in measured)} off by more than {FACTOR}")
    (arguments.build.parent / "predictions.json").write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
