"""How fast HLO texts are read and printed: `./dev bench hlo` calls it.

Speeds are in MB of text a second, medians of rounds: programs that XLA has compiled, where they lie beside this checkout, and texts of
one large constant, whose numbers are each a value of the model."""
import argparse
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT = 400_000


def constant(type, numbers):
    return f"HloModule m\n\nENTRY %main () -> {type}[{COUNT}] {{\n  ROOT %c = {type}[{COUNT}]{{0}} constant({{{', '.join(numbers)}}})\n}}\n\n"


def constants():
    number = random.Random(0)
    yield "constant of floats", constant("f32", (f"{number.gauss(0, 1):.9g}" for _ in range(COUNT)))
    yield "constant of integers", constant("s32", (str(number.randrange(1000)) for _ in range(COUNT)))
    yield "constant of zeros and ones", constant("pred", (number.choice("01") for _ in range(COUNT)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        names = {str(path): path.parent.name for side in (ROOT, ROOT.parent) for path in sorted(side.glob("shared/programs/*/optimized.hlo"))}
        for what, text in constants():
            path = pathlib.Path(name) / f"{what}.hlo"
            path.write_text(text)
            names[str(path)] = what
        done = subprocess.run([arguments.build / "bin" / "HloText", str(arguments.rounds)], input="".join(f"{path}\n" for path in names),
                              stdout=subprocess.PIPE, text=True, check=True)
    print(f"{'':36} {'bytes':>10} {'read':>8} {'print':>8}  MB/s")
    for line in done.stdout.splitlines():
        path, size, _, read, write, _ = line.split("\t")
        print(f"{names[path]:36} {int(size):10,} {int(size) / float(read) / 1e6:8.0f} {int(size) / float(write) / 1e6:8.0f}")


main()
