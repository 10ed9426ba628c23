"""Measures how fast HLO texts and protos are read and printed. Run by `./dev bench hlo`.

Speeds are in MB of the file per second; each is the median of several rounds. The measured
programs are the models as XLA compiled them (test/models); texts with one large constant; and a
program of many instructions. All except the constants are measured both as text and as protos."""
import argparse
import pathlib
import random
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT = 400_000
INSTRUCTIONS = 20_000


def constant(type, numbers):
    return f"HloModule m\n\nENTRY %main () -> {type}[{COUNT}] {{\n  ROOT %c = {type}[{COUNT}]{{0}} constant({{{', '.join(numbers)}}})\n}}\n\n"


def constants():
    number = random.Random(0)
    yield "constant of floats", constant("f32", (f"{number.gauss(0, 1):.9g}" for _ in range(COUNT)))
    yield "constant of integers", constant("s32", (str(number.randrange(1000)) for _ in range(COUNT)))
    yield "constant of zeros and ones", constant("pred", (number.choice("01") for _ in range(COUNT)))


def program(count):
    """Returns a computation of COUNT instructions, with the metadata that JAX writes."""
    lines, values = ["  %p = f32[64,128]{1,0} parameter(0)", "  %q = f32[128,128]{1,0} parameter(1)"], ["p", "p"]
    for number in range(count - 2):
        opcode = ("dot", "add", "tanh", "multiply", "negate")[number % 5]
        operands = {"dot": f"%{values[-1]}, %q", "tanh": f"%{values[-1]}", "negate": f"%{values[-1]}"}.get(opcode, f"%{values[-1]}, %{values[-2]}")
        contracting = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" if opcode == "dot" else ""
        values.append(f"{opcode}.{number}")
        root = "ROOT " if number == count - 3 else ""
        lines.append(f"  {root}%{values[-1]} = f32[64,128]{{1,0}} {opcode}({operands}){contracting}, metadata={{op_name=\"jit(f)/jit(main)/layer_{number // 20}/op_{number}\" "
                     f"source_file=\"models/transformer/layers.py\" source_line={100 + number % 300}}}")
    return "HloModule jit_f\n\nENTRY %main (p: f32[64,128], q: f32[128,128]) -> f32[64,128] {\n" + "\n".join(lines) + "\n}\n\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        names = {str(path): path.parent.name for path in sorted(ROOT.glob("test/models/*/optimized.hlo"))}
        for what, text in constants():
            path = pathlib.Path(name) / f"{what}.hlo"
            path.write_text(text)
            names[str(path)] = what
        path = pathlib.Path(name) / "many.hlo"
        path.write_text(program(INSTRUCTIONS))
        names[str(path)] = f"{INSTRUCTIONS} instructions"
        for text, what in list(names.items()):
            path = f"{name}/{len(names)}.pb"
            if not what.startswith("constant"):
                subprocess.run([arguments.build / "bin" / "drumlin", "convert", text, "--emit", "hlo-proto", "-o", path], check=True)
                names[path] = f"{what}, proto"
        done = subprocess.run([arguments.build / "bin" / "HloText", str(arguments.rounds)], input="".join(f"{path}\n" for path in names),
                              stdout=subprocess.PIPE, text=True, check=True)
    print(f"{'':40} {'bytes':>10} {'read':>8} {'print':>8}  MB/s")
    programs = {".hlo": [], ".pb": []}  # compiled by XLA
    for line in done.stdout.splitlines():
        path, size, _, *seconds, _ = line.split("\t")
        size, seconds = int(size), [float(each) for each in seconds]
        if not names[path].startswith(("constant", f"{INSTRUCTIONS} ")):
            programs[pathlib.Path(path).suffix].append((size, seconds))
        print(f"{names[path]:40} {size:10,}" + "".join(f" {size / each / 1e6:8.0f}" for each in seconds))
    for suffix, rows in programs.items():
        if rows:
            total = sum(size for size, _ in rows)
            what = f"{len(rows)} programs{', protos' if suffix == '.pb' else ''}"
            print(f"{what + ', all':40} {total:10,}" + "".join(f" {total / sum(seconds[i] for _, seconds in rows) / 1e6:8.0f}" for i in (0, 1)))
            print(f"{what + ', the median':40} {'':10}" + "".join(f" {statistics.median(size / seconds[i] / 1e6 for size, seconds in rows):8.0f}" for i in (0, 1)))


main()
