"""Fixtures of the model tests: images, each compiled once, into a separate kernel cache."""
import os
import pathlib
import subprocess

import pytest

MODELS = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def models_environment(tmp_path_factory):
    """An environment with an initially empty kernel cache that no other tests use."""
    return {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("models-cache"))}


@pytest.fixture(scope="session")
def drumlin(build_folder, models_environment):
    """Fixture drumlin(*arguments): runs the compiler, which must succeed, and returns what it printed."""
    def call(*arguments, cwd=None, **environment):
        result = subprocess.run([build_folder / "bin" / "drumlin", *map(str, arguments)], capture_output=True, text=True,
                                cwd=cwd, env={**models_environment, **environment}, timeout=600)
        assert result.returncode == 0, f"{' '.join(map(str, arguments))}\n{result.stdout}{result.stderr}"
        return result.stdout
    return call


@pytest.fixture(scope="session")
def image_of(drumlin, tmp_path_factory):
    """Fixture image_of(name): returns the path of the program's image."""
    folder, made = tmp_path_factory.mktemp("images"), {}

    def compiled(name):
        if name not in made:
            drumlin("compile", MODELS / name / "program.mlir", "-o", folder / f"{name}.so")
            made[name] = folder / f"{name}.so"
        return made[name]
    return compiled
