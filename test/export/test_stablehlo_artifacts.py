"""Drumlin reads the artifacts of every release that StableHLO's repository contains. It refuses an artifact of a future release and says why.

The artifacts may not be copied into this repository, so the environment variable DRUMLIN_STABLEHLO names a clone of openxla/stablehlo."""
import os
import pathlib
import subprocess

import pytest

CLONE = os.environ.get("DRUMLIN_STABLEHLO")
ARTIFACTS = sorted(pathlib.Path(CLONE or ".").glob("stablehlo/tests/vhlo/*.mlir.bc")) if CLONE else []


@pytest.mark.skipif(not CLONE, reason="needs a clone of openxla/stablehlo, named by DRUMLIN_STABLEHLO")
def test_there_are_artifacts():
    assert len(ARTIFACTS) >= 34


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda path: path.name)
def test_artifact_loads(build_folder, tmp_path, artifact):
    done = subprocess.run([build_folder / "bin" / "drumlin", "convert", artifact, "-o", tmp_path / "text.mlir",
                           "--emit", "text"], capture_output=True, text=True)
    if artifact.name.startswith("invalid_vhlo_future"):
        assert done.returncode == 4 and "D4005" in done.stderr and "newer than" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert "func.func" in (tmp_path / "text.mlir").read_text()
