"""Measures the math functions of native code (build/release/bin/MathErrors): those of f32 over all 2^32 operands, those of f64 for a
time, and writes the largest errors and where they are into the table of docs/numerics.md."""
import re
import subprocess

from scripts import build, setup, steps

PAGE = steps.ROOT / "docs" / "numerics.md"
TABLE = re.compile(r"(<!-- measured by `\./dev numerics` -->\n).*?(<!-- end -->)", re.DOTALL)
FUNCTIONS = steps.ROOT / "drumlin" / "codegen" / "cpu" / "math" / "MathFunctions.def"
FUNCTION = re.compile(r'^DRUMLIN_MATH_FUNCTION\((\w+), "(\w+)", (\w+), (\d), \d+, ([\d.]+)', re.MULTILINE)
VARIANTS = ("x86-64", "x86-64-v3", "x86-64-v4")
HEAD = ["| function | operands | bound | " + " | ".join(VARIANTS) + " |", "| --- | --- | --- | " + " | ".join("---" for _ in VARIANTS) + " |"]
UNMEASURED = "—"


def functions():
    """Name => (operation, bound as it is written), of one operand, in the table's order."""
    return {name: (operation, bound) for name, operation, _, arity, bound in FUNCTION.findall(FUNCTIONS.read_text()) if arity == "1"}


def read_rows(text):
    """Function => its row's cells, of a page."""
    rows = {}
    for line in TABLE.search(text)[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells[1:]
    return rows


def count_of(name, operands):
    return "all" if name.endswith("_f32") and operands == 2**32 else f"{operands / 1e6:.1f} million"


def measured_rows(output):
    """Function => its row's cells, of what MathErrors prints."""
    rows, bounds = {}, functions()
    for line in output.splitlines():
        name, variant, error, operand, operands = line.split("\t")
        row = rows.setdefault(name, [count_of(name, int(operands)), bounds[name][1]] + [UNMEASURED] * len(VARIANTS))
        row[2 + VARIANTS.index(variant)] = f"{float(error):.4f} at {operand}"
    return rows


def with_rows(text, measured):
    """The page with these rows in place of those of the same functions. A variant that this processor lacks keeps what was measured before."""
    rows = read_rows(text)
    for name, cells in measured.items():
        before = rows.get(name, [UNMEASURED] * len(cells))
        rows[name] = [old if new == UNMEASURED else new for new, old in zip(cells, before)]
    lines = HEAD + [f"| `{name}` | " + " | ".join(rows[name]) + " |" for name in functions() if name in rows]
    return TABLE.sub(lambda match: match[1] + "\n" + "\n".join(lines) + "\n\n" + match[2], text)


def asked(words):
    """The functions that the words name, as MathFunctions.def or as programs do; all without words."""
    known = functions()
    chosen = [name for name in known if not words or name in words or known[name][0] in words]
    missing = [word for word in words if word not in known and word not in {operation for operation, _ in known.values()}]
    if missing:
        raise steps.Failure(f"no function of one operand is named `{missing[0]}`", f"take one of {', '.join(sorted(known))}")
    return chosen


def main(arguments):
    chosen = asked(arguments.function)
    setup.everything()
    binary = build.build("release", ["MathErrors"]) / "bin" / "MathErrors"
    failed = False
    for name in chosen:
        command = [binary, f"--seconds={arguments.seconds}", name]
        command += [f"--threads={arguments.threads}"] if arguments.threads else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            raise steps.Failure(f"measuring {name}: exit status {done.returncode}", "read the message above")
        steps.say(done.stdout.replace("\t", "  ").rstrip())
        failed |= done.returncode == 1
        # After each one: what was measured stays where a later one is interrupted.
        PAGE.write_text(with_rows(PAGE.read_text(), measured_rows(done.stdout)))
    if failed:
        raise steps.Failure("some errors are above their bounds in MathFunctions.def", "mend the function: `MathErrors --at=OPERAND FUNCTION` shows one error")
