"""Generates reference pages from the tables and commands of the code."""
import json
import pathlib
import re
import subprocess
import tempfile

from scripts import lint, setup, steps

ENTRY = re.compile(r"^(DRUMLIN_\w+)\((.*)\)\s*$")
FIELD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,\s]+)')
# The phases in the order of architecture.md. Folders of passes that aren't listed here come last.
PHASES = ("entry", "simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers")


def rows(path, macro):
    """Returns the arguments of each line MACRO(...) of a .def file, as texts."""
    for line in (steps.ROOT / path).read_text().splitlines():
        match = ENTRY.match(line)
        if match and match[1] == macro:
            yield [quoted or bare for quoted, bare in FIELD.findall(match[2])]


def diagnostics():
    tables = sorted((steps.ROOT / "drumlin/support/diagnostics").glob("*.def"))
    return sorted((code, name, kind, remedy) for path in tables for name, code, kind, remedy in rows(path, "DRUMLIN_DIAGNOSTIC"))


def rules():
    return [tuple(row[1:]) for row in rows("drumlin/transforms/Rules.def", "DRUMLIN_RULE")]


def reasons():
    return [tuple(row[1:]) for row in rows("drumlin/transforms/Reasons.def", "DRUMLIN_REASON")]


def table(header, lines):
    cell = lambda text: str(text).replace("|", "\\|")
    out = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(out + ["| " + " | ".join(map(cell, line)) + " |" for line in lines]) + "\n"


def plain(text):
    """Escapes the text of a table for Markdown, so that only code in backquotes is markup."""
    return "`".join(part if number % 2 else re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for number, part in enumerate(text.split("`")))


def words(name):
    """Converts `FileNotReadable` to `file not readable`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()


def statuses():
    """Returns diagnostic kind => exit status of a command that ends with it."""
    found = dict(re.findall(r"^\s+(\w+) = (\d+),", (steps.ROOT / "drumlin/support/Diagnostics.h").read_text(), re.MULTILINE))
    return found


def diagnostics_page():
    status = statuses()
    entries = [f"## {code}: {words(name)}\n\nThe command ends with status {status[kind]} ({words(kind)}).\n\n"
               + (f"Remedy: {plain(remedy)}.\n" if remedy else "") for code, name, kind, remedy in diagnostics()]
    return ("# Diagnostics\n\nEach error that a user can meet, by its stable code. A message also says where the error is, what was "
            "seen and what was expected.\n\n" + "\n".join(entries))


KINDS = {"Decides": "It applies or not, by the decision that is recorded; `--disable-pass={}` turns it off.",
         "Reports": "It reports what is done if another rule or the program leaves no choice.",
         "Counts": "A pass of many small rewrites: its entries say how many operations it changed. `--disable-pass={}` leaves it out."}


def rules_page():
    entries = [f"## {name}\n\n{plain(meaning.replace('==>', '⇒'))}\n\n{KINDS[kind].format(name)}\n" for name, kind, meaning in rules()]
    return ("# Rules of the ledger\n\nWhat `drumlin why` has entries of, and `drumlin why --rule NAME` shows alone, in the order of the "
            "phases. Why one was declined is one of the [reasons](reasons.md).\n\n" + "\n".join(entries))


def reasons_page():
    entries = [f"## {code}\n\n{plain(meaning)}.\n" + (f"\nRemedy: {plain(remedy)}.\n" if remedy else "") for code, meaning, remedy in reasons()]
    return ("# Reasons of decisions\n\nWhy one of the [rules](rules.md) was taken or declined. The remedy of a declined one, applied to the "
            "program, makes the rule apply; an entry of the ledger may name a nearer one.\n\n" + "\n".join(entries))


def element_types_page():
    lines = [(f"`{row[1]}`", *row[2:10]) for row in rows("drumlin/support/ElementType.def", "DRUMLIN_ELEMENT_TYPE")]
    header = ("type", "numpy's name", "kind", "bits", "bytes stored", "exponent bits", "mantissa bits", "bias", "specials")
    return "# Element types\n\n" + table(header, lines)


def math_functions_page():
    lines = [(f"`{operation}`", element.lower(), "exact" if float(bound) == 0 else bound, plain(method))
             for _, operation, element, _, _, bound, method in rows("drumlin/codegen/cpu/math/MathFunctions.def", "DRUMLIN_MATH_FUNCTION")]
    return ("# Functions of native code\n\nWith the largest error against the exact result, in units of its last place.\n\n"
            + table(("operation", "type", "largest error", "method"), lines))


def drumlin(binary, *arguments):
    """Returns a command's output, or None if this build doesn't have the command."""
    done = subprocess.run([binary, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def anchor(heading):
    return re.sub(r"[^\w-]", "", heading)


def operations_page(binary):
    lines = []
    for line in drumlin(binary, "list-operators").splitlines()[1:]:
        name, *cells = re.split(r" {2,}", line.strip())
        dialect = name.split(".")[0]
        lines.append((f"[`{name}`](dialect-{dialect}.md#{anchor(name)})", *cells))
    return ("# Operations\n\nOf which element types each operation is verified, interpreted (`drumlin run --interpret`) and compiled to native "
            "code; *these* are all that are verified. `drumlin list-operators` prints the same table, `--target-cpu` for another processor.\n\n"
            + table(("operation", "verified", "interpreted", "native code"), lines))


def options_page(binary):
    """Returns the command's table of options, or None if the build doesn't have the command."""
    text = drumlin(binary, "list-options", "--json")
    if text is None:
        return None
    options = json.loads(text)
    if isinstance(options, dict):  # options grouped by command
        options = [{"command": command, **option} for command, each in options.items() for option in each]
    columns = list(dict.fromkeys(key for option in options for key in option))
    cell = lambda value: ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    lines = [[plain(cell(option.get(key))) for key in columns] for option in options]
    return ("# Options\n\nWhat they mean, [the command line's page](../docs/cli.md) says at length.\n\n"
            + table([column.replace("_", " ") for column in columns], lines))


def tablegen(path, *options):
    includes = [f"-I{steps.ROOT}", "-I/usr/lib/llvm-22/include", f"-I{steps.ROOT / 'drumlin/ir/stablehlo'}"]
    result = subprocess.run([setup.LLVM_BIN / "mlir-tblgen", *options, *includes, path], capture_output=True, text=True)
    if result.returncode != 0:
        raise steps.Failure(f"mlir-tblgen on {path}: {result.stderr.strip()[:2000]}", "fix the error above")
    return result.stdout


def tidied(text):
    """Returns mlir-tblgen's Markdown without markup that other sites need, and without unneeded
    headings."""
    text = re.sub(r"<!-- Autogenerated.*?-->\n|\[TOC\]\n", "", text)
    text = re.sub(r"^(#+) (`[\w.-]+`) \(.*\)$", r"\1 \2", text, flags=re.MULTILINE)
    text = text.replace("<table>", '<table class="docutils">')
    return re.sub(r"^#### (.*?):?$", r"**\1**", text, flags=re.MULTILINE)


def dialect_pages():
    for dialect in ("stablehlo", "chlo", "plan"):
        files = [path for path in lint.tracked(f"drumlin/ir/{dialect}/*.td") if re.search(r"^def \w+Op\b", (steps.ROOT / path).read_text(), re.MULTILINE)]
        with tempfile.NamedTemporaryFile("w", suffix=".td") as all_files:
            all_files.write("".join(f'include "{path}"\n' for path in files))
            all_files.flush()
            text = tidied(tablegen(all_files.name, "-gen-dialect-doc", f"-dialect={dialect}"))
        # Included files also contribute enumerations of other dialects.
        seen = set()
        parts = [part for part in re.split(r"(?m)^(?=#{2,3} )", text) if not (part.startswith("### ") and part in seen or seen.add(part))]
        yield f"dialect-{dialect}", re.sub(r"^# .*", f"# Dialect `{dialect}`", "".join(parts).lstrip(), count=1)


def pass_pages():
    folders = {pathlib.Path(path).parent: path for path in lint.tracked("*Passes.td")}
    order = lambda folder: PHASES.index(folder.name) if folder.name in PHASES else len(PHASES)
    for folder in sorted(folders, key=lambda folder: (order(folder), folder.name)):
        text = tidied(tablegen(steps.ROOT / folders[folder], "-gen-pass-doc"))
        text = re.sub(r"^### `-", "## `--", text, flags=re.MULTILINE)
        text = re.sub(r"^==>$", "\n⇒\n", text, flags=re.MULTILINE)
        yield f"passes-{folder.name}", f"# Passes: {folder.name}\n\nThose of `{folder}`.\n\n{text}"


def pages(binary):
    """Returns name => Markdown, in navigation order."""
    made = {"options": options_page(binary), "diagnostics": diagnostics_page(), "rules": rules_page(), "reasons": reasons_page(),
            **dict(pass_pages()), "operations": operations_page(binary), **dict(dialect_pages()), "element-types": element_types_page(),
            "math-functions": math_functions_page()}
    return {name: page for name, page in made.items() if page is not None}
