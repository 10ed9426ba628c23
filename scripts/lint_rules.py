"""The project's own rules for its sources. Each rule takes a tree of files and yields its findings.

A tree is a dict from path (relative to the root, with `/`) to text, so that tests can pass samples.
"""
import dataclasses
import fnmatch
import functools
import pathlib
import re

RULES = pathlib.Path(__file__).parent / "rules"
CPP = (".cpp", ".h", ".c", ".def")
MEASURED = CPP + (".td", ".py", ".cmake", ".txt", ".md", ".mlir", ".sh", ".fbs")
LINES_AT_MOST = 700
FUNCTION_LINES_AT_MOST = 100
LARGEST_SHOWN = 10
# Tables, lists and generated files, which are not harder to read if they are longer.
LONG_TABLES = ("tools/commands/OptionTable.cpp", "drumlin/codegen/cpu/math/Coefficients.h", "drumlin/ir/stablehlo/test/constraints.txt")
# Generated files, and files by others. The project can't choose their length.
DATA_FOLDERS = ("test/models/", "examples/tiny_llama/decode.mlir", "examples/tiny_llama/vocabulary.txt", "LICENSE")
FORBIDDEN_FOLDERS = {"util", "utils", "common", "misc", "helpers"}
RULE_FILES = ("scripts/rules/", "test/dev/")  # these files quote forbidden text

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PASS = re.compile(r'^def\s+(\w+)\s*:\s*(?:Interface)?Pass<\s*"([^"]*)"', re.MULTILINE)
SHARED_NAMES = ("Passes", "drumlin")  # names that several files have: Passes.h in each folder of passes; drumlin: the program, and the C interface with its older version
READS_OUTSIDE_DATA = ("drumlin/hlo/test/RoundTripTest.cpp", "drumlin/listing/test/EveryInstructionTest.cpp", "scripts/test.py", "test/models/test_print.py")
DIAGNOSTIC_TABLES = "drumlin/support/diagnostics/"
DIAGNOSTIC = re.compile(r'^DRUMLIN_DIAGNOSTIC\((\w+),\s*"(D\d{4})"', re.MULTILINE)

# The path of one of our files, with or without `drumlin/` before it.
NAMED_FILE = re.compile(r"(?<![\w/.])((?:drumlin|scripts|docs|codegen|transforms|ir|driver|runtime|interpreter|import|export|target|support)"
                        r"/[\w/-]+\.(?:h|cpp|def|td|py|md))\b")

# A header of the project where precompiled headers are made.
PRECOMPILED = re.compile(r"\$\{CMAKE_\w+_DIR\}/drumlin/\S+\.h\b")


# Casts that distinguish kinds of targets.
TARGET_CAST = re.compile(r"\b(?:isa|cast|dyn_cast\w*)<(?:const )?(?:CpuTarget|GpuTarget|TensorEngine)>")
CASTS_TARGETS = ("drumlin/target/", "drumlin/driver/backend/")
# File system queries that throw on failure unless they get an error code argument.
ASKS_FILES = re.compile(r"std::filesystem::(?:absolute|canonical|copy\w*|create_\w+|current_path|equivalent|exists|file_size|is_\w+|"
                        r"last_write_time|permissions|read_symlink|relative|remove\w*|rename|space|status|symlink_status|"
                        r"temp_directory_path|weakly_canonical|(?:recursive_)?directory_iterator)\(([^;]*)")

# Algorithms that no standard header except `<algorithm>` declares.
ALGORITHM = re.compile(r"std::((?:all|any|none)_of|(?:copy|move)_backward|copy_(?:if|n)|count(?:_if)?|fill(?:_n)?|find(?:_if(?:_not)?)?|generate(?:_n)?|"
                       r"(?:max|min|minmax)_element|clamp|equal_range|(?:lower|upper)_bound|binary_search|nth_element|partition|"
                       r"(?:stable_|partial_)?sort|is_sorted|merge|next_permutation|remove_if|replace(?:_if)?|reverse|rotate|sample|search|"
                       r"set_(?:difference|intersection|union)|shuffle|transform|unique)\(")


@dataclasses.dataclass(order=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


def table(name, separator):
    """Returns the left and right sides of a rules file's lines, without comments."""
    for line in (RULES / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            left, _, right = line.partition(separator)
            yield left.strip(), right.strip()


@functools.cache
def include_table():
    """Returns folder -> (allowed drumlin/ prefixes, allowed external compiler prefixes)."""
    rules = {}
    for folder, right in table("includes.txt", ":"):
        inside, _, outside = right.partition("|")
        rules[folder] = (tuple(inside.split()), tuple(outside.split()))
    return rules


COMPILER_PREFIXES = ("mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/", "clang/")


def covers(prefix, path):
    return path == prefix or path.startswith(prefix + "/")


def fits(folder, path):
    """Returns whether the path is in a folder of the rules, in which `*` matches any name."""
    names, parts = folder.split("/"), path.split("/")
    return len(parts) > len(names) and all(fnmatch.fnmatchcase(part, name) for part, name in zip(parts, names))


def include_direction(tree):
    for path, text in tree.items():
        if not path.startswith(("drumlin/", "python/")) or not path.endswith(CPP):
            continue
        inner = path.removeprefix("drumlin/")
        folder = max((f for f in include_table() if fits(f, inner)), key=lambda f: f.count("/"), default=None)
        if folder is None:
            if "/" in inner:
                yield Finding(path, 1, "include-direction", "the folder is not in scripts/rules/includes.txt: add its line")
            continue
        allowed, external = include_table()[folder]
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match[1]
            if name.startswith("drumlin/"):
                if not any(covers(prefix, name.removeprefix("drumlin/")) for prefix in allowed):
                    yield Finding(path, number, "include-direction",
                                  f"`{folder}` may not include `{name}`; it may include {', '.join(allowed)}")
            elif name.startswith(COMPILER_PREFIXES) and not name.startswith(external or ("\0",)):
                yield Finding(path, number, "include-direction", f"`{folder}` may not include `{name}`")


def included(path, tree):
    """Returns the files of the tree that a file includes, directly or transitively."""
    found, left = set(), [path]
    while left:
        names = (match[1] for match in map(INCLUDE.match, tree.get(left.pop(), "").splitlines()) if match)
        new = {name for name in names if name in tree} - found
        found |= new
        left += new
    return found


def precompiled(tree):
    """Finds project headers among the precompiled ones: a change of one would rebuild nearly all
    objects."""
    for path, text in tree.items():
        for match in PRECOMPILED.finditer(text) if path.startswith("cmake/") else ():
            yield Finding(path, text.count("\n", 0, match.start()) + 1, "precompiled", f"`{match[0]}`: include it where it is used")


def algorithms(tree):
    """Finds files that call an algorithm without including `<algorithm>`. Other headers of newer
    standard libraries no longer include it, but LLVM's headers do."""
    for path, text in tree.items():
        match = ALGORITHM.search(text) if path.endswith((".cpp", ".h")) else None
        if not match:
            continue
        names = {match[1] for name in {path, *included(path, tree)} for match in map(INCLUDE.match, tree[name].splitlines()) if match}
        if "algorithm" not in names and not any(name.startswith(COMPILER_PREFIXES) for name in names):
            yield Finding(path, text.count("\n", 0, match.start()) + 1, "algorithms", f"`std::{match[1]}`: include `<algorithm>`")


def named_files(tree):
    """Finds names of files in documents and comments that don't exist."""
    for path, text in tree.items():
        if path.startswith(RULE_FILES) or not path.endswith(CPP + (".td", ".md")):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if not path.endswith(".md") and not line.lstrip().startswith("//"):
                continue
            for name in NAMED_FILE.findall(line):
                inner = "drumlin/" + name if not name.startswith("drumlin/") else name
                if name not in tree and inner not in tree:
                    yield Finding(path, number, "named-files", f"there is no file `{name}`")


def camel_case(flag):
    return "".join(word.capitalize() for word in flag.split("-"))


def pass_names(tree):
    for path, text in tree.items():
        if not path.endswith("Passes.td"):
            continue
        folder = path.rsplit("/", 1)[0]
        for match in PASS.finditer(text):
            name, flag = match[1], match[2]
            line = text.count("\n", 0, match.start()) + 1
            base = camel_case(flag)
            if name != base + "Pass":
                yield Finding(path, line, "pass-names", f"pass `--{flag}` is declared as `{name}`, expected `{base}Pass`")
            source = f"{folder}/{base}.cpp"
            if source not in tree:
                yield Finding(path, line, "pass-names", f"pass `--{flag}` has no file `{source}`")
            elif f"{base}Pass" not in tree[source]:
                yield Finding(source, 1, "pass-names", f"no class `{base}Pass` in the file of pass `--{flag}`")
            test = f"{folder}/test/{flag}.mlir"
            if test not in tree:
                yield Finding(path, line, "pass-names", f"pass `--{flag}` has no test `{test}`")
            elif f"--{flag}" not in tree[test]:
                yield Finding(test, 1, "pass-names", f"the test never runs `--{flag}`")


def measured(tree):
    return {path: text.count("\n") + (not text.endswith("\n")) for path, text in tree.items()
            if path.endswith(MEASURED) and not path.startswith(DATA_FOLDERS)}


def largest_files(tree):
    """Returns (lines, path) of the largest files, largest first."""
    return sorted(((lines, path) for path, lines in measured(tree).items()), key=lambda x: (-x[0], x[1]))[:LARGEST_SHOWN]


def file_sizes(tree):
    for path, lines in measured(tree).items():
        if lines > LINES_AT_MOST and path not in LONG_TABLES:
            yield Finding(path, lines, "file-sizes", f"{lines} lines, at most {LINES_AT_MOST}: split it by family")


# The first line of a definition, in a namespace or in a class inside a namespace.
DEFINITION = re.compile(r"^(  )?(?![ }#/])(?!(?:if|for|while|switch|else|do|catch|return|case|using|typedef|namespace|class|struct|enum|union|extern)\b)"
                        r"(?!\w+:$)[\w~:<>,*&\[\] ]+\(")
HEAD_AT_MOST = 30  # maximum lines of a definition's head, including initializers


def function_sizes(tree):
    """Checks the length of each definition. Sources are formatted by clang-format, so the body
    ends at a brace in the first column of the definition."""
    for path, text in tree.items():
        if not path.endswith((".cpp", ".h")) or "/test/" in path or path.startswith("test/"):
            continue
        lines, i = text.splitlines(), 0
        while i < len(lines):
            match = DEFINITION.match(lines[i])
            opens = next((j for j in range(i, min(i + HEAD_AT_MOST, len(lines))) if lines[j].endswith(("{", ";", "}"))), i) if match else i
            if not match or not lines[opens].endswith("{"):
                i += 1
                continue
            end = next((j for j in range(opens + 1, len(lines)) if lines[j].rstrip(";") == (match[1] or "") + "}"), opens)
            if end - i + 1 > FUNCTION_LINES_AT_MOST:
                yield Finding(path, i + 1, "function-sizes", f"{end - i + 1} lines, at most {FUNCTION_LINES_AT_MOST}: give its parts names")
            i = end + 1


def unit(path):
    """Returns the path without its extension: a header and the source of the same name are one
    unit."""
    return path.rpartition(".")[0]


def included_units(tree):
    """Returns unit -> {another unit that it includes: (file, line)}."""
    edges = {}
    for path, text in tree.items():
        if not path.endswith((".cpp", ".h")):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match[1] if match[1] in tree else "tools/" + match[1] if "tools/" + match[1] in tree else f"{path.rpartition('/')[0]}/{match[1]}"
            if name in tree and unit(name) != unit(path):
                edges.setdefault(unit(path), {}).setdefault(unit(name), (path, number))
    return edges


def unit_cycles(tree):
    """Finds units that include themselves transitively."""
    edges, done = included_units(tree), set()
    for start in sorted(edges):
        way, left = [], [(start, 0)]
        while left:
            name, depth = left.pop()
            del way[depth:]
            if name in way:
                path, line = edges[way[-1]][name]
                circle = " -> ".join(part.rpartition("/")[2] for part in [*way[way.index(name):], name])
                yield Finding(path, line, "unit-cycles", f"{circle}: move the code that closes the cycle to a separate unit")
            elif name not in done:  # finished units are in no cycle
                done.add(name)
                way.append(name)
                left += [(other, depth + 1) for other in edges.get(name, ())]


def folder_names(tree):
    for path in tree:
        for part in pathlib.PurePosixPath(path).parts:
            if part.lower().split(".")[0] in FORBIDDEN_FOLDERS:
                yield Finding(path, 1, "folder-names", f"`{part}` is too vague: name it for its phase or its data")


def words(tree):
    rules = [(re.compile(left, re.IGNORECASE), reason) for left, reason in table("words.txt", "=>")]
    for path, text in tree.items():
        if path.startswith(RULE_FILES + DATA_FOLDERS):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in rules:
                match = pattern.search(line)
                if match:
                    yield Finding(path, number, "words", f"`{match[0]}`: {reason}")


def diagnostics(tree):
    """Checks that codes are unique, and that a file of a test folder contains the name or code of
    each."""
    tables = {path: text for path, text in tree.items() if path.startswith(DIAGNOSTIC_TABLES)}
    exempt = dict(table("untested-diagnostics.txt", "=>"))
    tests = "\n".join(text for path, text in tree.items() if "/test/" in path or path.startswith("test/"))
    mentioned = set(re.findall(r"\w+", tests))
    seen = {}
    for path, text in tables.items():
        for match in DIAGNOSTIC.finditer(text):
            name, code = match[1], match[2]
            line = text.count("\n", 0, match.start()) + 1
            if code in seen:
                yield Finding(path, line, "diagnostics", f"{code} is `{seen[code]}` already")
            seen[code] = name
            if name not in mentioned and code not in mentioned and name not in exempt:
                yield Finding(path, line, "diagnostics", f"no test provokes `{name}` ({code})")


def file_system(tree):
    """Finds file system calls, outside of tests, that throw errors: no path that a user gives may
    crash the process."""
    for path, text in tree.items():
        if not path.endswith((".cpp", ".h")) or "/test/" in path or path.startswith("test/"):
            continue
        for match in ASKS_FILES.finditer(text):
            if "error" not in match[1]:
                line = text.count("\n", 0, match.start()) + 1
                yield Finding(path, line, "file-system", "this throws: pass a std::error_code `error`")


def target_casts(tree):
    """Finds casts that distinguish kinds of targets in drumlin/, except in backends and tests."""
    for path, text in tree.items():
        if not path.startswith("drumlin/") or path.startswith(CASTS_TARGETS) or "/test/" in path:
            continue
        for match in TARGET_CAST.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Finding(path, line, "target-casts", f"`{match[0]}`: ask the backend (drumlin/driver/backend/Backend.h)")


def outside_data(tree):
    """Checks that tests read only files of the repository. The only exception is the folder of
    `./dev nightly --data`, which only the files in READS_OUTSIDE_DATA read."""
    for path, text in tree.items():
        if path not in READS_OUTSIDE_DATA and path.endswith((".py", ".cpp")) and "DRUMLIN_DATA\"" in text:
            yield Finding(path, 1, "outside-data", f"this reads data from outside of the repository; only {', '.join(READS_OUTSIDE_DATA)} may")


def base_names(tree):
    """Checks that names of sources and headers are unique, so that a name identifies a file. Only Passes.h is in several folders."""
    seen = {}
    for path in sorted(tree):
        unit, _, ending = path.rpartition(".")
        name = unit.rpartition("/")[2]
        if f".{ending}" in CPP and name not in SHARED_NAMES and seen.setdefault(name, unit) != unit:
            yield Finding(path, 1, "base-names", f"{seen[name]} has this name already")


def test_names(tree):
    """Checks that names of test files are unique: pytest imports test files by name, and one run
    imports them all."""
    seen = {}
    for path in tree:
        name = path.rpartition("/")[2]
        if fnmatch.fnmatchcase(name, "test_*.py") and seen.setdefault(name, path) != path:
            yield Finding(path, 1, "test-names", f"{seen[name]} has this name already: pytest imports only one of them")


ALL = (include_direction, unit_cycles, function_sizes, precompiled, algorithms, named_files, pass_names, file_sizes, folder_names, file_system, target_casts, outside_data, base_names, test_names, words,
       diagnostics)


def findings(tree):
    return sorted(finding for rule in ALL for finding in rule(tree))
