"""`drumlin check` passes for every program: each launch of each kernel agrees with the interpreter on each target."""
import json
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
COMPILED = [line.split(":")[0] for line in (HERE / "supported.txt").read_text().splitlines()
            if not line.startswith("#") and "compiled" in line]


@pytest.mark.parametrize("target", ["native", "avx2", "baseline"])
@pytest.mark.parametrize("name", COMPILED)
def test_kernels_agree_with_the_interpreter(build_folder, tmp_path, name, target):
    folder = HERE / name
    result = subprocess.run([build_folder / "bin" / "drumlin", "check", folder / "program.mlir", "--input", folder / "inputs.npz",
                             "--target-cpu", target, "--json"], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr
    report = json.loads(result.stdout)
    assert report["launches"] >= len([kernel for kernel in report["kernels"] if kernel["calls"]]) > 0
    assert report["divergent_launches"] == 0 and report["memory_fault"] == "" and report["wrong_phase"] == ""
    assert report["native"] == report["interpreted"] == {"first_nan": None, "first_infinity": None}
