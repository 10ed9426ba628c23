"""Fuzzes, under sanitizers, the compiler and each reader: of programs, of files beside programs,
and of plans. Prints executions, edge coverage and findings. Also compares the results of random
programs with the interpreter (scripts/fuzz_programs.py; with symbolic sizes:
scripts/fuzz_sizes.py).

Seeds are the repository's own programs: texts from tests, test/models and artifacts, the artifacts
themselves, and the bytecode and artifacts that `drumlin convert` makes of the texts. For HLO, they
are strings from its tests, the models as XLA compiled them, and protos converted from both. Findings of a target are written to build/fuzz/findings. Once fixed, add them to
drumlin/import/test/findings, which ImportTests reads, or for HLO to the tests of drumlin/hlo."""
import os
import pathlib
import re
import shutil
import subprocess
import time

from scripts import build, fuzz_faults, fuzz_programs, fuzz_sizes, setup, steps

PROGRAMS = ("text", "bytecode", "artifact", "hlo", "hlo-proto")
FILES = ("image", "lock", "record", "npy", "npz", "safetensors")
COMPILED = ("compile", "plan")
READERS = PROGRAMS + FILES + COMPILED
TARGETS = (*READERS, "programs", "sizes")
CORPUS = steps.BUILD / "fuzz-corpus"  # seeds of libFuzzer; each run adds some
FINDINGS = steps.BUILD / "fuzz" / "findings"
SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
LONGEST_SEED = 1 << 16  # the maximum bytes of a seed; mutating longer seeds is too slow
TEXTS = ("test/models/**/*.mlir", "drumlin/export/test/artifacts/*.txt", "drumlin/ir/*/test/*.mlir",
         "drumlin/interpreter/test/*.mlir")
HLO_TESTS = "drumlin/hlo/test/*.cpp"
RECORD_TEST = "drumlin/driver/tuner/test/TuningRecordTest.cpp"
HLO_AROUND = """HloModule m

%f (p: s32[]) -> s32[] {
  ROOT %p = s32[] parameter(0)
}

ENTRY %e {
  %a = s32[] constant(1)
  %b = s32[] call(%a), to_apply=%f
  ROOT %r = s32[] op(%a, %b), a=ATTRIBUTE, ATTRIBUTE
}
"""
HLO_PROGRAMS = "test/models/*/optimized.hlo"
REGRESSIONS = "drumlin/import/test/findings/*"


def programs_in(path):
    """Returns the programs in a file without their comments, which only slow down mutation."""
    for chunk in SPLIT.split(path.read_text(errors="replace")):
        yield "\n".join(line for line in chunk.splitlines() if line.strip() and not line.lstrip().startswith("//")) + "\n"


def text_seeds(clone):
    paths = [path for pattern in TEXTS for path in sorted(steps.ROOT.glob(pattern))]
    paths += sorted((clone / "stablehlo" / "tests").glob("**/*.mlir")) if clone else []
    for path in paths:
        for text in programs_in(path):
            if "func" in text and len(text) <= LONGEST_SEED:
                yield text


def hlo_seeds():
    for path in sorted(steps.ROOT.glob(HLO_TESTS)):
        source = path.read_text()
        yield from re.findall(r'R"\((.*?)\)"', source, re.DOTALL)
        # Attributes, shapes and literals aren't programs, so each becomes the value of an attribute
        # in a small module.
        for words in re.findall(r'^ +\(?"((?:[^"\\\n]|\\.)+)",?\)?,$', source, re.MULTILINE):
            text = words.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
            yield text if "{\n" in text else HLO_AROUND.replace("ATTRIBUTE", text)
    for path in sorted(steps.ROOT.glob(HLO_PROGRAMS)):
        yield path.read_text()


def write_seed(folder, content):
    content = content.encode() if isinstance(content, str) else content
    if len(content) <= LONGEST_SEED:
        (folder / steps.digest(content.hex())[:16]).write_bytes(content)


def convert(binary, source, format, target):
    """Returns the bytes of a program in a format. Returns nothing if the source is not a program,
    or the format can't represent it."""
    done = subprocess.run([binary, "convert", source, "-o", target, "--emit", format], capture_output=True)
    return target.read_bytes() if done.returncode == 0 else None


def make_seeds(folder, clone):
    binary = build.build("release", ["drumlin"]) / "bin" / "drumlin"
    for target in READERS:
        (folder / target).mkdir(parents=True, exist_ok=True)
    for text in hlo_seeds():
        write_seed(folder / "hlo", text)
        source = folder / "seed.hlo"
        source.write_text(text)
        content = convert(binary, source, "hlo-proto", folder / "seed.out")
        if content:
            write_seed(folder / "hlo-proto", content)
    for text in text_seeds(clone):
        write_seed(folder / "text", text)
        source = folder / "seed.mlir"
        source.write_text(text)
        for target in ("bytecode", "artifact"):
            content = convert(binary, source, target, folder / "seed.out")
            if content:
                write_seed(folder / target, content)
    for path in sorted(steps.ROOT.glob("drumlin/export/test/artifacts/*.code.mlir")):
        write_seed(folder / "artifact", path.read_bytes())
    for path in sorted(steps.ROOT.glob(REGRESSIONS)):
        for target in PROGRAMS:
            write_seed(folder / target, path.read_bytes())
    make_file_seeds(binary, folder)
    for text in compile_seeds():
        write_seed(folder / "compile", text)
        for content in plan_seeds(binary, text, folder):
            write_seed(folder / "plan", content)


def compile_seeds():
    """Yields small programs: programs among the other seeds that compile quickly, and some that
    are nested or have aliases that expand to long locations."""
    for path in sorted(steps.ROOT.glob("drumlin/interpreter/test/*.mlir")):
        for text in programs_in(path):
            if "@main" in text and len(text) < 4000:
                yield text
    program = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = stablehlo.tanh %x : tensor<4xf32> loc(#l{last})\n  return %0 : tensor<4xf32>\n}}\n"
    for step in ("#l{i} = loc(callsite(#l{before} at #l{before}))", '#l{i} = loc("n"(#l{before}))', "#l{i} = loc(fused<1>[#l{before}])"):
        for count in (4, 40):
            yield '#l0 = loc("f":1:1)\n' + "".join(step.format(i=i, before=i - 1) + "\n" for i in range(1, count)) + program.format(last=count - 1)
    nested = "stablehlo.tanh %x : tensor<4xf32>"
    for _ in range(8):
        nested = ('"stablehlo.if"(%p) ({\n  %t = ' + nested + "\n  stablehlo.return %t : tensor<4xf32>\n}, {\n  stablehlo.return %x : tensor<4xf32>\n})"
                  " : (tensor<i1>) -> tensor<4xf32>")
    yield "func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {\n%0 = " + nested + "\nreturn %0 : tensor<4xf32>\n}\n"


def plan_seeds(binary, text, folder):
    """Yields the text after each phase, preceded by a line with the name of the phase."""
    source, dumps = folder / "seed.mlir", folder / "seed.phases"
    source.write_text(text)
    shutil.rmtree(dumps, ignore_errors=True)
    subprocess.run([binary, "compile", source, "-o", folder / "seed.so", "-O0", "--no-cache", "--dump-phases", dumps], capture_output=True)
    for path in sorted(dumps.glob("*.mlir")):
        yield path.stem.split("-", 1)[1] + "\n" + path.read_text()


def make_file_seeds(binary, folder):
    """Writes an image and a lock file of each small model, the tuning records in a unit test, and
    arrays of all NumPy types."""
    for path in sorted(steps.ROOT.glob("test/models/*/program.mlir")):
        image, lock = folder / "seed.so", folder / "seed.lock"
        image.unlink(missing_ok=True)
        subprocess.run([binary, "compile", path, "-o", image], capture_output=True)
        if image.exists():
            write_seed(folder / "image", image.read_bytes())
        lock.unlink(missing_ok=True)
        subprocess.run([binary, "plan", path, "--lock", lock], capture_output=True)
        if lock.exists():
            write_seed(folder / "lock", lock.read_bytes())
    for text in re.findall(r'R"\((drumlin tuning record .*?)\)"', (steps.ROOT / RECORD_TEST).read_text(), re.DOTALL):
        write_seed(folder / "record", text)
    subprocess.run([setup.PYTHON, steps.ROOT / "scripts" / "fuzz_arrays.py", folder], check=True)


def dictionary(path):
    """Writes the names of operations, attributes and types, with which texts are mutated."""
    words = set()
    for source in steps.ROOT.glob("drumlin/ir/**/*.td"):
        words |= set(re.findall(r'"([\w.]{2,40})"', source.read_text()))
    words |= {"tensor<", "dense<", "complex<", "!quant.uniform<", "array<i64: ", "f8E4M3FN", "bf16", "i4", "ui64", "index", "?x",
              "#stablehlo.bounds<", "!stablehlo.token", "loc(", "module", "func.func", "-> ", "^bb0", "<{", "}>", "splat"}
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    return path


def hlo_dictionary(path):
    """Writes the words of attributes, opcodes and shapes."""
    words = set(re.findall(r"[\w.-]{2,40}", "\n".join(hlo_seeds())))
    words |= {"/*index=5*/", "{...}", "->", "<=", "=\n{", "ROOT %", "ENTRY ", "HloModule ", "to_apply={", "nan(0x1)", "[2,2]<=[4]T(1,0)"}
    escaped = (word.replace("\n", "\\x0a") for word in sorted(words)[:2000])
    path.write_text("".join(f'"{word}"\n' for word in escaped))
    return path


def read_log(text):
    """Returns libFuzzer's numbers: executions, edges reached, total edges."""
    executions = re.findall(r"^#(\d+):", text, re.MULTILINE)
    counters = re.search(r"\((\d+) inline 8-bit counters\)", text)
    covered = re.findall(r"\bcov: (\d+)", text)
    return (max(map(int, executions), default=0), int(covered[-1]) if covered else 0,
            int(counters[1]) if counters else 0)


def binary_of(target):
    """Returns the name of a target's program, e.g. `FuzzHloProto` for `hlo-proto`."""
    return "Fuzz" + "".join(word.capitalize() for word in target.split("-"))


def fuzz(folder, target, seconds):
    """Returns executions, edges reached, total edges, and findings."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    before = set(FINDINGS.iterdir())
    command = ["nice", "-n", "19", folder / "bin" / binary_of(target), CORPUS / target, f"-max_total_time={seconds}",
               f"-max_len={LONGEST_SEED}", "-timeout=25", "-rss_limit_mb=4096", f"-artifact_prefix={FINDINGS}/{target}-",
               # The target runs in separate processes, so that a finding doesn't end the run.
               "-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]
    if target in ("text", "hlo", *COMPILED):
        words = hlo_dictionary if target == "hlo" else dictionary
        command.append(f"-dict={words(steps.BUILD / 'fuzz' / f'{target}.dict')}")
    _, log = steps.run(f"fuzzing {target}", command, log=f"fuzz-{target}", check=False, environment=dict(os.environ))
    return *read_log(log.read_text(errors="replace")), sorted(set(FINDINGS.iterdir()) - before)


def fuzz_readers(targets, arguments):
    make_seeds(CORPUS, pathlib.Path(arguments.clone).resolve() if arguments.clone else None)
    folder = build.build("fuzz", [binary_of(target) for target in targets])
    found = []
    for target in targets:
        executions, covered, edges, findings = fuzz(folder, target, arguments.seconds)
        found += findings
        share = f" ({100 * covered / edges:.1f} %)" if edges else ""
        print(f"{target:9} {executions:>10,} executions, {covered:,} of {edges:,} edges{share}, {len(findings)} findings", flush=True)
    for path in found:
        print(f"  {path.relative_to(steps.ROOT)}")
    return len(found)


def main(arguments):
    setup.everything("test")
    if arguments.faults:
        return 1 if fuzz_faults.prove(arguments.seed or 0) else 0
    found = 0
    if arguments.target not in ("programs", "sizes"):
        found += fuzz_readers([arguments.target] if arguments.target else READERS, arguments)
    # Without a given seed, each run starts at a new seed.
    first = arguments.seed if arguments.seed is not None else int(time.time()) * 1000
    for target, module in (("programs", fuzz_programs), ("sizes", fuzz_sizes)):
        if arguments.target in (None, target):
            steps.say(f"random programs ({target}) from --seed {first} on")
            found += module.fuzz(arguments.seconds, first)
    return 1 if found else 0
