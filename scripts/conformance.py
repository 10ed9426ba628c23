"""Runs StableHLO's public test data, given a clone of openxla/stablehlo, and prints how many cases
pass.

testdata              programs that compare their results with JAX's, by their own criteria
interpreter           the cases of the reference interpreter and of the mathematical functions
compiled-testdata     the programs of testdata, compiled without constant folding
compiled-interpreter  the cases of interpreter, compiled without constant folding
verifier              programs that the reference accepts or rejects: each chunk must match
constraints           the specification's constraints: each must have a line in our table of checks

Deliberate departures from the reference are listed in scripts/rules/conformance.txt with their
reasons."""
import concurrent.futures
import dataclasses
import functools
import json
import pathlib
import re
import subprocess
import tempfile

from scripts import build, setup, steps

EXCEPTIONS = steps.ROOT / "scripts" / "rules" / "conformance.txt"
SPLIT = re.compile(r"^// -----.*$", re.M)
CONSTRAINTS = steps.ROOT / "drumlin" / "ir" / "stablehlo" / "test" / "constraints.txt"
# The specification's sections about types and literals, in its order. Its other sections are about operations.
LITERALS = {"Types": ["quantized_element"],
            "Constants": ["integer_literal", "float_literal", "complex_literal", "tensor_literal", "quantized_literal"]}
VERIFIER_FILES = """
    infer_chlo infer_stablehlo ops_broadcasting ops_chlo ops_chlo_roundtrip ops_dot_general_algorithms ops_sparse
    ops_speculatability ops_stablehlo ops_stablehlo_bounded_dynamism ops_stablehlo_quantized ops_stablehlo_roundtrip
    print_reduce print_stablehlo print_types_invalid print_while replica_groups_mesh_axes verify_async_ops verify_bounds
    verify_convolution verify_dynamic_conv verify_reduce verify_reduce_window verify_replica_groups_mesh_axes
    verify_scatter verify_select_and_scatter verify_while""".split()


CRASHES = (70, 126, 127, 134, 139)  # exit statuses of our signal handler and of shells


@dataclasses.dataclass
class Case:
    suite: str
    name: str
    command: list
    text: str | None = None  # the program; it is written to a file, whose path is appended to the command
    refused: bool = False  # whether the reference rejects the program
    lines: tuple = ()  # lines of the text, from 1 on, at which the error is expected
    otherwise: list | None = None  # an alternative command: the case also passes if this one does

    def followed_by(self, *options):
        """Returns the same case with these options inserted before the program."""
        return dataclasses.replace(self, command=[self.command[0], *options, *self.command[1:]])


def exceptions():
    """Returns pairs of a name and a reason. Names may end in `*`."""
    rules = []
    for line in EXCEPTIONS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition("=>")
            rules.append((re.compile(re.escape(name.strip()).replace(r"\*", ".*") + "$"), reason.strip()))
    return rules


@functools.cache
def definitions():
    """Returns, for each operation, the names of its operands (in order), attributes and regions,
    and its traits, as TableGen reads them."""
    found = {}
    for path in sorted((steps.ROOT / "drumlin" / "ir" / "stablehlo").glob("*.td")):
        done = subprocess.run([setup.LLVM_BIN / "llvm-tblgen", "-dump-json", f"-I{steps.ROOT}", "-I/usr/lib/llvm-22/include", path],
                              capture_output=True, text=True, check=True)
        records = json.loads(done.stdout)
        for record in records.values():
            if not isinstance(record, dict) or "opName" not in record or "Op" not in record["!superclasses"]:
                continue
            names = {"operand": [], "attribute": [], "region": [name for _, name in record["regions"]["args"]],
                     "trait": {trait["def"] for trait in record["traits"]}}
            for type, name in record["arguments"]["args"]:
                names["attribute" if "Attr" in records[type["def"]]["!superclasses"] else "operand"].append(name)
            found[record["opName"]] = names
    return found


def constraints():
    """Yields (label, requirement, how it is enforced) for each line of the table, and for the
    elementwise operations without a line."""
    lines = CONSTRAINTS.read_text().splitlines()
    rows = [tuple(part.strip() for part in line.split(" ; ")) for line in lines if line and not line.startswith("#")]
    with_lines = {re.sub(r"_[ci]\d+$", "", label) for label, *_ in rows}
    for operation, names in definitions().items():
        if operation not in with_lines and {"Elementwise", "Stablehlo_SameType"} <= names["trait"]:
            rows += [(f"{operation}_i{i}", name, f"operand {name}") for i, name in enumerate(names["operand"], 1)]
            rows.append((f"{operation}_c1", "operands and result are of one type", "elementwise"))
    return rows


def specified(text):
    """Returns the labels of the specification's constraints: `dot_general_c3` for (C3) under the
    heading dot_general."""
    section, last, names = "", 0, iter(())
    for line in text.splitlines():
        if heading := re.match(r"###? (\w+)", line):
            section, last, names = heading[1], 0, iter(LITERALS.get(heading[1], ()))
        found = re.match(r"\s*[*-] \((C)(\d+)\)", line) or re.match(r"\|\s*\(?(I)(\d+)\)?\s*\|", line)
        if not found:
            continue
        kind, number = found[1].lower(), int(found[2])
        if section in LITERALS and number <= max(last, 1):  # numbers start again at the next kind of type or literal
            name = next(names)
        elif section not in LITERALS:
            name = section
        last = number
        yield f"{name}_{kind}{number}"


def compare_constraints(clone):
    """Returns label => problem for labels that only the specification or only the table has, and
    the total number of labels."""
    ours, theirs = {label for label, *_ in constraints()}, set(specified((clone / "docs" / "spec.md").read_text()))
    broken = {label: "the table lacks it" for label in theirs - ours} | {label: "no constraint of the specification" for label in ours - theirs}
    return broken, len(ours | theirs)


def testdata(clone, binaries):
    """Yields the cases. A case may pass in two ways, since the specification leaves the precision
    of sums to implementations: each partial sum is rounded, or only the last one."""
    for path in sorted((clone / "stablehlo" / "testdata").glob("*.mlir")):
        command = [binaries / "drumlin", "run", "--interpret", path]
        yield Case("testdata", path.stem, [*command, "--round-each-sum"], otherwise=command)


def plain_checks(text):
    """Rewrites the reference's `check` operations as custom calls that the interpreter supports."""
    number = 0

    def call(kind, lhs, rhs, attributes, lhs_type, rhs_type):
        extra = "".join(f", {each.strip()}" for each in attributes if each.strip())
        return (f"stablehlo.custom_call @check.{kind}({lhs}, {rhs}) {{has_side_effect = true{extra}}} : "
                f"({lhs_type}, {rhs_type}) -> ()")

    def constant(match):
        nonlocal number
        number += 1
        kind, value, elements, type_, attributes = match.groups()
        tolerance = [attributes] if attributes else []
        if kind == "expect_almost_eq" and not tolerance:
            tolerance = ["tolerance = 1.0e-4 : f64"]
        return (f"%expected_{number} = stablehlo.constant {elements} : {type_}\n"
                + call(kind, value, f"%expected_{number}", tolerance, type_, type_))

    def pair(match):
        kind, lhs, rhs, options, type_, other = match.groups()
        attributes = []
        for option in filter(None, (each.strip() for each in options.split(","))):
            name, value = (part.strip() for part in option.split("="))
            attributes.append(f"{name} = {value} : {'f64' if name == 'tolerance' else 'ui64'}")
        if kind == "expect_close" and "max_ulp_difference" not in options:
            attributes.append("max_ulp_difference = 1 : ui64")
        if kind == "expect_almost_eq" and "tolerance" not in options:
            attributes.append("tolerance = 1.0e-4 : f64")
        return call(kind, lhs, rhs, attributes, type_, other or type_)

    text = re.sub(r"[ \t]*//[^\n]*$", "", text, flags=re.M)
    tensor = r"(tensor<[^\n{]*>)"
    text = re.sub(r"check\.(expect_eq|expect_almost_eq)_const (%[\w#]+),\s*(dense<[^>]*>)\s*:\s*" + tensor
                  + r"[ \t]*(?:\{([^}]*)\})?[ \t]*$", constant, text, flags=re.M)
    return re.sub(r"check\.(expect_close|expect_eq|expect_almost_eq) (%[\w#]+), (%[\w#]+)((?:,\s*\w+ = [\d.e+-]+)*)\s*: "
                  + r"(tensor<[^\n]*?>)(?:, (tensor<[^\n]*>))?[ \t]*$", pair, text, flags=re.M)


def compiled_testdata(clone, binaries):
    for path in sorted((clone / "stablehlo" / "testdata").glob("*.mlir")):
        yield Case("compiled-testdata", path.stem, [binaries / "drumlin-check", "--compile", path])


def interpreter_chunks(clone):
    tests = clone / "stablehlo" / "tests"
    for path in sorted([*tests.glob("interpret/**/*.mlir"), *tests.glob("math/*.mlir")]):
        for i, chunk in enumerate(SPLIT.split(path.read_text())):
            if "check." not in chunk and "run_parallel" not in chunk:
                continue
            yield f"{path.relative_to(tests).with_suffix('')}.{i}", plain_checks(chunk)


def interpreter(clone, binaries):
    for name, chunk in interpreter_chunks(clone):
        yield Case("interpreter", name, [binaries / "drumlin-check", "--round-each-sum"], chunk)


def compiled_interpreter(clone, binaries):
    for name, chunk in interpreter_chunks(clone):
        yield Case("compiled-interpreter", name, [binaries / "drumlin-check", "--compile"], chunk)


def expected_lines(chunk):
    """Returns the lines that `expected-error` comments refer to: the comment's own line, or lines
    above or below it."""
    lines = chunk.splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        for place in re.findall(r"expected-error(?:-re)?\s*(@[+-]?\w+)?", line):
            if place in ("@above", "@below"):
                step = -1 if place == "@above" else 1
                at = number + step
                while 0 < at <= len(lines) and "expected-" in lines[at - 1] and lines[at - 1].lstrip().startswith("//"):
                    at += step
            else:
                at = number + int(place[1:]) if place[1:].lstrip("+-").isdigit() else 0 if place else number
            found.append(at)
    return tuple(sorted(set(found)))


def verifier(clone, binaries):
    for name in VERIFIER_FILES:
        path = clone / "stablehlo" / "tests" / f"{name}.mlir"
        for i, chunk in enumerate(SPLIT.split(path.read_text())):
            if "func" in chunk or "module" in chunk:
                yield Case("verifier", f"{name}.{i:03}", [binaries / "drumlin-opt"], chunk,
                           refused="expected-error" in chunk, lines=expected_lines(chunk))


SUITES = {"testdata": testdata, "interpreter": interpreter, "compiled-testdata": compiled_testdata,
          "compiled-interpreter": compiled_interpreter, "verifier": verifier}


def run(case, folder):
    """Returns nothing if the case passes, or else a description of what happened."""
    what = run_command(case, [str(word) for word in case.command], folder)
    if what and case.otherwise:
        return run_command(case, [str(word) for word in case.otherwise], folder) and what
    return what


def misplaced(case, errors):
    """Returns a message if the case expects an error on certain lines, and the first error isn't on
    one of these lines. Otherwise returns nothing."""
    found = re.search(r":(\d+):\d+: error", errors)
    if not case.lines or 0 in case.lines or (found and int(found[1]) in case.lines):
        return None
    return f"the error is on line {found[1] if found else 'none'}, the reference's on {', '.join(map(str, case.lines))}"


def run_command(case, command, folder):
    if case.text is not None:
        path = pathlib.Path(folder) / f"{case.name.replace('/', '-')}.mlir"
        path.write_text(case.text)
        command.append(str(path))
    try:
        process = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return "took more than 300 s"
    if process.returncode < 0:
        return f"ended by signal {-process.returncode}"
    # A crash, or a missing program, is not a rejection.
    if process.returncode in CRASHES:
        return f"crashed with status {process.returncode}"
    if (process.returncode != 0) == case.refused:
        return misplaced(case, process.stderr) if case.refused else None
    first = next((line for line in process.stderr.splitlines() if "error" in line), process.stderr[:200])
    return first.strip() or ("accepted, but the reference rejects it" if case.refused else f"status {process.returncode}")


def unneeded(suite, broken, known):
    """Returns departures that no longer excuse any case."""
    return {rule.pattern: "this departure is no longer needed" for rule, _ in known
            if rule.pattern.startswith(re.escape(f"{suite}/")) and not any(rule.match(f"{suite}/{name}") for name in broken)}


def clone_at(path):
    clone = pathlib.Path(path).resolve()
    if not (clone / "stablehlo" / "testdata").is_dir():
        raise steps.Failure(f"{clone} is not a clone of openxla/stablehlo", "git clone https://github.com/openxla/stablehlo")
    return clone


def print_head():
    print(f"{'suite':20} {'cases':>6} {'hold':>6} {'departs':>8} {'fail':>5}")


def hold(suite, cases, known, pool, folder):
    """Runs the cases of a suite. Returns two dictionaries name => what happened: of all cases that
    fail, and of failing cases that are no known departures. Prints how many cases pass and fail."""
    seen = list(zip(cases, pool.map(lambda case: run(case, folder), cases)))
    broken = {case.name: what for case, what in seen if what}
    failed = {name: what for name, what in broken.items() if not any(rule.match(f"{suite}/{name}") for rule, _ in known)}
    print(f"{suite:20} {len(seen):6} {len(seen) - len(broken):6} {len(broken) - len(failed):8} {len(failed):5}", flush=True)
    return broken, failed


def print_failed(report):
    for suite, broken in report.items():
        for name, what in broken.items():
            print(f"{suite}/{name}: {what[:200]}")


def main(arguments):
    clone = clone_at(arguments.clone)
    setup.everything("test")
    binaries = build.build("release") / "bin"
    known = exceptions()
    report = {}
    print_head()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(int(build.jobs())) as pool:
        for suite, cases in SUITES.items():
            if arguments.suite and suite != arguments.suite:
                continue
            chosen = [case for case in cases(clone, binaries) if not arguments.filter or arguments.filter in case.name]
            broken, report[suite] = hold(suite, chosen, known, pool, folder)
            if not arguments.filter:
                report[suite] |= unneeded(suite, broken, known)
    if not arguments.filter and arguments.suite in (None, "constraints"):
        report["constraints"], count = compare_constraints(clone)
        print(f"{'constraints':20} {count:6} {count - len(report['constraints']):6} {0:8} {len(report['constraints']):5}", flush=True)
    print_failed(report)
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(report, indent=1))
    return 1 if any(report.values()) else 0
