"""Programs whose sizes, nesting depth or number of paths are too large to enumerate: each is compiled or refused within seconds."""
import json
import resource
import time

import pytest
from test_statuses import message

HUGE = 1_000_000_000_000


def write(tmp_path, text):
    (tmp_path / "p.mlir").write_text(text)
    return "p.mlir"


def nested_whiles(depth):
    """Returns nested loops; each counter starts at the outer loop's counter."""
    text, end, outer = "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n", "", "%x"
    for i in range(depth):
        text += f"""%w{i} = stablehlo.while(%i{i} = {outer}) : tensor<i32> cond {{
          %c = stablehlo.constant dense<100> : tensor<i32>
          %t = stablehlo.compare LT, %i{i}, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %t : tensor<i1>
        }} do {{
        """
        outer = f"%i{i}"
    text += f"%one = stablehlo.constant dense<1> : tensor<i32>\n%n = stablehlo.add {outer}, %one : tensor<i32>\n"
    inner = "%n"
    for i in reversed(range(depth)):
        end += f"stablehlo.return {inner} : tensor<i32>\n}}\n"
        inner = f"%w{i}"
    return text + end + "return %w0 : tensor<i32>\n}\n"


def calls(functions, each):
    """Returns functions. Each calls the previous function `each` times, inside of an `if`."""
    text = """func.func private @f0(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      return %0 : tensor<f32>
    }
    """
    for i in range(1, functions):
        name = "main" if i + 1 == functions else f"f{i}"
        text += f'func.func @{name}(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {{\n%r = "stablehlo.if"(%p) ({{\n'
        last = "%x"
        for k in range(each):
            text += f"%a{k} = func.call @f{i - 1}(%p, {last}) : (tensor<i1>, tensor<f32>) -> tensor<f32>\n"
            last = f"%a{k}"
        text += f"""stablehlo.return {last} : tensor<f32>
        }}, {{
          stablehlo.return %x : tensor<f32>
        }}) : (tensor<i1>) -> tensor<f32>
        return %r : tensor<f32>
        }}
        """
    return text


def window(size, low, high, operand="%x"):
    return f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce_window"({operand}, %z) ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.multiply %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) {{window_dimensions = array<i64: {size}>, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>}}
        : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }}"""


DILATED_CONVOLUTION = f"""func.func @main(%x: tensor<1x2x1xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x2x1xf32> {{
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {{stride = [{HUGE}], lhs_dilate = [{HUGE}]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xf32>
  return %r : tensor<1x2x1xf32>
}}"""

COMPILED = {
    "nested_whiles": nested_whiles(70),
    "large_window": window(HUGE + 1, HUGE // 2, HUGE // 2),
    "folded_window": window(600_000_001, 300_000_000, 300_000_000, "%c"),
    "dilated_convolution": DILATED_CONVOLUTION,
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(call, tmp_path, name):
    assert call("compile", write(tmp_path, COMPILED[name]), "-o", "p.so", timeout=30).returncode == 0
    for command in ["plan", "why", "cost"]:
        assert call(command, "p.mlir", timeout=30).returncode == 0, command


@pytest.mark.parametrize("functions, each, status, code, seen", [(40, 2, 6, "D1013", "more than 2000000 operations"),
                                                                 (8, 30, 6, "D1013", "more than 2000000 operations"),
                                                                 (300, 1, 3, "D2009", "more than 256 deep")])
def test_inlining_budget(call, tmp_path, functions, each, status, code, seen):
    found = message(call("compile", write(tmp_path, calls(functions, each)), "-o", "p.so", timeout=30), status, code)
    assert seen in found["seen"]


def chain(count, operations, type="tensor<4x4xf32>", before="", result="%x"):
    """Returns a function in which each operation reads the previous operation's result. Each of `operations` is a format
    string with the fields `x`, the operand, and `t`, the type."""
    text, last = f"func.func @main(%x: {type}) -> {type} {{\n{before}", result
    for i in range(count):
        text += f"%{i} = {operations[i % len(operations)].format(x=last, t=type)}\n"
        last = f"%{i}"
    return text + f"return {last} : {type}\n}}\n"


REVERSE = "stablehlo.reverse {x}, dims = [0] : {t}"
TRANSPOSE = "stablehlo.transpose {x}, dims = [1, 0] : ({t}) -> {t}"
NEGATE, SINE = "stablehlo.negate {x} : {t}", "stablehlo.sine {x} : {t}"
DOT = "stablehlo.dot_general {x}, {x}, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}"


def reductions(count):
    """Repeatedly subtracts each row's sum: a kernel with many reductions, each with one result per row."""
    text, last = "func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n", "%x"
    for i in range(count):
        text += f"""%r{i} = stablehlo.reduce({last} init: %z) applies stablehlo.add across dimensions = [1]
          : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
        %b{i} = stablehlo.broadcast_in_dim %r{i}, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
        %s{i} = stablehlo.subtract {last}, %b{i} : tensor<16x16xf32>
        """
        last = f"%s{i}"
    return text + f"return {last} : tensor<16x16xf32>\n}}\n"


def calls_in_a_row(count):
    text = ""
    for i in range(count):
        body = f"call @f{i + 1}(%x) : (tensor<4xf32>) -> tensor<4xf32>" if i + 1 < count else "stablehlo.negate %x : tensor<4xf32>"
        text += f"func.func @{'main' if i == 0 else f'f{i}'}(%x: tensor<4xf32>) -> tensor<4xf32> {{\n%0 = {body}\nreturn %0 : tensor<4xf32>\n}}\n"
    return text


CHAINS = {
    "calls": calls_in_a_row(20_000),
    "moves": chain(10_000, [REVERSE, TRANSPOSE]),
    "elementwise": chain(50_000, [NEGATE, SINE]),
    "moves_before_a_dot": chain(10_001, [REVERSE, TRANSPOSE] * 5_000 + [DOT]),
    "moves_after_a_dot": chain(10_001, [DOT] + [REVERSE, TRANSPOSE] * 5_000),
    "elementwise_around_a_dot": chain(20_001, [NEGATE, "stablehlo.abs {x} : {t}"] * 5_000 + [DOT] + [SINE, NEGATE] * 5_000),
    "reductions": reductions(100),
}


LONG = {"elementwise", "elementwise_around_a_dot"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in CHAINS])
def test_deep_chains(call, tmp_path, name):
    """The recursion depth of traversals doesn't grow with a program's length, and every kernel is small enough to be
    compiled within the time limit."""
    write(tmp_path, CHAINS[name])
    for command in [("compile", "-o", "p.so"), ("plan",), ("why",), ("cost",)]:
        result = call(command[0], "p.mlir", *command[1:], timeout=60)
        assert result.returncode == 0, (command, result.returncode, result.stderr[-1000:])
    interpreted = call("run", "p.mlir", "--interpret", "--input", "linspace:0,1", timeout=60)
    if name == "calls":
        assert "nested more than" in message(interpreted, 4, "D4010")["seen"]
    else:
        assert interpreted.returncode == 0, interpreted.stderr[-1000:]


def test_many_branches_on_one_predicate(call, tmp_path):
    """Operations that differ only in their regions aren't compared pairwise: with four times the number of operations, compilation takes less than
    eight times as long."""
    def seconds(branches):
        text, last = "func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {\n", "%x"
        for i in range(branches):
            text += f"""%c{i} = stablehlo.constant dense<{i}.0> : tensor<4xf32>
            %{i} = "stablehlo.if"(%p) ({{
              %a = stablehlo.add %x, %c{i} : tensor<4xf32>
              stablehlo.return %a : tensor<4xf32>
            }}, {{
              stablehlo.return %x : tensor<4xf32>
            }}) : (tensor<i1>) -> tensor<4xf32>
            %s{i} = stablehlo.add {last}, %{i} : tensor<4xf32>
            """
            last = f"%s{i}"
        write(tmp_path, text + f"return {last} : tensor<4xf32>\n}}\n")
        begin = time.monotonic()
        result = call("plan", "p.mlir", timeout=150)
        assert result.returncode == 0, result.stderr[-1000:]
        return time.monotonic() - begin

    assert seconds(6_000) < 8 * seconds(1_500)


def test_many_operands_of_a_concatenation(call, tmp_path):
    """One kernel copies a limited number of operands; more operands need more kernels, most of which have the same code."""
    count = 16_000
    arguments, operands, types = (", ".join(form.format(i) for i in range(count)) for form in ("%a{}: tensor<1xf32>", "%a{}", "tensor<1xf32>"))
    write(tmp_path, f"""func.func @main({arguments}) -> tensor<{count}xf32> {{
      %0 = stablehlo.concatenate {operands}, dim = 0 : ({types}) -> tensor<{count}xf32>
      return %0 : tensor<{count}xf32>
    }}""")
    checked = call("check", "p.mlir", timeout=60)
    assert checked.returncode == 0 and f"all {count} elements are equal" in checked.stdout, checked.stdout[-500:] + checked.stderr[-500:]


@pytest.mark.parametrize("each, status", [(400, 0), (600, 4)])
def test_depth_of_the_interpreter(call, tmp_path, each, status):
    """A call inside of a branch counts as two levels."""
    write(tmp_path, calls(each + 1, 1).replace('"stablehlo.if"(%p)', '"stablehlo.if"(%t)').replace(
        "%r = ", "%t = stablehlo.constant dense<true> : tensor<i1>\n%r = "))
    result = call("run", "p.mlir", "--interpret", "--input", "zeros")
    assert result.returncode == status, result.stderr[-1000:]


def test_sizes_that_no_memory_holds(call, tmp_path):
    huge = "tensor<1000000000000xf32>"
    write(tmp_path, f"""func.func @main(%x: {huge}) -> tensor<f32> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : ({huge}, tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    }}""")
    for kind in ["zeros", "random:1", "linspace:0,1"]:
        found = message(call("run", "p.mlir", "--interpret", "--input", kind), 6, "D1005")
        assert huge in found["seen"]
    assert call("compile", "p.mlir", "-o", "p.so").returncode == 0
    message(call("run", "p.so", "--input", "zeros"), 6, "D1005")


def test_constants_that_the_machine_cannot_hold(call, tmp_path):
    """A splat takes no memory until its image is made. If memory is too small, compilation fails with a diagnostic and writes nothing."""
    huge = "tensor<6000000000xf32>"
    text = f"func.func @main() -> {huge} {{\n%0 = stablehlo.constant dense<0.0> : {huge}\nreturn %0 : {huge}\n}}\n"
    limit = (resource.RLIMIT_AS, (4 << 30, 4 << 30))
    message(call("compile", write(tmp_path, text), "-o", "p.so", preexec_fn=lambda: resource.setrlimit(*limit)), 6, "D1005")
    assert not (tmp_path / "p.so").exists()


def test_values_that_no_machine_holds(call, tmp_path):
    """Compilation fails with a diagnostic instead of writing an image that can't be loaded."""
    huge = "tensor<1000000000000000xf32>"
    text = f"func.func @main(%x: {huge}) -> {huge} {{\n%0 = stablehlo.sine %x : {huge}\nreturn %0 : {huge}\n}}\n"
    found = message(call("compile", write(tmp_path, text), "-o", "p.so"), 6, "D2004")
    assert "4000000000000000 bytes" in found["seen"]


def test_temporaries_that_no_number_holds(call, tmp_path):
    huge = "tensor<288230376151711744xf64>"
    text = f"func.func @main(%x: {huge}) -> ({huge}, {huge}) {{\n%m = stablehlo.optimization_barrier %x : {huge}\n"
    # All values are live until the end. Two of them can be stored in the memory of the two results.
    for i in range(7):
        text += f"%n{i} = stablehlo.negate {f'%m{i - 1}' if i else '%m'} : {huge}\n%m{i} = stablehlo.optimization_barrier %n{i} : {huge}\n"
    for i in range(1, 7):
        text += f"%s{i} = stablehlo.add {f'%s{i - 1}' if i > 1 else '%m0'}, %m{i} : {huge}\n"
    text += f"%q = stablehlo.multiply %s6, %m0 : {huge}\nreturn %s6, %q : {huge}, {huge}\n}}\n"
    found = message(call("compile", write(tmp_path, text), "-o", "p.so"), 6, "D2004")
    assert "don't fit in 64 bits" in found["seen"]


PHASES = f"""func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %0 = {DOT.format(x="%x", t="tensor<4x4xf32>")}
  %1 = {SINE.format(x="%x", t="tensor<4x4xf32>")}
  %2 = {REVERSE.format(x="%0", t="tensor<4x4xf32>")}
  %3 = stablehlo.optimization_barrier %1 : tensor<4x4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}}
"""


@pytest.mark.parametrize("phase, old, new, seen", [
    ("buffers", "kind(loop)", "kind(gemm)", "has no hero"),
    ("buffers", "kind(gemm)", "kind(loop)", "can't be in this kernel"),
    ("fusion", "plan.loop", "plan.window", "has no hero"),
    ("buffers", "plan.arena_bytes =", "plan.arena_bytes = true, x.y =", "the arena has no size"),
    ("buffers", "func.func @main(", "func.func @main(%w: tensor<f32> {plan.layout = 3 : i64}, ", "which is `3 : i64`"),
    ("buffers", "func.func @main(", "func.func @main(%w: tensor<2x3x4xf32> {drumlin.static, "
     "plan.layout = #plan.layout<[2, 0, 1], blocks = [1, 4], of = [3, 9]>}, ", "of = [3, 9]"),
    ("buffers", "func.func @main(", "func.func @main(%w: tensor<2x3x4xf32> "
     "{plan.layout = #plan.layout<[2, 0, 1], blocks = [1, 4], of = [3, 8]>}, ", "of = [3, 8]"),
    ("buffers", "plan.arena_bytes =", "plan.weights = [1, 2], plan.arena_bytes =", "which is `[1, 2]`"),
    ("buffers", "plan.arena_bytes =", "plan.weights_in_place = 2 : i64, plan.arena_bytes =", "which is `2 : i64`"),
])
def test_edited_phases(call, tmp_path, phase, old, new, seen):
    """The reader of a phase's text checks the attributes that describe the plan before any pass uses them."""
    assert call("compile", write(tmp_path, PHASES), "--dump-phases", "phases", "-o", "p.so").returncode == 0
    text, = (tmp_path / "phases").glob(f"*-{phase}.mlir")
    dump = text.read_text()
    assert old in dump
    (tmp_path / "edited.mlir").write_text(dump.replace(old, new, 1))
    result = call("compile", "edited.mlir", "--start-from", phase, "-o", "p.so")
    assert result.returncode == 3 and seen in result.stderr, result.stderr


def counting(start, step, direction, bound, count=1, type="i32", body="stablehlo.add"):
    """Returns consecutive loops with counters."""
    t = f"tensor<{type}>"
    text, last = f"func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n%s = stablehlo.constant dense<{start}> : {t}\n", "%x"
    for i in range(count):
        text += f"""%w{i}:2 = stablehlo.while(%i{i} = %s, %v{i} = {last}) : {t}, tensor<f32> cond {{
          %b = stablehlo.constant dense<{bound}> : {t}
          %t = stablehlo.compare {direction}, %i{i}, %b : ({t}, {t}) -> tensor<i1>
          stablehlo.return %t : tensor<i1>
        }} do {{
          %d = stablehlo.constant dense<{step}> : {t}
          %n = {body} %i{i}, %d : {t}
          %m = stablehlo.sine %v{i} : tensor<f32>
          stablehlo.return %n, %m : {t}, tensor<f32>
        }}
        """
        last = f"%w{i}#1"
    return text + f"return {last} : tensor<f32>\n}}\n"


def doubled(depth):
    """Returns a loop whose next counter value can be reached on 2^depth paths."""
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %s = stablehlo.constant dense<0> : tensor<i32>
      %w = stablehlo.while(%i = %s) : tensor<i32> cond {
        %b = stablehlo.constant dense<100> : tensor<i32>
        %t = stablehlo.compare LT, %i, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %d = stablehlo.constant dense<1> : tensor<i32>
        %n0 = stablehlo.add %i, %d : tensor<i32>
    """
    for i in range(1, depth):
        text += f"%n{i} = stablehlo.add %n{i - 1}, %n{i - 1} : tensor<i32>\n"
    return text + f"stablehlo.return %n{depth - 1} : tensor<i32>\n}}\nreturn %w : tensor<i32>\n}}\n"


@pytest.mark.parametrize("start, step, direction, bound, type, body, trips", [
    (0, 1, "LT", 2_000_000_000, "i32", "stablehlo.add", 2_000_000_000),
    (0, 3, "LT", 10, "i32", "stablehlo.add", 4),
    (0, 3, "LE", 9, "i64", "stablehlo.add", 4),
    (10, 3, "GT", 0, "i32", "stablehlo.subtract", 4),
    (9, 3, "GE", 0, "i32", "stablehlo.subtract", 4),
    (0, 7, "NE", 700_000_007, "ui32", "stablehlo.add", 100_000_001),
    (5, 0, "GT", 9, "i32", "stablehlo.add", 0),
    (5, 1, "EQ", 5, "i32", "stablehlo.add", 1),
    (1, 2, "LT", 1000, "i32", "stablehlo.multiply", 10),
    (0, 100, "LT", 120, "i8", "stablehlo.add", 14),  # the counter overflows repeatedly
    (0, 100, "NE", -56, "i8", "stablehlo.add", 2),  # the counter reaches the bound by an overflow
    (0, 0, "LT", 10, "i32", "stablehlo.add", None),
])
def test_trip_counts(call, tmp_path, start, step, direction, bound, type, body, trips):
    """Each trip counts one FLOP for the sine, one for the counter and one for the comparison, which runs once more at the end."""
    write(tmp_path, counting(start, step, direction, bound, type=type, body=body))
    for phase in ["simplify", "buffers"]:
        result = call("cost", "p.mlir", "--stop-after", phase, "--disable-pass", "unroll-whiles", "--json", timeout=30)
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        if trips is None:
            assert found["unknown_loops"]
        else:
            assert found["total"]["element_flops"] == 3 * trips + 1, found["total"]


def test_many_loops(call, tmp_path):
    write(tmp_path, counting(0, 1, "LT", 2_000_000_000, count=500))
    assert call("compile", "p.mlir", "-o", "p.so", timeout=60).returncode == 0
    write(tmp_path, doubled(60))
    assert call("compile", "p.mlir", "-o", "p.so", timeout=30).returncode == 0


def test_short_loops_are_their_iterations(call, tmp_path):
    """Unrolled loops give the same numbers as loops. A loop of more iterations than the limit isn't unrolled."""
    write(tmp_path, counting(0, 3, "LT", 10))
    for options in ([], ["--disable-pass", "unroll-whiles"]):
        text = call("plan", "p.mlir", "--stop-after", "simplify", *options).stdout
        assert ("stablehlo.while" in text) == bool(options)
        assert call("check", "p.mlir", *options).returncode == 0
    # One iteration more than the unroll limit.
    write(tmp_path, counting(0, 1, "LT", 17))
    assert "stablehlo.while" in call("plan", "p.mlir", "--stop-after", "simplify").stdout


def test_branches_that_only_move_are_linear(call, tmp_path):
    branches = ",\n".join(f"{{ %r{i} = stablehlo.constant dense<{i}.0> : tensor<4xf32>\n stablehlo.return %r{i} : tensor<4xf32> }}"
                          for i in range(4000))
    text = ("func.func @main(%i: tensor<i32>) -> tensor<4xf32> {\n %0 = \"stablehlo.case\"(%i) (" + branches +
            ") : (tensor<i32>) -> tensor<4xf32>\n return %0 : tensor<4xf32>\n}\n")
    done = call("compile", write(tmp_path, text), "-o", "p.so", "--compile-memory", "400MB", timeout=60)
    assert done.returncode == 0, done.stderr
    assert call("plan", "p.mlir", "--lock", "p.lock", timeout=30).returncode == 0
    # Each data movement in the lock names the branch operation itself, not all operations in the branch's regions.
    assert (tmp_path / "p.lock").stat().st_size < 4000 * 300


@pytest.mark.parametrize("source", ["p.mlir:1:1", "p.mlir:{}:1"])
def test_locks_of_many_kernels_are_compared(call, tmp_path, source):
    """Compares locks of many kernels. The source locations of the kernels' dots are all different, or all the same, as in a function that is
    called often."""
    kernel = "kernel gemm calls=1 flops={0} read=400 written=128\n  in f32[8x8]\n  out f32[4x8]\n  op stablehlo.dot_general {1}\n  op stablehlo.add a.mlir:1:1\n"
    for name, more in (("a", 0), ("b", 1)):
        text = "".join(kernel.format(1000 + i + more, source.format(i)) for i in range(60000))
        (tmp_path / f"{name}.lock").write_text("drumlin plan lock 2\nprogram p\ntarget avx512\narena 0\n" + text + "end\n")
    assert call("diff", "a.lock", "a.lock", timeout=60).returncode == 0
    done = call("diff", "a.lock", "b.lock", timeout=60)
    assert done.returncode == 5 and "flops" in done.stdout, done.stderr


@pytest.mark.parametrize("order", [1, -1])
def test_records_of_many_kernels_are_read(call, tmp_path, order):
    block = "kernel {:032x}\nsubject a dot\ntarget nobody\nversion 1\ncandidate a outside 1.0 ns 1.0\nwinner a rule hand\n"
    text = "drumlin tuning record 1\n" + "\n".join(block.format(i) for i in list(range(60000))[::order])
    (tmp_path / "record").write_text(text)
    done = call("compile", write(tmp_path, chain(2, [NEGATE])), "-o", "p.so", "--tune=require", "--tune-record", "record", timeout=60)
    assert done.returncode == 0, done.stderr
