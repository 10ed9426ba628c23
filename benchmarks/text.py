"""Measures how fast a large program is read, verified and printed, compared with jaxlib's
bindings, and the memory use of conversions.

Run by `./dev bench text`. Speeds are in MB of text per second, medians of rounds that measure
Drumlin and jaxlib in turn. One program has 50 MB and half a million operations; another is mostly
a constant in hexadecimal digits. For Drumlin, reading includes all that `drumlin` does with a file:
scanning, parsing and verifying. jaxlib parses and verifies. Memory is the peak of a process divided
by the size of its input or output, whichever is larger, for 256 MiB of constants."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

OPERATIONS = 560_000
CONSTANT_BYTES = 25 << 20  # two digits per byte
MEMORY_BYTES = 256 << 20
BLOCK = """    %d{0} = stablehlo.dot_general {1}, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
    %b{0} = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<128xf32>) -> tensor<8x128xf32>
    %a{0} = stablehlo.add %d{0}, %b{0} : tensor<8x128xf32>
    %t{0} = stablehlo.tanh %a{0} : tensor<8x128xf32>
    %p{0} = stablehlo.transpose %t{0}, dims = [1, 0] : (tensor<8x128xf32>) -> tensor<128x8xf32>
    %r{0} = stablehlo.reshape %p{0} : (tensor<128x8xf32>) -> tensor<8x128xf32>
    %g{0} = stablehlo.compare GT, %r{0}, %a{0}, FLOAT : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xi1>
    %s{0} = stablehlo.select %g{0}, %r{0}, %a{0} : tensor<8x128xi1>, tensor<8x128xf32>
    %m{0} = stablehlo.multiply %s{0}, %t{0} : tensor<8x128xf32>
    %o{0} = stablehlo.slice %m{0} [0:8, 0:128] : (tensor<8x128xf32>) -> tensor<8x128xf32>
"""


def many_operations():
    functions = []
    for number in range(OPERATIONS // 1000):
        name = "public @main" if number == 0 else f"private @f{number}"
        blocks = "".join(BLOCK.format(i, f"%o{i - 1}" if i else "%x") for i in range(100))
        functions.append(f"  func.func {name}(%x: tensor<8x128xf32>, %w: tensor<128x128xf32>, %c: tensor<128xf32>) -> tensor<8x128xf32> {{\n"
                         f"{blocks}    return %o99 : tensor<8x128xf32>\n  }}\n")
    return "module @many {\n" + "".join(functions) + "}\n"


def large_constant(size):
    digits = np.random.default_rng(0).standard_normal(size // 4).astype(np.float32).tobytes().hex().upper()
    type = f"tensor<{size // 4}xf32>"
    return f'func.func @main(%a: {type}) -> {type} {{\n  %c = stablehlo.constant dense<"0x{digits}"> : {type}\n' \
           f"  %r = stablehlo.add %a, %c : {type}\n  return %r : {type}\n}}\n"


class Reference:
    def __init__(self):
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import stablehlo
        self.ir, self.register, self.stablehlo = ir, _jax_mlir_ext.register_dialects, stablehlo

    def round(self, text):
        registry = self.ir.DialectRegistry()
        self.register(registry)
        context = self.ir.Context()
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        self.stablehlo.register_dialect(context)
        context.enable_multithreading(False)
        times = {}
        with context:
            for name, action in (("read", lambda: self.ir.Module.parse(text)), ("verify", lambda: module.operation.verify()), ("print", lambda: str(module))):
                start = time.perf_counter()
                made = action()
                times[name] = time.perf_counter() - start
                module = made if name == "read" else module
        return times


def speeds(name, text, tool, folder, rounds):
    path = folder / "program.mlir"
    path.write_text(text)
    megabytes = len(text) / 1e6
    reference = Reference()
    sides = {"drumlin": [], "jaxlib": []}
    with subprocess.Popen([tool, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        for _ in range(rounds):
            child.stdin.write("\n")
            child.stdin.flush()
            sides["drumlin"].append(json.loads(child.stdout.readline()))
            sides["jaxlib"].append(reference.round(text))
        child.stdin.close()
    print(f"\n{name}, {megabytes:.0f} MB")
    print(f"{'':8} {'drumlin':>10} {'jaxlib':>10}  MB/s")
    for step in ("read", "verify", "print"):
        ours, theirs = (megabytes / statistics.median(each[step] for each in sides[side]) for side in sides)
        print(f"{step:8} {ours:10.0f} {theirs:10.0f}")


# The peak memory of a process includes the memory that its parent had when it started the process. So a small interpreter starts each
# process.
MEASURED = "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], check=True)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def memory(drumlin, folder):
    files = {"text": folder / "constant.mlir", "bytecode": folder / "constant.bc", "artifact": folder / "constant.artifact"}
    files["text"].write_text(large_constant(MEMORY_BYTES))
    for emit in ("bytecode", "artifact"):
        subprocess.run([drumlin, "convert", files["text"], "--emit", emit, "-o", files[emit]], check=True)
    print(f"\npeak memory over the larger file, {MEMORY_BYTES >> 20} MiB of constants")
    for source, path in files.items():
        ratios = []
        for emit in files:
            command = [drumlin, "convert", path, "--emit", emit, "-o", folder / "out"]
            done = subprocess.run([sys.executable, "-S", "-c", MEASURED, *map(str, command)], capture_output=True, text=True, check=True)
            ratios.append(f"to {emit} {int(done.stdout) * 1024 / max(path.stat().st_size, (folder / 'out').stat().st_size):.2f}")
        print(f"from {source:9} {', '.join(ratios)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        speeds("half a million operations", many_operations(), arguments.build / "bin" / "TextSpeed", folder, arguments.rounds)
        speeds("one constant", large_constant(CONSTANT_BYTES), arguments.build / "bin" / "TextSpeed", folder, arguments.rounds)
        memory(arguments.build / "bin" / "drumlin", folder)


main()
