"""`targets`: `--target` and `--target-cpu` accept every name that it lists, and what it says about a name is true of the compiled program."""
import json

import pytest

ADD = "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n  %y = stablehlo.add %x, %x : tensor<64xf32>\n  return %y : tensor<64xf32>\n}\n"
DOT = (
    "func.func @main(%x: tensor<64x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x64xf32> {\n"
    "  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xf32>\n"
    "  return %d : tensor<64x64xf32>\n}\n"
)


def listed(call):
    return json.loads(call("targets", "--json").stdout)


def test_every_listed_name_is_a_target(call, tmp_path):
    (tmp_path / "add.mlir").write_text(ADD)
    names = listed(call)
    assert set(names) == {"CPUs", "tensor engines", "GPUs"} and all(names.values())
    text = call("targets").stdout
    for kind, each in names.items():
        option = "--target-cpu" if kind == "CPUs" else "--target"
        other = "--target" if kind == "CPUs" else "--target-cpu"
        for name in each:
            assert f" {name}" in text
            assert call("plan", "add.mlir", option, name).returncode == 0, name
        refused = call("plan", "add.mlir", other, each[0])
        assert refused.returncode == 2 and "D3001" in refused.stderr and f"pass it as `{option}`" in refused.stderr


def test_a_cpu_says_what_it_is(call):
    told = json.loads(call("targets", "--json", "znver4,-avx512bf16").stdout)
    assert told["name"] == "znver4,-avx512bf16" and told["for"] == "code"
    assert "avx512bf16" not in told["features"] and "avx512vnni" in told["features"]
    assert told["register_bytes"] == 64 and told["registers"] == 32
    assert [unit["name"] for unit in told["units"]][0] == "fma"
    assert not any(unit["name"].startswith("bf16") for unit in told["units"])
    text = call("targets", "znver4,-avx512bf16").stdout
    assert all(feature in text for feature in told["features"])


@pytest.mark.parametrize("name", ["z80", "avx512,-nothing", "avx512,avx2", ""])
def test_unknown_names(call, name):
    result = call("targets", "--json", name) if name else call("compile", "none.mlir", "-o", "x.so", "--target-cpu", "z80")
    assert result.returncode != 0 and not result.stdout


def test_features_decide_the_unit(call, tmp_path):
    (tmp_path / "dot.mlir").write_text(DOT)
    (tmp_path / "half.mlir").write_text(DOT.replace("bf16", "f16"))

    def unit(target, *options, file="dot.mlir"):
        text = call("why", file, "--rule=select-schedule", "--target-cpu", target, *options).stdout
        return text.split("unit = ")[1].split(",")[0]

    assert unit("avx512") == "bf16_pairs"
    assert unit("avx512,-avx512bf16") == "fma"
    assert unit("avx512", "--numerics=strict") == "fma"
    assert unit("amx") == unit("sapphirerapids") == unit("avx512,+emulated-tiles") == "bf16_tiles"
    assert unit("amx", file="half.mlir") == "fma"
    assert unit("amx,+amx-fp16", file="half.mlir") == unit("graniterapids", file="half.mlir") == "f16_tiles"
    # The table of processors says that pair instructions of this model are slower than f32 multiply-adds.
    assert unit("sapphirerapids,-amx-tile") == "fma"


def test_strict_numerics_refuse_a_text_with_pairs(call, tmp_path):
    (tmp_path / "dot.mlir").write_text(DOT)
    target = ("--target-cpu", "avx512")
    assert call("compile", "dot.mlir", "--stop-after=select", "-o", "select.mlir", *target).returncode == 0
    assert "bf16_pairs" in (tmp_path / "select.mlir").read_text()
    result = call("compile", "select.mlir", "--start-from=select", "-o", "x.so", "--numerics=strict", *target)
    assert result.returncode == 3 and "D2021" in result.stderr and "bf16_pairs" in result.stderr
    assert not (tmp_path / "x.so").exists()


def test_tiles_are_instructions_of_processors_that_have_them(call, tmp_path):
    (tmp_path / "dot.mlir").write_text(DOT)
    made = call("compile", "dot.mlir", "-o", "x.so", "--no-cache", "--target-cpu", "amx", "--dump-llvm", "llvm")
    assert made.returncode == 0, made.stderr
    code = "".join(path.read_text() for path in (tmp_path / "llvm").iterdir())
    assert "llvm.x86.tdpbf16ps.internal" in code and "llvm.x86.tileloadd64.internal" in code
    with open("/proc/cpuinfo") as processors:
        has = "amx_bf16" in processors.read()
    result = call("run", "x.so", "--input", "random:1")
    assert result.returncode == 0 if has else "D6004" in result.stderr and "amx-bf16" in result.stderr
    emulated = call("compile", "dot.mlir", "-o", "y.so", "--no-cache", "--target-cpu", "avx512,+emulated-tiles", "--dump-llvm", "emulated")
    assert emulated.returncode == 0, emulated.stderr
    assert not any("llvm.x86.tdp" in path.read_text() for path in (tmp_path / "emulated").iterdir())


def test_an_image_of_a_named_cpu_gives_the_same_numbers(call, tmp_path):
    (tmp_path / "dot.mlir").write_text(DOT)
    for target in ("native,-fma", "native,-avx2", "x86-64-v2"):
        result = call("check", "dot.mlir", "--target-cpu", target)
        assert result.returncode == 0, result.stderr
