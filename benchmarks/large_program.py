"""Generates a program of many operations, and measures the commands that read plans on it: `python
-m benchmarks.large_program`.

The program has layers of a network, each with dots, reductions, data movement and elementwise
operations. DISTINCT of the layers are different, so that the number of distinct kernels grows with
DISTINCT."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPERATIONS_OF_A_LAYER = 20
WIDTH = "64x128xf32"


def layer(number, value, hidden):
    """Returns the lines of one layer that reads `value`, and the name of the layer's result."""
    name = f"%l{number}_"
    inner, heads, scores = f"tensor<64x{hidden}xf32>", "tensor<8x64x16xf32>", "tensor<8x64x64xf32>"
    outer, split, half = f"tensor<{WIDTH}>", "tensor<64x8x16xf32>", "tensor<64x64xf32>"
    lines = [
        f"dot_general {value}, %w{number}, contracting_dims = [1] x [0] : ({outer}, tensor<128x{hidden}xf32>) -> {inner}",
        f"tanh {name}0 : {inner}",
        f"multiply {name}1, {name}0 : {inner}",
        f"dot_general {name}2, %u{number}, contracting_dims = [1] x [0] : ({inner}, tensor<{hidden}x128xf32>) -> {outer}",
        f"add {name}3, {value} : {outer}",
        "constant dense<0.0> : tensor<f32>",
        f"reduce({name}4 init: {name}5) applies stablehlo.add across dimensions = [1] : ({outer}, tensor<f32>) -> tensor<64xf32>",
        f"broadcast_in_dim {name}6, dims = [0] : (tensor<64xf32>) -> {outer}",
        f"divide {name}4, {name}7 : {outer}",
        f"exponential {name}8 : {outer}",
        f"subtract {name}9, {name}8 : {outer}",
        f"reshape {name}10 : ({outer}) -> {split}",
        f"transpose {name}11, dims = [1, 0, 2] : ({split}) -> {heads}",
        f"dot_general {name}12, {name}12, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({heads}, {heads}) -> {scores}",
        f"dot_general {name}13, {name}12, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({scores}, {heads}) -> {heads}",
        f"transpose {name}14, dims = [1, 0, 2] : ({heads}) -> {split}",
        f"reshape {name}15 : ({split}) -> {outer}",
        f"slice {name}16 [0:64, 0:64] : ({outer}) -> {half}",
        f"slice {name}16 [0:64, 64:128] : ({outer}) -> {half}",
        f"concatenate {name}18, {name}17, dim = 1 : ({half}, {half}) -> {outer}"]
    return [f"    {name}{i} = stablehlo.{line}" for i, line in enumerate(lines)], f"{name}{len(lines) - 1}"


def program(operations, distinct=8):
    """Returns the text of a program of at least `operations` operations, with `distinct` kinds of
    layers."""
    arguments, lines, value = [f"%x: tensor<{WIDTH}>"], [], "%x"
    for number in range(-(-operations // OPERATIONS_OF_A_LAYER)):
        hidden = 64 + 8 * (number % distinct)
        arguments += [f"%w{number}: tensor<128x{hidden}xf32>", f"%u{number}: tensor<{hidden}x128xf32>"]
        made, value = layer(number, value, hidden)
        lines += made
    return (f"module @large {{\n  func.func public @main({', '.join(arguments)}) -> tensor<{WIDTH}> {{\n" + "\n".join(lines)
            + f"\n    return {value} : tensor<{WIDTH}>\n  }}\n}}\n")


# A process inherits the peak memory of its parent, so a small process starts each command.
STARTER = """
import json, os, subprocess, sys, time
begin = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - begin, usage.ru_maxrss / 1000]))
"""


def measure(command, folder):
    """Returns (seconds, peak memory in MB) of a command."""
    words = [sys.executable, "-c", STARTER, *(str(word) for word in command)]
    status, seconds, megabytes = json.loads(subprocess.run(words, cwd=folder, capture_output=True, check=True).stdout)
    assert status == 0, command
    return seconds, megabytes


COMMANDS = (("plan", "large.mlir"), ("plan", "large.mlir", "--lock", "large.lock"), ("cost", "large.mlir"), ("why", "large.mlir"),
            ("diff", "large.lock", "large.mlir"), ("diff", "large.mlir", "large.mlir"), ("diff", "large.lock", "large.lock"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--distinct", type=int, default=8)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "large.mlir").write_text(program(options.operations, options.distinct))
        for command in COMMANDS:
            seconds, megabytes = measure((options.build / "bin" / "drumlin", *command), folder)
            print(f"{' '.join(command):32} {seconds:6.2f} s {megabytes:6.0f} MB")


if __name__ == "__main__":
    main()
