"""The artifacts of every release that StableHLO's own repository keeps: they load, or are refused for a stated reason.

They aren't ours to copy: DRUMLIN_STABLEHLO names a clone of openxla/stablehlo."""
import os
import pathlib
import subprocess

import pytest

CLONE = os.environ.get("DRUMLIN_STABLEHLO")
ARTIFACTS = sorted(pathlib.Path(CLONE or ".").glob("stablehlo/tests/vhlo/*.mlir.bc")) if CLONE else []

# Operations that the artifacts hold although the specification's constraints forbid them; a program that isn't valid is
# refused by its constraint's name, whatever its format.
CONSTRAINTS = ("(all_gather_c6)", "(compare_c3)")


@pytest.mark.skipif(not CLONE, reason="needs a clone of openxla/stablehlo, named by DRUMLIN_STABLEHLO")
def test_there_are_artifacts():
    assert len(ARTIFACTS) >= 34


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda path: path.name)
def test_artifact_loads(build_folder, tmp_path, artifact):
    done = subprocess.run([build_folder / "bin" / "drumlin", "convert", artifact, "-o", tmp_path / "text.mlir",
                           "--emit", "text"], capture_output=True, text=True)
    if artifact.name.startswith("invalid_vhlo_future"):
        assert done.returncode == 4 and "D4005" in done.stderr and "newer than" in done.stderr
    elif done.returncode != 0:
        assert done.returncode == 3 and "D2006" in done.stderr
        assert any(constraint in done.stderr for constraint in CONSTRAINTS), done.stderr
    else:
        assert "func.func" in (tmp_path / "text.mlir").read_text()
