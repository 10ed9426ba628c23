"""Programs that break a reader, on purpose or by accident: each is quickly refused or computes its results, and all printed text is UTF-8."""
import json
import os
import subprocess
import time

import numpy as np
import pytest

# Longer times indicate work that grows with the expanded size of aliases.
SECONDS = 20
COMMANDS = {
    "compile": ("-o", "out.so"), "plan": (), "cost": (), "why": (), "run": ("--input", "zeros"), "interpret": ("--input", "zeros"),
    "print": (), "convert": ("-o", "out.mlir"), "check": ("--input", "zeros"),
}


@pytest.fixture
def command(build_folder, tmp_path, environment):
    """Fixture command(name, text, *options): returns the status, output and errors, which must be UTF-8."""
    def run(name, text, *options, fails_with=None):
        (tmp_path / "program.mlir").write_text(text)
        words = ["run", "--interpret"] if name == "interpret" else [name]
        begin = time.monotonic()
        done = subprocess.run([build_folder / "bin" / "drumlin", *words, "program.mlir", *COMMANDS[name], *options], cwd=tmp_path,
                              env=environment, capture_output=True, timeout=120)
        assert time.monotonic() - begin < SECONDS, (name, done.stderr)
        output, errors = done.stdout.decode(), done.stderr.decode()
        assert done.returncode not in (70, -11, -6), (name, errors)
        assert fails_with is None or (done.returncode != 0 and fails_with in errors), (name, done.returncode, errors)
        return done.returncode, output, errors
    return run


def chain(count, first, step, use):
    """Returns a chain of aliases: `step` makes each from the name of the previous one."""
    lines = [first] + [step.format(i, before=i - 1) for i in range(1, count)]
    return "\n".join(lines) + "\n" + use.format(last=count - 1) + "\n"


LOCATED = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = stablehlo.tanh %a : tensor<2xf32> loc(#a{last})
  return %0 : tensor<2xf32>
}}"""
ATTRIBUTE = "module attributes {{jax.x = #a{last}}} {{ func.func @main() {{ return }} }}"
TYPED = "func.func @main(%a: !a{last}) -> !a{last} {{ return %a : !a{last} }}"
CHAINS = {
    "attributes": ("#a0 = [1]", "#a{} = [#a{before}]", ATTRIBUTE),
    "attributes on lines of their own": ("#a0 = [1]", "#a{} // named\n= // below\n[\n#a{before}\n]", ATTRIBUTE),
    "attributes with types": ("!t = i32\n#a0 = 1 : !t", "#a{} = {{x = #a{before}}}", ATTRIBUTE),
    "names with dashes": ("#a0 = [1]", "#a{} = [#b-{before}]\n#b-{} = [#a{before}]".replace("#b-{}", "#b-{0}").replace("#a{}", "#a{0}"), ATTRIBUTE),
    "types": ("!a0 = tuple<tensor<f32>>", "!a{} = tuple<!a{before}>", TYPED),
    "functions": ("!a0 = () -> ()", "!a{} = () ->\n (!a{before})", TYPED),
    "locations": ('#a0 = loc("f":1:1)', "#a{} = loc(callsite(#a{before} at \"f\":1:1))", LOCATED),
    "fused locations": ('#a0 = loc("f":1:1)', "#a{} = loc(fused<1>[#a{before}])", LOCATED),
    "named locations": ('#a0 = loc("f":1:1)', "#a{} = loc(\"n\"(#a{before}))", LOCATED),
}
BOMBS = {
    "attributes": ("#a0 = [1, 1]", "#a{} = [#a{before}, #a{before}]", ATTRIBUTE),
    "dictionaries": ("#a0 = [1, 1]", "#a{} = {{x = #a{before}, y = #a{before}}}", ATTRIBUTE),
    "tuples": ("!a0 = tuple<tensor<f32>, tensor<f32>>", "!a{} = tuple<!a{before}, !a{before}>", TYPED),
    "functions": ("!a0 = () -> ()", "!a{} = (!a{before}) -> !a{before}", TYPED),
    "call sites": ('#a0 = loc("f":1:1)', "#a{} = loc(callsite(#a{before} at #a{before}))", LOCATED),
    "fused locations": ('#a0 = loc("f":1:1)', "#a{} = loc(fused<[#a{before}]>[#a{before}, \"f\":2:2])", LOCATED),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("kind", CHAINS)
def test_chains_of_aliases_have_a_depth(command, name, kind):
    command(name, chain(30000, *CHAINS[kind]), fails_with="error D2003: aliases of aliases are nested deeper than 1024")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("kind", BOMBS)
def test_aliases_stand_for_so_much_and_no_more(command, name, kind):
    command(name, chain(41, *BOMBS[kind]), fails_with="error D2002: an alias expands to more than 1048576 words of other aliases")


@pytest.mark.parametrize("kind", ["attributes", "locations", "fused locations", "named locations"])
def test_what_is_within_the_limits_is_read(command, kind):
    for name in ("compile", "interpret", "convert"):
        status, _, errors = command(name, chain(1000, *CHAINS[kind]))
        assert status == 0, errors


def test_many_uses_of_a_large_alias_have_a_limit_together(command):
    wide = chain(14, *BOMBS["call sites"][:2], "")
    uses = "\n".join(f"  %{i + 1} = stablehlo.tanh %{i} : tensor<2xf32> loc(#a13)" for i in range(3000))
    text = wide + "func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {\n" + uses + "\n  return %3000 : tensor<2xf32>\n}\n"
    command("plan", text, fails_with="error D2002: uses of aliases expand to more than")


TANH = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32> loc("mod\\E8le.py":3:4)
  return %0 : tensor<4xf32>
}
"""


def test_names_that_are_not_utf8_are_replaced(command, tmp_path, call):
    for name, options in [("compile", ("--dump-phases", "dumps")), ("plan", ("--json",)), ("plan", ()), ("plan", ("--html",)),
                          ("plan", ("--lock", "p.lock")), ("cost", ("--json",)), ("cost", ()), ("why", ("--json",)), ("why", ()),
                          ("why", ("--remarks",)), ("print", ("--json",)), ("print", ("--html",)), ("print", ()), ("check", ("--json",)),
                          ("convert", ("--emit", "bytecode")), ("convert", ("--emit", "hlo"))]:
        status, output, errors = command(name, TANH, *options)
        assert status == 0, (name, options, errors)
        if "--json" in options:
            json.loads(output)
        if name == "why" and not options:
            assert "mod\N{REPLACEMENT CHARACTER}le.py:3:4" in output
    for path in [tmp_path / "p.lock", *(tmp_path / "dumps").iterdir()]:
        path.read_text(encoding="utf-8")
    assert "op stablehlo.tanh mod\N{REPLACEMENT CHARACTER}le.py:3:4" in (tmp_path / "p.lock").read_text()
    lock = (tmp_path / "p.lock").read_bytes().replace("\N{REPLACEMENT CHARACTER}".encode(), b"\xe8")
    (tmp_path / "other.lock").write_bytes(lock)
    refused = call("diff", "p.lock", "other.lock", "--json")
    assert refused.returncode == 3 and "the line isn't UTF-8 text" in refused.stderr


def test_names_of_files_that_are_not_utf8(build_folder, tmp_path, environment):
    name = os.fsdecode(b"mod\xe8le.mlir")
    (tmp_path / name).write_text(TANH)
    for words in (["plan", name, "--json"], ["cost", name, "--json"], ["plan", name, "--lock", "a.lock"], ["compile", name, "-o", "a.so"],
                  ["plan", "a.so", "--json"], ["print", "a.so", "--json"], ["diff", "a.so", "a.lock", "--json"]):
        done = subprocess.run([build_folder / "bin" / "drumlin", *words], cwd=tmp_path, env=environment, capture_output=True, timeout=120)
        assert done.returncode == 0, (words, done.stderr)
        if "--json" in words:
            json.loads(done.stdout.decode())
    (tmp_path / "a.lock").read_text(encoding="utf-8")


PLANS = {
    "host_call": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = plan.host_call <infeed> ""() as (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {config = "two", has_side_effect} : () -> tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
    "bitcast": """func.func @main(%a: tensor<4xf32>) -> tensor<2x2xf32> {
  %1 = plan.bitcast %a : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}""",
    "loop": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = plan.loop(%b = %a : tensor<4xf32>) -> (tensor<4xf32>) {
    %2 = stablehlo.tanh %b : tensor<4xf32>
    plan.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}""",
}


@pytest.mark.parametrize("operation", PLANS)
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("print", "convert")])
def test_plans_are_read_only_behind_start_from(command, name, operation):
    command(name, PLANS[operation], fails_with=f"error D4002: operation `plan.{operation}` belongs to a plan")


@pytest.mark.parametrize("name", COMMANDS)
def test_operations_outside_functions(command, name):
    text = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
%c = stablehlo.constant dense<1.0> : tensor<4xf32>
"""
    reads = name in ("print", "convert")
    status, _, errors = command(name, text, fails_with=None if reads else "error D2006: operation `stablehlo.constant` is outside a function")
    assert reads or "program.mlir:2:" in errors


def test_indices_are_interpreted(command):
    command("interpret", "func.func @main(%n: tensor<2xindex>) -> tensor<2xindex> { return %n : tensor<2xindex> }", "--output", "out.npz")


SOLVE = """func.func @main(%a: tensor<2x8x8xf32>, %b: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x8x8xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x8x8xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  return %1 : tensor<2x8x3xf32>
}"""


@pytest.mark.parametrize("buffer", ["arena, 1, 0, 512", "arena, -1, 0, 512", "arena, 0, -64, 512", "arena, 0, 64, 512", "arena, 0, 0, 9999",
                                    "arena, 0, 9223372036854775807, 512", "result, 7, 0, 512", "argument, 0, 0, 512", "weight, 0, 0, 512"])
def test_buffers_of_edited_plans_are_checked(command, tmp_path, buffer):
    assert command("compile", SOLVE, "--stop-after", "buffers")[0] == 0
    text = (tmp_path / "out.so").read_text()
    assert "#plan.buffer<arena, 0, 0, 512>" in text
    edited = text.replace("#plan.buffer<arena, 0, 0, 512>", f"#plan.buffer<{buffer}>")
    for name in ("compile", "plan", "run"):
        status, _, errors = command(name, edited, "--start-from", "buffers")
        assert status == 3 and "D2009" in errors, errors
    for bytes_held in ("-1", "0", "511", "9223372036854775807"):
        edited = text.replace("plan.arena_bytes = 512", f"plan.arena_bytes = {bytes_held}")
        assert command("compile", edited, "--start-from", "buffers")[0] in (3, 6)


def test_names_that_no_file_can_have(call, add):
    for words in (["compile", add, "-o", "x" * 5000], ["compile", "x" * 5000, "-o", "out.so", "--start-from", "layout"],
                  ["run", add, "--input", "zeros", "--output", "y/" * 3000], ["run", "x" * 300]):
        done = call(*words)
        assert done.returncode in (1, 2), (words[:2], done.returncode, done.stderr)
        assert "error D" in done.stderr


@pytest.mark.parametrize("length, kind", [(1 << 21, "FFT"), (1 << 22, "RFFT"), (131101, "FFT"), (131101, "IFFT"), (600011, "FFT")])
def test_long_transforms_are_computed_with_small_tables(build_folder, tmp_path, environment, length, kind):
    random = np.random.default_rng(7)
    x = random.standard_normal(length).astype(np.float32)
    if kind != "RFFT":
        x = x + 1j * random.standard_normal(length).astype(np.float32)
    wide = {"FFT": np.fft.fft, "IFFT": np.fft.ifft, "RFFT": np.fft.rfft}[kind](x.astype(np.complex128 if kind != "RFFT" else np.float64))
    operand, result = f"tensor<{length}x{'f32' if kind == 'RFFT' else 'complex<f32>'}>", f"tensor<{len(wide)}xcomplex<f32>>"
    (tmp_path / "program.mlir").write_text(f"func.func @main(%a: {operand}) -> {result} {{\n  %0 = stablehlo.fft %a, type = {kind}, length = "
                                           f"[{length}] : ({operand}) -> {result}\n  return %0 : {result}\n}}\n")
    np.savez(tmp_path / "in.npz", in0=x)
    subprocess.run([build_folder / "bin" / "drumlin", "compile", "program.mlir", "-o", "p.so"], cwd=tmp_path, env=environment, check=True, timeout=60)
    assert (tmp_path / "p.so").stat().st_size < 24 << 20
    subprocess.run([build_folder / "bin" / "drumlin", "run", "p.so", "--input", "in.npz", "--output", "out.npz"], cwd=tmp_path, env=environment,
                   check=True, timeout=60)
    error = np.abs(np.load(tmp_path / "out.npz")["out0"] - wide)
    # docs/architecture.md has the error bounds of a transform. A convolution consists of three transforms of two to four times the length.
    largest = np.sqrt(np.mean(np.abs(wide) ** 2))
    assert np.sqrt(np.mean(error**2)) <= 2.0**-24 * (1 + np.log2(length)) / 2 * largest
    assert error.max() <= 8 * 2.0**-24 * (1 + np.log2(length)) / 2 * largest


@pytest.mark.parametrize("length", [1 << 28, 10000019])
def test_tables_of_transforms_take_the_compiler_little(command, length):
    line = f"tensor<{length}xcomplex<f32>>"
    text = f"func.func @main(%a: {line}) -> {line} {{\n  %0 = stablehlo.fft %a, type = FFT, length = [{length}] : ({line}) -> {line}\n  return %0 : {line}\n}}\n"
    status, _, errors = command("compile", text, "--compile-memory", "500MB", "--compile-time", "10")
    assert status == 0, errors
