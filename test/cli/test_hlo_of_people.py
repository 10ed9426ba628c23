"""HLO as people write it and as older versions of XLA printed it: Drumlin reads what XLA's parser accepts, and computes the same results."""
import ml_dtypes
import numpy as np
import pytest

F32 = np.float32


def f8(*shape, type=ml_dtypes.float8_e4m3fn):
    return (np.random.default_rng(len(shape)).standard_normal(shape) * 4).astype(type)


def scaled(a, scale, block, axis):
    return a.astype(F32) * np.repeat(scale.astype(F32), block, axis)


LHS, RHS = f8(8, 64), f8(64, 16)
LHS_SCALE, RHS_SCALE = (np.array(2.0 ** np.arange(-4, 4).repeat(n).reshape(shape)).astype(ml_dtypes.float8_e8m0fnu)
                        for n, shape in ((2, (8, 2)), (4, (2, 16))))
HALVES = np.arange(24, dtype=F32).reshape(2, 3, 4) / 2
# Program text, arguments, and results.
PROGRAMS = {
    "no header": ("""
twice {
  q = f32[2,3]{1,0} parameter(0)
  ROOT s = f32[2,3]{1,0} add(q, q)
}

ENTRY e {
  a = f32[2,3]{1,0} parameter(0)
  ROOT r = f32[2,3]{1,0} fusion(a), kind=kLoop, calls=twice
}
""", [HALVES[0, :2, :3]], [HALVES[0, :2, :3] * 2]),
    "a lone computation": ("f {\n  a = f32[3] parameter(0)\n  ROOT r = f32[3] negate(a)\n}\n", [F32([1, 2, 3])], [F32([-1, -2, -3])]),
    "a signature first": ("f (a: f32[3]) -> f32[3] {\n  a = f32[3] parameter(0)\n  ROOT r = f32[3] negate(a)\n}\n",
                          [F32([1, 2, 3])], [F32([-1, -2, -3])]),
    "shapes left out": ("""
HloModule short
ENTRY e {
  a = f64[3] parameter(0)
  b = f64[3] parameter(1)
  c = add(a, b)
  t = tuple(c, a)
  d = get-tuple-element(t), index=0
  z = f64[] constant(0)
  s = reduce(d, z), dimensions={0}, to_apply={
    x = f64[] parameter(0)
    y = f64[] parameter(1)
    ROOT q = add(x, y)
  }
  m = multiply(d, a)
  ROOT r = tuple(m, s)
}
""", [np.array([1.0, 2, 3]), np.array([10.0, 20, 30])], [np.array([11.0, 44, 99]), np.array(66.0)]),
    "a number for the first element": ("""
HloModule short_literal
ENTRY e {
  a = f32[3,4] parameter(0)
  c = f32[3,4] constant(1)
  ROOT r = f32[3,4] add(a, c)
}
""", [np.full((3, 4), 2, F32)], [F32([[3, 2, 2, 2], [2] * 4, [2] * 4])]),
    "floats of two types": ("""
HloModule mixed
ENTRY e {
  a = f32[4] parameter(0)
  b = f16[4] parameter(1)
  m = f32[4] maximum(a, b)
  low = f16[4] add(a, a)
  less = pred[4] compare(b, a), direction=LT
  c = f32[8] concatenate(b, a), dimensions={0}
  p = f32[6] pad(a, f16[] constant(0.5)), padding=1_1
  s = f32[4] select(less, b, a)
  ROOT r = (f32[4], f16[4], pred[4], f32[8], f32[6], f32[4]) tuple(m, low, less, c, p, s)
}
""", [F32([1, 2, 1e-3, 70000]), np.float16([3, 1, 0.25, 5])],
        [F32([3, 2, 0.25, 70000]), np.float16([2, 4, 2e-3, np.inf]), np.array([0, 1, 0, 1], bool),
         F32([3, 1, 0.25, 5, 1, 2, 1e-3, 70000]), F32([0.5, 1, 2, 1e-3, 70000, 0.5]), F32([1, 1, 1e-3, 5])]),
    "integers of two types": ("""
HloModule mixed
ENTRY e {
  a = s8[2,3] parameter(0)
  b = s16[3,4] parameter(1)
  ROOT d = s32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""", [np.int8([[1, -2, 127], [-128, 5, 6]]), np.int16(np.arange(12).reshape(3, 4) * 2500)],
        [np.array([[1, -2, 127], [-128, 5, 6]], np.int32) @ (np.arange(12, dtype=np.int32).reshape(3, 4) * 2500)]),
    "signs of two kinds": ("""
ENTRY e {
  a = u8[1,2] parameter(0)
  b = s8[2,1] parameter(1)
  ROOT d = s32[1,1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""", [np.uint8([[255, 1]]), np.int8([[-128], [7]])], [np.int32([[255 * -128 + 7]])]),
    "a map over all dimensions": ("""
HloModule m
inc {
  p = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT s = f32[] add(p, one)
}
ENTRY e {
  a = f32[5] parameter(0)
  ROOT r = f32[5] map(a), to_apply=inc
}
""", [F32([1, 2, 3, 4, 5])], [F32([2, 3, 4, 5, 6])]),
    "a map over no dimensions": ("""
HloModule m
inc {
  p = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT s = f32[] add(p, one)
}
ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT r = f32[2,3] map(a), dimensions={}, to_apply=inc
}
""", [HALVES[0, :2, :3]], [HALVES[0, :2, :3] + 1]),
    "places as a vector": ("""
HloModule m
ENTRY e {
  a = f32[2,3,4] parameter(0)
  i = s32[3] parameter(1)
  b = f32[1,2,2] dynamic-slice(a, i), dynamic_slice_sizes={1,2,2}
  ROOT r = f32[2,3,4] dynamic-update-slice(a, b, s32[3] constant({1, 0, 0}))
}
""", [HALVES, np.int32([0, 1, 2])], [np.concatenate([HALVES[:1], np.where(np.pad(np.ones((1, 2, 2), bool), ((0, 0), (0, 1), (0, 2))),
                                                     np.pad(HALVES[:1, 1:3, 2:4], ((0, 0), (0, 1), (0, 2))), HALVES[1:])])]),
    "asynchronous operations in one word": ("""
HloModule m
work {
  p = f32[4] parameter(0)
  ROOT s = f32[4] add(p, p)
}
ENTRY e {
  a = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) call-start(a), to_apply=work
  u = ((f32[4]), f32[4], s32[]) call-update(s)
  d = f32[4] call-done(u)
  t = ((f32[4]), f32[2], s32[]) slice-start(d), slice={[1:3]}
  e = f32[2] slice-done(t)
  f = ((f32[4]), f32[4], s32[]) fusion-start(a), kind=kLoop, calls=work, async_execution_thread="x"
  g = f32[4] fusion-done(f)
  ROOT r = (f32[4], f32[2], f32[4]) tuple(d, e, g)
}
""", [F32([1, 2, 3, 4])], [F32([2, 4, 6, 8]), F32([4, 6]), F32([2, 4, 6, 8])]),
    # A text of a single instruction has no parameter declarations: the operands are the parameters, in the order in which they are written.
    "one instruction": ("ROOT r = f32[3]{0} subtract(f32[3]{0} %b, f32[3]{0} %a)\n", [F32([5, 7, 9]), F32([1, 2, 3])],
                        [F32([4, 5, 6])]),
    "one instruction without names": ("f32[3] select(pred[3], f32[3] negate(f32[3]), f32[3])",
                                      [np.array([1, 0, 1], bool), F32([1, 2, 3]), F32([4, 5, 6])], [F32([-1, 5, -3])]),
    "one instruction with its computation": ("""
f32[2] reduce(f32[2,3] a, f32[] z), dimensions={1}, to_apply=
{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
""", [HALVES[0, :2, :3], F32(10)], [HALVES[0, :2, :3].sum(1) + 10]),
    "elements named by operands": ("""
HloModule elements
ENTRY e {
  p = (f32[3], (s32[3], f32[3])) parameter(0)
  a = f32[3] add(f32[3] %p#0, p#1#1)
  ROOT t = ((s32[3], f32[3]), f32[3]) tuple(p#1, a)
}
""", [F32([1, 2, 3]), np.int32([7, 8, 9]), F32([10, 20, 30])], [np.int32([7, 8, 9]), F32([10, 20, 30]), F32([11, 22, 33])]),
    "asynchronous operands that are bound late": ("""
HloModule late
minus {
  p = f32[3] parameter(0)
  q = f32[3] parameter(1)
  ROOT s = f32[3] subtract(p, q)
}
both {
  p = f32[3] parameter(0)
  ROOT t = (f32[3], f32[3]) tuple(p, f32[3] negate(p))
}
ENTRY e {
  a = f32[3] parameter(0)
  b = f32[3] parameter(1)
  start = ((f32[3]), (), s32[]) async-start(a), calls=minus
  next = ((f32[3], f32[3]), f32[3]) async-update(start, b)
  last = ((f32[3], f32[3]), f32[3]) async-update(next)
  early = f32[3] get-tuple-element(next), index=1
  done = f32[3] async-done(last)
  s0 = ((), (), s32[]) call-start(), to_apply=both
  s1 = ((f32[3]), ()) call-update(s0, a)
  pair = (f32[3], f32[3]) call-done(s1)
  ROOT r = (f32[3], f32[3], (f32[3], f32[3])) tuple(done, early, pair)
}
""", [F32([5, 7, 9]), F32([1, 2, 3])], [F32([4, 5, 6]), F32([4, 5, 6]), F32([5, 7, 9]), F32([-5, -7, -9])]),
    "buffers": ("""
HloModule pinned
ENTRY e {
  a = f32[3] parameter(0)
  b = b(f32[3]) custom-call(a), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
  w = (s32[], b(f32[3])) while((s32[], b(f32[3])) tuple(s32[] constant(0), b)), condition={
    c = (s32[], b(f32[3])) parameter(0)
    ROOT go = pred[] compare(c#0, s32[] constant(3)), direction=LT
  }, body={
    c = (s32[], b(f32[3])) parameter(0)
    ROOT t = (s32[], b(f32[3])) tuple(s32[] add(c#0, s32[] constant(1)), c#1)
  }
  ROOT r = f32[3] custom-call(w#1), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}
}
""", [F32([1, 2, 3])], [F32([1, 2, 3])]),
    "bitcasts to other widths": ("""
HloModule widths
ENTRY e {
  a = f32[2,3]{0,1} parameter(0)
  b = u16[12]{0} bitcast(a)
  c = f32[3,2]{1,0} bitcast(b)
  ROOT r = (u16[12]{0}, f32[3,2]{1,0}) tuple(b, c)
}
""", [F32([[1, 2, 3], [4, 5, 6]])], [F32([1, 4, 2, 5, 3, 6]).view(np.uint16), F32([[1, 4], [2, 5], [3, 6]])]),
    "bitcasts of tiles that are filled up": ("""
HloModule tiles
ENTRY e {
  a = f32[6,3]{1,0:T(4,4)} parameter(0)
  b = f32[6,3]{1,0:T(8,2)} bitcast(a)
  c = s32[1]{0:T(128)} parameter(1)
  d = s32[]{:T(128)} bitcast(c)
  ROOT r = (f32[6,3], s32[]) tuple(b, d)
}
""", [np.arange(1, 19, dtype=F32).reshape(6, 3), np.int32([7])],
        [np.pad(np.arange(1, 19, dtype=F32).reshape(6, 3), ((0, 2), (0, 1))).ravel().reshape(2, 8, 2).transpose(1, 0, 2).reshape(8, 4)[:6, :3],
         np.int32(7)]),
    "values before a token": ("""
HloModule order
ENTRY e {
  a = f32[3] parameter(0)
  t = token[] after-all(a)
  ROOT r = f32[3] add-dependency(a, t)
}
""", [F32([1, 2, 3])], [F32([1, 2, 3])]),
    "what libraries are told": ("""
HloModule kinds
ENTRY e {
  a = f32[1,4,1] parameter(0)
  k = f32[2,1,1] parameter(1)
  c = f32[1,3,1] convolution(a, k), window={size=2}, dim_labels=b0f_0io->b0f, convolution_kind=fprop
  v = f32[3] reshape(c)
  t = (f32[2], s32[2]) topk(v), k=2, largest=true, is_stable=true
  ROOT r = (f32[1,3,1], (f32[2], s32[2])) tuple(c, t)
}
""", [F32([[[1], [2], [3], [5]]]), F32([[[1]], [[10]]])], [F32([[[21], [32], [53]]]), F32([53, 32]), np.int32([2, 1])]),
    "reductions of floats of several types": ("""
HloModule sums
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  a = f16[4] parameter(0)
  z = f32[] constant(0.125)
  r = f16[] reduce(a, z), dimensions={0}, to_apply=add
  w = f32[2] reduce-window(a, z), window={size=2 stride=2}, to_apply=add
  ROOT t = (f16[], f32[2]) tuple(r, w)
}
""", [np.float16([2048, 1, 1, 0.5])], [np.float16(2050.625), F32([2049.125, 1.625])]),
    # A magnitude is rounded up if its random number is less than the magnitude's fraction times 2^32 or 2^16.
    "rounding by random numbers": ("""
HloModule stochastic
ENTRY e {
  a = f32[8] parameter(0)
  r = u32[8] parameter(1)
  h = f16[3] parameter(2)
  q = u16[3] parameter(3)
  s = s8[8] stochastic-convert(a, r)
  w = s32[3] stochastic-convert(h, q)
  ROOT t = (s8[8], s32[3]) tuple(s, w)
}
""", [F32([1.25, 1.25, -1.25, -1.25, 300, -300, np.nan, 126.5]), np.uint32([2**30 - 1, 2**30, 2**30 - 1, 2**30, 0, 0, 0, 0]),
      np.float16([2.5, 2.5, -0.5]), np.uint16([2**15 - 1, 2**15, 0])],
        [np.int8([2, 1, -2, -1, 127, -128, 0, 127]), np.int32([3, 2, -1])]),
    "starts of collectives": ("""
HloModule starts
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  s0 = f32[2] all-reduce-start(a), replica_groups={{0}}, to_apply=add
  d0 = f32[2] all-reduce-done(s0)
  s1 = (f32[2], f32[2]) all-reduce-start(a, b), replica_groups={{0}}, to_apply=add
  d1 = (f32[2], f32[2]) all-reduce-done(s1)
  s2 = (f32[2], f32[2]) all-reduce-start(b), replica_groups={{0}}, to_apply=add
  d2 = f32[2] all-reduce-done(s2)
  s3 = f32[2] all-gather-start(a), replica_groups={{0}}, dimensions={0}
  d3 = f32[2] all-gather-done(s3)
  s4 = f32[2] collective-permute-start(b), source_target_pairs={{0,0}}
  d4 = f32[2] collective-permute-done(s4)
  ROOT r = (f32[2], (f32[2], f32[2]), f32[2], f32[2], f32[2]) tuple(d0, d1, d2, d3, d4)
}
""", [F32([1, 2]), F32([3, 4])], [F32([1, 2]), F32([1, 2]), F32([3, 4]), F32([3, 4]), F32([1, 2]), F32([3, 4])]),
    "collectives of several operands": ("""
HloModule several
ENTRY e {
  a = f32[2] parameter(0)
  b = s32[3] parameter(1)
  p = (f32[2], s32[3]) collective-permute(a, b), source_target_pairs={{0,0}}
  s = ((f32[2], s32[3]), (f32[2], s32[3])) collective-permute-start(a, b), source_target_pairs={{0,0}}
  d = (f32[2], s32[3]) collective-permute-done(s)
  ROOT r = ((f32[2], s32[3]), (f32[2], s32[3])) tuple(p, d)
}
""", [F32([1, 2]), np.int32([3, 4, 5])], [F32([1, 2]), np.int32([3, 4, 5])] * 2),
}


def text_of(value):
    names = {np.dtype(ml_dtypes.float8_e4m3fn): "f8e4m3fn", np.dtype(ml_dtypes.float8_e8m0fnu): "f8e8m0fnu"}
    return f"{names[value.dtype]}[{','.join(map(str, value.shape))}]"


def run(call, folder, text, arguments, results, *options):
    (folder / "m.hlo").write_text(text)
    np.savez(folder / "in.npz", **{f"in{i}": each for i, each in enumerate(arguments)})
    done = call("run", "m.hlo", *(("--input", "in.npz") if arguments else ()), "--output", "out.npz", *options)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as got:
        return [got[f"out{i}"] for i in range(len(results))]


@pytest.mark.parametrize("way", [(), ("--interpret",)], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_computes_what_xla_computes(call, tmp_path, name, way):
    text, arguments, results = PROGRAMS[name]
    for got, expected in zip(run(call, tmp_path, text, arguments, results, *way), results):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


# Each block of an operand is multiplied by its scale. Scales are powers of two, so that the products are exact in bf16.
def test_scaled_dot(call, tmp_path):
    operands = {"a": LHS, "b": RHS, "as": LHS_SCALE, "bs": RHS_SCALE}
    lines = [f"  {name} = {text_of(value)} parameter({i})" for i, (name, value) in enumerate(operands.items())]
    text = "HloModule m\nENTRY e {\n" + "\n".join(lines) + """
  ROOT r = f32[8,16] scaled-dot(a, b, as, bs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
    expected = scaled(LHS, LHS_SCALE, 32, 1).astype(np.float64) @ scaled(RHS, RHS_SCALE, 32, 0).astype(np.float64)
    for way in ((), ("--interpret",)):
        got, = run(call, tmp_path, text, [each.view(np.uint8) for each in operands.values()], [expected], *way)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5 * abs(expected).max())


GATHER = """HloModule m
ENTRY e {
  a = f32[4,8] parameter(0)
  ROOT r = f32[16,8] all-gather(a), dimensions={0}
}
"""


# A collective without groups spans all processes of the run.
def test_groups_left_out(call, tmp_path):
    a = np.arange(32, dtype=F32).reshape(4, 8)
    got, = run(call, tmp_path, GATHER, [a], [a], "--replicas", "4")
    np.testing.assert_array_equal(got, np.concatenate([a] * 4))
    alone = call("compile", "m.hlo", "-o", "m.so")
    assert alone.returncode == 3 and "D4013" in alone.stderr and "m.hlo:4:8" in alone.stderr, alone.stderr
    assert "--replicas" in alone.stderr


RAGGED = """HloModule ragged, replica_count=2
ENTRY e {
  a = f32[4] parameter(0)
  id = u32[] replica-id()
  by = f32[] multiply(f32[] convert(id), f32[] constant(100))
  more = f32[4] broadcast(by), dimensions={}
  input = f32[4] add(a, more)
  output = f32[6] constant({-1, -2, -3, -4, -5, -6})
  i = s32[] convert(id)
  zero = s32[] constant(0)
  begins = s32[1,2] dynamic-slice(s32[2,2] constant({{0,1},{2,0}}), i, zero), dynamic_slice_sizes={1,2}
  sizes = s32[1,2] dynamic-slice(s32[2,2] constant({{1,3},{2,1}}), i, zero), dynamic_slice_sizes={1,2}
  places = s32[1,2] dynamic-slice(s32[2,2] constant({{0,1},{3,5}}), i, zero), dynamic_slice_sizes={1,2}
  come = s32[1,2] dynamic-slice(s32[2,2] constant({{1,2},{3,1}}), i, zero), dynamic_slice_sizes={1,2}
  r = f32[6] ragged-all-to-all(input, output, s32[2] reshape(begins), s32[2] reshape(sizes), s32[2] reshape(places), s32[2] reshape(come)), replica_groups={{0,1}}
  ROOT all = f32[12] all-gather(r), dimensions={0}, replica_groups={{0,1}}
}
"""


# Each process sends slices to all processes; their lengths and offsets differ.
def test_ragged_exchange(call, tmp_path):
    got, = run(call, tmp_path, RAGGED, [F32([1, 2, 3, 4])], [0], "--replicas", "2")
    np.testing.assert_array_equal(got, F32([1, -2, -3, 103, 104, -6, -1, 2, 3, 4, -5, 101]))


ELIDED = """HloModule left_out
ENTRY e {
  a = f32[31] parameter(0)
  c = f32[31] constant({...})
  i = s32[40] constant({...})
  ROOT r = (f32[31], s32[40]) tuple(f32[31] add(a, c), i)
}
"""


def test_values_left_out(call, tmp_path):
    (tmp_path / "m.hlo").write_text(ELIDED)
    np.save(tmp_path / "a.npy", np.ones(31, F32))
    for command in (("cost", "m.hlo"), ("plan", "m.hlo"), ("why", "m.hlo"), ("print", "m.hlo"), ("compile", "m.hlo", "-o", "m.so")):
        done = call(*command)
        assert done.returncode == 0, (command, done.stderr)
    exact = call("print", "m.hlo", "--exact")
    assert exact.stdout == ELIDED
    for command in (("run", "m.hlo", "--input", "a.npy"), ("run", "m.so", "--input", "a.npy"), ("run", "m.hlo", "--interpret", "--input", "a.npy"),
                    ("check", "m.hlo"), ("convert", "m.hlo", "-o", "m.mlir", "--emit", "text")):
        done = call(*command)
        assert done.returncode == 3 and "D2013" in done.stderr and "m.hlo:4:3" in done.stderr, (command, done.stderr)
    filled, numbers = run(call, tmp_path, ELIDED, [np.ones(31, F32)], [0, 0], "--fill-elided", "zeros")
    assert (filled == 1).all() and (numbers == 0).all()
    seeds = [run(call, tmp_path, ELIDED, [np.zeros(31, F32)], [0, 0], "--fill-elided", f"random:{seed}") for seed in (1, 1, 2)]
    np.testing.assert_array_equal(seeds[0][0], seeds[1][0])
    assert (seeds[0][0] != seeds[2][0]).any() and (abs(seeds[0][0]) <= 1).all() and len(set(seeds[0][0])) == 31
    assert seeds[0][1].min() >= 0 and seeds[0][1].max() <= 15 and len(set(seeds[0][1])) > 4
    bad = call("run", "m.hlo", "--input", "a.npy", "--fill-elided", "ones")
    assert bad.returncode == 2 and "random:SEED" in bad.stderr, bad.stderr


@pytest.mark.parametrize("text,place,words", [
    ("ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT c = pred[2] compare(a, a), direction=LT, type=SIGNED\n}\n", "3:8", "`type` of `compare`"),
    ("ENTRY e {\n  a = s32[2] parameter(0)\n  ROOT c = pred[2] compare(a, a), direction=LT, type=TOTALORDER\n}\n", "3:8", "`type` of `compare`"),
    ("ENTRY e {\n  ROOT a = f32[2] parameter(0), sharding={devices=[2,2]<=[8]}\n}\n", "2:8", "a different number of devices"),
    ("ENTRY e {\n  ROOT a = f32[2] parameter(0), sharding={devices=[2,2]<=[2,2]T(0,0)}\n}\n", "2:8", "a different number of devices"),
    ("ENTRY e {\n  ROOT a = f32[2] parameter(0), sharding={devices=[2,2]0,1}\n}\n", "2:8", "a different number of devices"),
    ("ENTRY e {\n  ROOT a = (f32[2], f32[]) parameter(0), sharding={{replicated}, {devices=[3]<=[2]}}\n}\n", "2:8", "a different number of devices"),
    ("ENTRY e {\n  ROOT a = f32[2] iota(), iota_dimension=0\n}\nENTRY f {\n  ROOT a = f32[2] iota(), iota_dimension=0\n}\n", "4:1", "second `ENTRY`"),
    ("ENTRY e {\n  ROOT a = iota(), iota_dimension=0\n}\n", "2:8", "shape of `a` is left out"),
    ("ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = add(a, f32[3] constant({1, 2, 3}))\n}\n", "3:8", "different sizes"),
    ("ENTRY e {\n  a = f32[1,3] parameter(0)\n  b = f32[2,3] parameter(1)\n  ROOT c = add(a, b)\n}\n", "4:8", "stablehlo.add"),
    ("ENTRY e {\n  a = f32[3] parameter(0)\n  ROOT c = broadcast(a), dimensions={0}\n}\n", "3:8", "broadcast_in_dim"),
    ("ENTRY e {\n  ROOT c = f32[0] constant(1)\n}\n", "2:8", "but the shape has none"),
    ("ENTRY e {\n  ROOT c = f32[2,2] constant({{1, 2}, {...}})\n}\n", "2:8", "a part that was elided"),
])
def test_what_xla_refuses(call, tmp_path, text, place, words):
    (tmp_path / "m.hlo").write_text(text)
    done = call("compile", "m.hlo", "-o", "m.so")
    assert done.returncode == 3 and f"m.hlo:{place}" in done.stderr and words in done.stderr, done.stderr


def test_options_name_parameters(call, tmp_path):
    """Options select parameters by their names in the module; `NAME.INDEX` selects an element of a tuple."""
    (tmp_path / "named.hlo").write_text("""HloModule named
ENTRY e {
  x = f32[4,64] parameter(0)
  p = (f32[64,64], f32[64]) parameter(1)
  w = f32[64,64] get-tuple-element(p), index=0
  b = f32[64] get-tuple-element(p), index=1
  d = f32[4,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[4,64] broadcast(b), dimensions={1}
  ROOT r = f32[4,64] add(d, c)
}
""")
    assert "argument `p.0`" in call("plan", "named.hlo", "--target=sm_90").stdout
    assert "--static-args p.0" in call("cost", "named.hlo", "--target=inf2").stdout
    assert call("cost", "named.hlo", "--target=inf2", "--static-args=p.*").returncode == 0
    unknown = call("cost", "named.hlo", "--target=inf2", "--static-args=p.7")
    assert unknown.returncode == 2 and "did you mean `p.0`?" in unknown.stderr
