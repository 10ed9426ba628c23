"""Measures the math functions of native code (build/release/bin/MathErrors): f32 functions for all
2^32 operands, f64 functions for a limited time. Writes the largest errors and the operands with
these errors into the table of docs/numerics.md."""
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
    """Returns name => (operation, bound as written) of the functions of one operand, in the order
    of the table."""
    return {name: (operation, bound) for name, operation, _, arity, bound in FUNCTION.findall(FUNCTIONS.read_text()) if arity == "1"}


def read_rows(text):
    """Returns function => cells of the function's row in a page."""
    rows = {}
    for line in TABLE.search(text)[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells[1:]
    return rows


def count_of(name, operands):
    return "all" if name.endswith("_f32") and operands == 2**32 else f"{operands / 1e6:.1f} million"


def measured_rows(output):
    """Returns function => cells of the function's row, from MathErrors' output."""
    rows, bounds = {}, functions()
    for line in output.splitlines():
        name, variant, error, operand, operands = line.split("\t")
        row = rows.setdefault(name, [count_of(name, int(operands)), bounds[name][1]] + [UNMEASURED] * len(VARIANTS))
        row[2 + VARIANTS.index(variant)] = f"{float(error):.4f} at {operand}"
    return rows


def with_rows(text, measured):
    """Returns the page with the rows of these functions replaced. Rows of variants that this
    processor lacks keep their old values."""
    rows = read_rows(text)
    for name, cells in measured.items():
        before = rows.get(name, [UNMEASURED] * len(cells))
        rows[name] = [old if new == UNMEASURED else new for new, old in zip(cells, before)]
    lines = HEAD + [f"| `{name}` | " + " | ".join(rows[name]) + " |" for name in functions() if name in rows]
    return TABLE.sub(lambda match: match[1] + "\n" + "\n".join(lines) + "\n\n" + match[2], text)


def asked(words):
    """Returns the functions that the words name, as in MathFunctions.def or as in programs.
    Returns all functions if there are no words."""
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
        # The page is written after each function, so that interrupting a later function loses nothing.
        PAGE.write_text(with_rows(PAGE.read_text(), measured_rows(done.stdout)))
    if failed:
        raise steps.Failure("some errors are above their bounds in MathFunctions.def", "fix the function: `MathErrors --at=OPERAND FUNCTION` shows one error")
