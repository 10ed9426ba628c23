"""Counts which HLO texts `drumlin/hlo` can read and print back. Run it by hand: `.venv/bin/python
scripts/hlo_roundtrip.py PATHS…`.

Paths are folders or files: HLO texts (.hlo, .txt), C++ sources with modules in raw strings (.cc),
and StableHLO texts (.mlir). jaxlib converts StableHLO texts to HLO, before and after its compiler,
and prints the HLO with each set of options. A text written by people can be `stable`: its printed
form reads as the same module. A `template` is rejected and has placeholders. Rejections and
differences are printed by reason."""
import collections
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = pathlib.Path(os.environ.get("DRUMLIN_BUILD", ROOT / "build" / "release")) / "bin" / "HloText"  # built by `ninja HloText`
RAW_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
MODULE = re.compile(r"\bHloModule\b|^\s*ENTRY\b.*\{", re.MULTILINE)
PLACEHOLDER = re.compile(r"\$|%[sdlz]\b|\{[0-9]\}|<<\w+>>|\bD?TYPE[0-9]?\b|DATATYPE|\{\{")
OUTCOMES = ("identical", "stable", "differing", "refused", "template")
SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
# Sets of print options whose values differ from the defaults.
VARIANTS = {
    "default": {},
    "constants": {"print_large_constants": True},
    "no metadata": {"print_metadata": False},
    "no layouts": {"include_layout_in_shapes": False},
    "operand shapes": {"print_operand_shape": True},
    "no percent": {"print_percent": False},
    "no signatures": {"print_program_shape": False},
    "no shapes": {"print_result_shape": False},
    "no attributes": {"print_extra_attributes": False},
    "no configurations": {"print_backend_config": False},
    "indented": {"indent_amount": 1},
    "sorted": {"canonicalize_computations": True},
    "canonical names": {"canonicalize_instruction_names": True, "print_percent": False, "print_control_dependencies": False},
}


def printed(module):
    """Yields pairs of the name of a source and a text."""
    from jaxlib import _hlo
    for name, changes in VARIANTS.items():
        options = _hlo.HloPrintOptions()
        for key, value in changes.items():
            setattr(options, key, value)
        yield f"jaxlib, {name}", module.to_string(options)
    for name in ("short_parsable", "canonical", "fingerprint"):
        yield f"jaxlib, {name}", module.to_string(getattr(_hlo.HloPrintOptions, name)())


def jaxlib_texts(text):
    """Yields the HLO of a StableHLO program, before and after jaxlib's compiler."""
    from jax.extend import backend
    from jaxlib import _hlo, _jax
    try:
        computation = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    except Exception:  # of many types; programs that jaxlib rejects are skipped
        return
    yield from printed(_hlo.HloModule.from_serialized_hlo_module_proto(computation.as_serialized_hlo_module_proto()))
    client = backend.get_backend()
    try:
        modules = client.compile_and_load(text, client.devices()[:1]).hlo_modules()
    except Exception:
        return
    for module in modules:
        yield from printed(module)


def write(folder, source, stem, text):
    target = folder / source / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}-{stem[:40]}.hlo"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)


def write_jaxlib_texts(path, folder):
    for chunk in SPLIT.split(path.read_text()):
        if "func" in chunk and len(chunk) < 1 << 20:
            for source, text in jaxlib_texts(chunk):
                write(folder, source, path.stem, text)


def collect(path, folder):
    """Writes each distinct text once, into a folder named after its source."""
    text = path.read_text(errors="replace")
    if path.suffix == ".mlir":
        if "stablehlo." in text:
            # jaxlib crashes on some invalid programs.
            subprocess.run([sys.executable, __file__, "--jaxlib", path, folder], capture_output=True)
    elif path.suffix in (".cc", ".h"):
        for _, string in RAW_STRING.findall(text):
            if MODULE.search(string) and "{" in string:
                write(folder, "C++ sources", path.stem, string)
    elif MODULE.search(text):
        write(folder, "files", path.stem, text)


def main(paths):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in map(pathlib.Path, paths):
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file() and file.suffix in (".hlo", ".txt", ".cc", ".h", ".mlir"):
                    collect(file, folder)
        texts = sorted(folder.glob("*/*.hlo"))
        templates = {str(path) for path in texts if PLACEHOLDER.search(path.read_text())}
        done = subprocess.run([TOOL], input="".join(f"{path}\n" for path in texts), stdout=subprocess.PIPE, text=True, errors="replace", check=True)
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    for line in done.stdout.splitlines():
        path, _, outcome, _, _, note = line.split("\t")
        outcome = "template" if path in templates and outcome == "refused" else outcome
        for source in (pathlib.Path(path).parent.name, "all"):
            counts[source][outcome] += 1
        if outcome in ("refused", "differing"):
            reasons[outcome, re.sub(r"^:[\d:]* ", "", re.sub(r"`[^`]*`", "`…`", note))] += 1
    print(f"{'':28}" + "".join(f"{each:>11}" for each in OUTCOMES))
    for source in sorted(counts):
        print(f"{source:28}" + "".join(f"{counts[source][each]:11}" for each in OUTCOMES))
    for (outcome, reason), count in reasons.most_common():
        print(f"{count:6} {outcome}: {reason}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--jaxlib"]:
        write_jaxlib_texts(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    else:
        main(sys.argv[1:])
