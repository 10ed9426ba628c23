"""HLO modules as protocol buffers: Drumlin reads XLA's bytes as XLA prints them, and XLA reads Drumlin's bytes."""
import pathlib
import re
import subprocess

import pytest
from jaxlib import _hlo

import reference
from case import module
from test_differential import FAMILIES, cases_of

MODELS = sorted(path.parent.name for path in (pathlib.Path(__file__).parents[1] / "models").glob("*/optimized.hlo"))

# Programs with opcodes and attributes that no other test's program has.
INSTRUCTIONS = {
    "literals": """
  a = f32[2,3,2]{2,1,0} constant({ { {1,2},{3,4},{5,1e-7} }, { {inf,-inf},{nan,-nan},{1e20,3.14159274} } })
  b = pred[3]{0} constant({true,false,true})
  c = pred[] constant(true)
  d = c64[2]{0} constant({(1,2),(3.5,-inf)})
  e = s4[2,2]{1,0} constant({ {1,-2},{3,4} })
  f = f8e4m3fn[3]{0} constant({1.5,448,nan})
  g = f32[0,2]{1,0} constant({})
  h = f32[2,0]{1,0} constant({ {}, {} })
  i = bf16[3]{0} constant({1.5,0.1,1e-5})
  j = f16[3]{0} constant({1.5,0.1,1e-5})
  k = f64[3]{0} constant({1.5,0.1,1e-5})
  l = s64[] constant(-9223372036854775808)
  n = f32[2]{0:T(128)S(1)} constant({0.1, 1e+06})
  o = (f32[2]{0}, s32[]) constant(({1,2}, 3))
  p = f32[2,2,1,2]{3,2,1,0} constant({ { { {1,2} }, { {3,4} } }, { { {5,6} }, { {7,8} } } })
  r = f32[3,2]{0,1} constant({ {1,2},{4,5},{7,8} })
  s = f32[2,1,2,1]{3,2,1,0} constant({ { { {1},{2} } }, { { {1},{2} } } })
  ROOT t = f32[2] add(n, n)""",
    "attributes": r"""
  p = f32[8]{0} parameter(0), frontend_attributes={a="1",b={x={y="2"}}}, parameter_replication={true}, sharding={devices=[8]<=[8]}
  q = f32[8]{0} parameter(1), sharding={replicated}, metadata={op_type="t" op_name="n \"q\"" source_file="f.py" source_line=3 source_end_line=4 source_column=5 source_end_column=6 scheduling_name="s" deduplicated_name="d"}
  c = f32[8]{0} custom-call(p, q), custom_call_target="foo\"x", operand_layout_constraints={f32[8]{0}, f32[8]{0}}, custom_call_has_side_effect=true, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, backend_config="a \n b", output_to_operand_aliasing={{}: (0, {})}
  e = f32[8]{0} exponential(c), result_accuracy={mode=highest}
  f = f32[8]{0} exponential(c), result_accuracy={tolerance={atol=0.5,rtol=0,ulps=3}}
  ROOT t = (f32[8]{0}, f32[8]{0}) tuple(e, c), backend_config={"a":1}, control-predecessors={p, q}, origin={({"x"}, {"y" {0}})}""",
    "shardings": """
  a = f32[8,8]{1,0} parameter(0), sharding={devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}
  b = f32[8,8]{1,0} parameter(1), sharding={devices=[2,2]0,2,1,3}
  c = f32[8,8]{1,0} parameter(2), sharding={maximal device=3}
  d = f32[8,8]{1,0} parameter(3), sharding={devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}
  e = f32[8,8]{1,0} parameter(4), sharding={manual}
  f = f32[8,8]{1,0} parameter(5), sharding={replicated metadata={op_name="x"}}
  g = f32[8,8]{1,0} parameter(6), sharding={devices=[2,2]<=[4] shard_as 1}
  ROOT t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(a, b), sharding={{replicated}, {devices=[2,2]<=[4]}}""",
    "linear algebra": """
  p = f32[4,4]{1,0} parameter(0)
  a = f32[4,4]{1,0} triangular-solve(p, p), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  b = f32[4,4]{1,0} triangular-solve(p, p), unit_diagonal=true, transpose_a=ADJOINT
  c = f32[4,4]{1,0} cholesky(p), lower=true
  d = f32[4,4]{1,0} cholesky(p)
  e = pred[4,4]{1,0} compare(p, p), direction=LT, type=TOTALORDER
  f = f32[4,4]{1,0} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,highest}
  g = f32[4,4]{1,0} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32
  h = f32[4,4]{1,0} slice(p), slice={[0:4], [0:4]}
  ROOT r = f32[4,4]{1,0} copy(f)""",
    "collectives": """
  p = f32[4,4]{1,0} parameter(0)
  a = f32[8,4]{1,0} all-gather(p), channel_id=1, replica_groups=[1,2]<=[2], dimensions={0}, use_global_device_ids=true
  b = f32[4,4]{1,0} collective-permute(p), channel_id=2, source_target_pairs={{0,1},{1,0}}
  c = f32[4,4]{1,0} all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=add
  d = f32[2,4]{1,0} reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add
  e = f32[4,4]{1,0} all-to-all(p), replica_groups={{0,1}}, dimensions={0}
  f = f32[4,4]{1,0} collective-broadcast(p), replica_groups={{0,1}}
  g = f32[4,4]{1,0} all-reduce-start(p), replica_groups={}, to_apply=add
  h = f32[4,4]{1,0} all-reduce-done(g)
  i = (f32[4,4]{1,0}, f32[8,4]{1,0}) all-gather-start(p), replica_groups={{0,1}}, dimensions={0}
  j = f32[8,4]{1,0} all-gather-done(i)
  k = (f32[4,4]{1,0}, f32[4,4]{1,0}) collective-permute-start(p), source_target_pairs={{0,1}}
  l = f32[4,4]{1,0} collective-permute-done(k)
  m = u32[] partition-id()
  n = (f32[4,4]{1,0}, f32[4,4]{1,0}, u32[]) copy-start(p)
  o = f32[4,4]{1,0} copy-done(n)
  ROOT r = f32[4,4]{1,0} copy(c)""",
    "transfers": """
  p = f32[4,4]{1,0} parameter(0)
  t = token[] after-all()
  a = ((f32[4]{0}), token[]) infeed(t), infeed_config="abc"
  b = token[] outfeed(p, t), outfeed_config="x", outfeed_shape=f32[4,4]{1,0}
  c = (f32[4,4]{1,0}, u32[], token[]) send(p, t), channel_id=3, is_host_transfer=true
  d = token[] send-done(c), channel_id=3, is_host_transfer=true
  e = (f32[4]{0}, u32[], token[]) recv(t), channel_id=4
  f = (f32[4]{0}, token[]) recv-done(e), channel_id=4
  ROOT r = f32[4,4]{1,0} copy(p)""",
    "random numbers": """
  a = f32[] constant(1)
  b = f32[4]{0} rng(a, a), distribution=rng_uniform
  c = u64[2]{0} constant({1,2})
  d = (u64[2]{0}, u32[4]{0}) rng-bit-generator(c), algorithm=rng_default
  e = u64[1]{0} rng-get-and-update-state(), delta=4
  f = f32[4]{0} reduce-precision(b), exponent_bits=5, mantissa_bits=10
  g = (f32[2]{0}, s32[2]{0}) topk(b), k=2, largest=true
  ROOT r = f32[4]{0} copy(f)""",
}
COMPUTATIONS = """
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
"""


def print_options():
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return options


def proto_of(text):
    """Returns the module's bytes, and XLA's text for them."""
    data = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    return data, _hlo.HloModule.from_serialized_hlo_module_proto(data).to_string(print_options())


def printed(build_folder, folder, data, *, fails=False):
    (folder / "module.pb").write_bytes(data)
    done = subprocess.run([build_folder / "bin" / "drumlin", "print", "--exact", "module.pb"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


def converted(build_folder, folder, name, format):
    done = subprocess.run([build_folder / "bin" / "drumlin", "convert", name, "--emit", format, "-o", "out"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "out").read_bytes()


def without_frames(text):
    """Removes stack frames, which XLA renumbers in an order that depends on computation ids."""
    text = re.sub(r"FileNames\n.*?\n\n\n", "", text, flags=re.S)
    return re.sub(r" ?stack_frame_id=\d+", "", text)


def without_origins(text):
    return re.sub(r", origin=\{\(.*?\)\}", "", text)


def check(build_folder, folder, text):
    data, expected = proto_of(text)
    assert printed(build_folder, folder, data) == expected
    (folder / "module.hlo").write_text(expected)
    data = converted(build_folder, folder, "module.hlo", "hlo-proto")
    read = _hlo.HloModule.from_serialized_hlo_module_proto(data).to_string(print_options())
    assert without_frames(read) == without_frames(without_origins(expected))
    # The text form agrees, except for the sign of NaN.
    if "-nan" in expected:
        return
    (folder / "module.pbtxt").write_bytes(converted(build_folder, folder, "module.hlo", "hlo-proto-text"))
    assert converted(build_folder, folder, "module.pbtxt", "hlo-proto") == data


@pytest.mark.parametrize("model", MODELS)
def test_models(build_folder, tmp_path, model):
    check(build_folder, tmp_path, (pathlib.Path(__file__).parents[1] / "models" / model / "optimized.hlo").read_text())


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions(build_folder, tmp_path, name):
    header = ", input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }" if name == "attributes" else ""
    check(build_folder, tmp_path, f"HloModule m{header}\n{COMPUTATIONS}\nENTRY main {{{INSTRUCTIONS[name]}\n}}\n")


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_families(build_folder, tmp_path, family):
    for cases in cases_of(family).values():
        check(build_folder, tmp_path, reference.hlo_text(module(cases, reference=True)))


# Asynchronous operations that HLO text abbreviates: `slice-start` is an `async-start` whose computation is a slice.
ASYNCHRONOUS = """
  p = f32[4]{0} parameter(0)
  q = f32[4]{0} parameter(1)
  s = ((f32[4]{0}, f32[4]{0}), f32[4]{0}, u32[]) custom-call-start(p, q), custom_call_target="foo", metadata={op_name="x"}
  u = ((f32[4]{0}, f32[4]{0}), f32[4]{0}, u32[]) custom-call-update(s)
  d = f32[4]{0} custom-call-done(u)
  a = ((f32[4]{0}), f32[2]{0}, s32[]) slice-start(p), async_execution_thread="t", slice={[0:2]}
  b = f32[2]{0} slice-done(a)
  f = ((f32[4]{0}, f32[4]{0}), f32[4]{0}, s32[]) fusion-start(p, q), kind=kLoop, calls=sum, control-predecessors={d}
  g = f32[4]{0} fusion-done(f)
  ROOT t = (f32[4]{0}, f32[2]{0}, f32[4]{0}) tuple(d, b, g)"""


@pytest.mark.parametrize("header", ["", ", is_scheduled=true"])
def test_asynchronous_operations_in_one_word(build_folder, tmp_path, header):
    """Drumlin writes abbreviated asynchronous operations (`slice-start`) to the same protocol buffer as XLA, from which XLA prints the same
    abbreviations."""
    around = "\nsum {\n  x = f32[4]{0} parameter(0)\n  y = f32[4]{0} parameter(1)\n  ROOT z = f32[4]{0} add(x, y)\n}\n"
    _, expected = proto_of(f"HloModule m{header}\n{around}\nENTRY main {{{ASYNCHRONOUS}\n}}\n")
    (tmp_path / "module.hlo").write_text(expected)
    data = converted(build_folder, tmp_path, "module.hlo", "hlo-proto")
    assert _hlo.HloModule.from_serialized_hlo_module_proto(data).to_string(print_options()) == expected
    assert "async-start(" in printed(build_folder, tmp_path, data)


def test_program(build_folder, tmp_path):
    """A StableHLO program is written as the same HLO as with `--emit hlo`."""
    (tmp_path / "f.mlir").write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = stablehlo.tanh %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n")
    module = _hlo.HloModule.from_serialized_hlo_module_proto(converted(build_folder, tmp_path, "f.mlir", "hlo-proto"))
    assert "tanh(" in module.to_string()


def test_wrong_text_form(build_folder, tmp_path):
    error = printed(build_folder, tmp_path, b'name: "m"\ncomputations {\n  nam: "e"\n}\n', fails=True)
    assert error.startswith("module.pb:3:") and "error D2005: in the text form of a proto: " in error


def test_elided_constant(build_folder, tmp_path):
    """Constants elided in the text can't be written."""
    (tmp_path / "m.hlo").write_text("HloModule m\n\nENTRY %e () -> f32[64] {\n  ROOT %c = f32[64]{0} constant({...})\n}\n")
    done = subprocess.run([build_folder / "bin" / "drumlin", "convert", "m.hlo", "--emit", "hlo-proto", "-o", "out"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 4 and "error D4007: an HLO proto can't represent the constant of instruction `c`" in done.stderr, done.stderr


def test_wrapped_module(build_folder, tmp_path):
    """`HloProto`, as `xla_dump_to` writes it, contains the module in its first field."""
    data, expected = proto_of(f"HloModule m\n{COMPUTATIONS}\nENTRY main {{{INSTRUCTIONS['literals']}\n}}\n")
    length = bytearray()
    size = len(data)
    while size >= 128:
        length.append(size % 128 + 128)
        size //= 128
    assert printed(build_folder, tmp_path, b"\n" + length + bytes([size]) + data) == expected


def test_truncated_module(build_folder, tmp_path):
    data, _ = proto_of(f"HloModule m\n{COMPUTATIONS}\nENTRY main {{{INSTRUCTIONS['literals']}\n}}\n")
    error = printed(build_folder, tmp_path, data[:len(data) // 2], fails=True)
    assert error.startswith("module.pb:") and "error D2012: malformed field in the HLO module" in error
