"""drumlin plan --lock and drumlin diff: compares plans by what they fuse, read, write and cost."""
import json

import pytest

DENSE = """module @dense {
  func.func public @main(%x: tensor<256x512xf32>, %w: tensor<512x64xf32>, %b: tensor<64xf32>) -> tensor<256x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x64xf32>) -> tensor<256x64xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<256x64xf32>
    %2 = stablehlo.add %0, %1 : tensor<256x64xf32>
    %3 = stablehlo.tanh %2 : tensor<256x64xf32>
    return %3 : tensor<256x64xf32>
  }
}
"""


@pytest.fixture
def locks(call, tmp_path):
    """Writes locks of the program with and without its fusion."""
    (tmp_path / "dense.mlir").write_text(DENSE)
    assert call("plan", "dense.mlir", "--lock", "fused.lock").returncode == 0
    assert call("plan", "dense.mlir", "--lock", "apart.lock", "--disable-pass", "gemm-absorb-consumer").returncode == 0
    return "fused.lock", "apart.lock"


def test_a_lock_says_what_is_computed(locks, tmp_path, call):
    text = (tmp_path / "fused.lock").read_text()
    lines = text.splitlines()
    assert lines[0] == "drumlin plan lock 2" and lines[-1] == "end"
    assert [line for line in lines if line.startswith("kernel ")] == [lines[4]] and lines[4].startswith("kernel gemm calls=1 ")
    for line in ("  in f32[256x512] f32[512x64] f32[64]", "  out f32[256x64]", "  part bias", "  part tanh",
                 "  op stablehlo.dot_general dense.mlir:3:10", "  op stablehlo.tanh dense.mlir:6:10"):
        assert line in lines, text
    assert call("plan", "dense.mlir", "--lock", "again.lock").returncode == 0
    assert (tmp_path / "again.lock").read_text() == text


def test_equal_plans(call, locks):
    result = call("diff", "dense.mlir", "fused.lock", "--exact")
    assert (result.returncode, result.stdout) == (0, "the plans are the same\n")


def test_a_lost_fusion_fails(call, locks):
    result = call("diff", "fused.lock", "apart.lock")
    assert result.returncode == 5 and "error D5013" in result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("worse: fusion lost: gemm of stablehlo.dot_general dense.mlir:3:10 is now 2 kernels: ")
    assert "worse: kernels: 1 → 2" in lines and any(line.startswith("worse: bytes: ") for line in lines)


def test_a_won_fusion_does_not(call, locks):
    result = call("diff", "apart.lock", "fused.lock")
    assert result.returncode == 0
    assert "fusion won: gemm of stablehlo.dot_general dense.mlir:3:10 was 2 kernels: " in result.stdout
    assert call("diff", "apart.lock", "fused.lock", "--exact").returncode == 5


def test_types_and_parts(call, locks, tmp_path):
    # The same source lines, but with bf16 instead of f32 and negate instead of tanh.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "dense.mlir").write_text(DENSE.replace("512xf32", "512xbf16").replace("512x64xf32", "512x64xbf16"))
    result = call("diff", "fused.lock", "other/dense.mlir", "--tolerance", "1")
    assert result.returncode == 0
    assert "types: gemm of stablehlo.dot_general dense.mlir:3:10 reads bf16[256x512], bf16[512x64] instead of f32[256x512], f32[512x64]" in result.stdout
    (tmp_path / "other" / "dense.mlir").write_text(DENSE.replace("stablehlo.tanh %2", "stablehlo.negate %2"))
    result = call("diff", "fused.lock", "other/dense.mlir", "--tolerance", "1")
    assert "part lost: gemm of stablehlo.dot_general dense.mlir:3:10 no longer has tanh" in result.stdout


def test_json_says_what_the_lines_say(call, locks, tmp_path):
    """Each printed line corresponds to a JSON object: kind, kernel and difference."""
    (tmp_path / "bf16").mkdir()
    (tmp_path / "bf16" / "dense.mlir").write_text(DENSE.replace("512xf32", "512xbf16").replace("512x64xf32", "512x64xbf16").replace("tanh %2", "negate %2"))
    dot = "gemm of stablehlo.dot_general dense.mlir:3:10"
    tanh = "loop of stablehlo.tanh dense.mlir:6:10"

    def differences(before, after):
        result = call("diff", before, after, "--json")
        made = json.loads(result.stdout)
        lines = call("diff", before, after).stdout.splitlines()
        assert [f"{'worse: ' if each['worse'] else ''}{each['kind']}: " for each in made] == [line[:line.index(": ", 7 if line.startswith("worse") else 0) + 2] for line in lines]
        assert result.returncode == (5 if any(each["worse"] for each in made) else 0)
        for each, line in zip(made, lines, strict=True):
            assert list(each) == ["kind", "kernel", "field", "before", "after", "worse"] and each["kernel"] in line
        return made
    lost = differences("fused.lock", "apart.lock")
    assert lost[0] == {"kind": "fusion lost", "kernel": dot, "field": "kernels", "before": [dot], "after": [tanh, dot], "worse": True}
    assert {"kind": "kernels", "kernel": "", "field": "kernels", "before": 1, "after": 2, "worse": True} in lost
    won = differences("apart.lock", "fused.lock")
    assert won[0] == {"kind": "fusion won", "kernel": dot, "field": "kernels", "before": [tanh, dot], "after": [dot], "worse": False}
    other = differences("fused.lock", "bf16/dense.mlir")
    assert {"kind": "part lost", "kernel": dot, "field": "parts", "before": ["tanh"], "after": [], "worse": True} in other
    assert {"kind": "types", "kernel": dot, "field": "inputs", "before": ["f32[256x512]", "f32[512x64]"],
            "after": ["bf16[256x512]", "bf16[512x64]"], "worse": False} in other
    assert call("diff", "fused.lock", "dense.mlir", "--json", "--exact").stdout == "[]\n"
    (tmp_path / "target.lock").write_text((tmp_path / "fused.lock").read_text().replace("target ", "target other-"))
    [target] = differences("fused.lock", "target.lock")
    assert (target["kind"], target["after"]) == ("target", "other-" + target["before"])


@pytest.mark.parametrize("text", [b"melt\n", b"  op x y:1:2\n", b"kernel gemm calls=a\n", b"arena x\n", b"program \xff\xfe\n"])
def test_broken_locks(call, locks, tmp_path, text):
    (tmp_path / "broken.lock").write_bytes(b"drumlin plan lock 2\n" + text + b"end\n")
    result = call("diff", "fused.lock", "broken.lock")
    assert result.returncode == 3 and "broken.lock:2: error D2020" in result.stderr


def test_locks_that_were_cut_short(call, locks, tmp_path):
    """A lock cut between any two lines is refused: the remaining lines would describe a smaller plan."""
    whole = (tmp_path / "fused.lock").read_text()
    lines = whole.splitlines(keepends=True)
    cut = ["".join(lines[:count]) for count in range(1, len(lines))] + [whole[:-2], whole + "target other\n"]
    for text in cut:
        (tmp_path / "cut.lock").write_text(text)
        result = call("diff", "fused.lock", "cut.lock")
        assert result.returncode == 3 and "error D2020" in result.stderr, text
    (tmp_path / "cut.lock").write_text(cut[4])
    assert "the lock has no last line `end`: it was cut short" in call("diff", "cut.lock", "fused.lock").stderr


def test_locks_of_another_form(call, locks, tmp_path):
    (tmp_path / "old.lock").write_text((tmp_path / "fused.lock").read_text().replace("lock 2", "lock 1"))
    result = call("diff", "fused.lock", "old.lock")
    assert result.returncode == 3 and "old.lock:1: error D2020: the lock has the form of `drumlin plan lock 1`" in result.stderr


def test_names_of_any_characters(call, tmp_path):
    """A lock escapes line breaks and control characters in the program's name, so its lines stay intact."""
    program = "two\nlines\x1b[31m.mlir"
    (tmp_path / program).write_text(DENSE)
    assert call("plan", program, "--lock", "odd.lock").returncode == 0
    text = (tmp_path / "odd.lock").read_text()
    assert "\nprogram two\\nlines\\x1b[31m\n" in text and "\n  op stablehlo.tanh two\\nlines\\x1b[31m.mlir:6:10\n" in text
    assert call("diff", "odd.lock", program, "--exact").returncode == 0


def test_other_programs_have_no_kernel_in_common(call, locks, add):
    result = call("diff", "fused.lock", add, "--tolerance", "1")
    assert "kernel gone: gemm of stablehlo.dot_general dense.mlir:3:10" in result.stdout
    assert "kernel new: loop of stablehlo.add add.mlir:3:10" in result.stdout


# An image contains the lock of its plan.
def test_images_have_locks(call, locks, tmp_path):
    assert call("compile", "dense.mlir", "-o", "fused.so").returncode == 0
    assert call("compile", "dense.mlir", "-o", "apart.so", "--disable-pass", "gemm-absorb-consumer").returncode == 0
    for name in ("fused", "apart"):
        assert call("plan", f"{name}.so", "--lock", f"{name}.image.lock").returncode == 0
        assert (tmp_path / f"{name}.image.lock").read_bytes() == (tmp_path / f"{name}.lock").read_bytes()
    for before in ("fused.so", "fused.lock", "dense.mlir"):
        assert call("diff", before, "fused.so", "--exact").stdout == "the plans are the same\n"
        result = call("diff", before, "apart.so")
        assert result.returncode == 5 and "fusion lost" in result.stdout


def test_layouts_of_arguments(call, locks, tmp_path):
    text = (tmp_path / "fused.lock").read_text()
    (tmp_path / "turned.lock").write_text(text.replace("\nkernel ", "\nlayout argument 1 #plan.layout<[0, 1]>\nkernel ", 1))
    result = call("diff", "fused.lock", "turned.lock")
    assert (result.returncode, result.stdout) == (0, "layouts: argument 1 #plan.layout<[0, 1]> instead of row-major\n")
    assert call("diff", "turned.lock", "fused.lock", "--exact").returncode == 5
    assert call("diff", "turned.lock", "turned.lock", "--exact").returncode == 0


def test_what_is_no_image(call, locks, tmp_path, image):
    damaged = bytearray((tmp_path / image).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.so").write_bytes(damaged)
    for command in (("diff", "fused.lock", "damaged.so"), ("plan", "damaged.so", "--lock", "x.lock")):
        result = call(*command)
        assert result.returncode == 3 and "damaged.so: error D600" in result.stderr
    assert not (tmp_path / "x.lock").exists()
