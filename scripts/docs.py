"""Pages made from the tables that the code is made from: passes, dialects, diagnostics, element types, math functions."""
import pathlib
import re
import subprocess

from scripts import lint, setup, steps

ENTRY = re.compile(r"^(DRUMLIN_\w+)\((.*)\)\s*$")
FIELD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,\s]+)')


def rows(path, macro):
    """The arguments of each line MACRO(...) of a .def file, as texts."""
    for line in path.read_text().splitlines():
        match = ENTRY.match(line)
        if match and match[1] == macro:
            yield [quoted or bare for quoted, bare in FIELD.findall(match[2])]


def table(header, lines):
    cell = lambda text: text.replace("|", "\\|")
    out = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(out + ["| " + " | ".join(map(cell, line)) + " |" for line in lines]) + "\n"


def diagnostics_page():
    source = steps.ROOT / "drumlin/support/Diagnostics.def"
    lines = [(code, name, status, remedy) for name, code, status, remedy in rows(source, "DRUMLIN_DIAGNOSTIC")]
    return ("# Diagnostics\n\nEvery error that a user can meet, by its stable code.\n\n"
            + table(("code", "name", "kind", "remedy"), sorted(lines)))


def element_types_page():
    source = steps.ROOT / "drumlin/support/ElementType.def"
    lines = [(row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9])
             for row in rows(source, "DRUMLIN_ELEMENT_TYPE")]
    header = ("type", "numpy's name", "kind", "bits", "bytes stored", "exponent bits", "mantissa bits", "bias", "specials")
    return "# Element types\n\n" + table(header, lines)


def math_functions_page():
    source = steps.ROOT / "drumlin/codegen/cpu/math/MathFunctions.def"
    lines = [(operation, element.lower(), "exact" if float(bound) == 0 else bound, method)
             for _, operation, element, _, _, bound, method in rows(source, "DRUMLIN_MATH_FUNCTION")]
    return ("# Functions of native code\n\nWith the largest error against the exact result, in units of its last place.\n\n"
            + table(("operation", "type", "largest error", "method"), lines))


def tablegen(path, *options):
    includes = [f"-I{steps.ROOT}", "-I/usr/lib/llvm-22/include", f"-I{path.parent}"]
    result = subprocess.run([setup.LLVM_BIN / "mlir-tblgen", *options, *includes, path], capture_output=True, text=True)
    if result.returncode != 0:
        raise steps.Failure(f"mlir-tblgen on {path.relative_to(steps.ROOT)}: {result.stderr.strip()[:2000]}",
                            "mend what it names")
    return result.stdout


def dialect_pages():
    for path in map(pathlib.Path, lint.tracked("drumlin/ir/*Ops.td")):
        match = re.match(r"drumlin/ir/(\w+)/", str(path))
        if match:
            yield f"dialect-{match[1]}", tablegen(steps.ROOT / path, "-gen-dialect-doc", f"-dialect={match[1]}")


def pass_pages():
    for path in map(pathlib.Path, lint.tracked("*Passes.td")):
        yield f"passes-{path.parent.name}", f"# Passes of `{path.parent}`\n\n" + tablegen(steps.ROOT / path, "-gen-pass-doc")


def main(arguments):
    setup.debian_packages()
    folder = pathlib.Path(arguments.into) if arguments.into else steps.BUILD / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"diagnostics": diagnostics_page(), "element-types": element_types_page(),
             "math-functions": math_functions_page(), **dict(pass_pages()),
             **dict(dialect_pages())}
    for name, page in pages.items():
        (folder / f"{name}.md").write_text(page)
    steps.say(f"docs: {len(pages)} pages in {folder}")
