"""Runs the programs of examples/jax as users do."""
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "jax"


@pytest.fixture
def run(environment):
    def run(file):
        done = subprocess.run([sys.executable, EXAMPLES / file], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("device: Drumlin")
        return done.stdout

    return run


def losses(printed):
    return [float(loss) for loss in re.findall(r"loss ([\d.]+)", printed)]


def test_train_mlp(run):
    printed = run("train_mlp.py")
    assert losses(printed)[-1] < 0.1 and float(re.search(r"right: ([\d.]+)%", printed)[1]) > 98


@pytest.mark.slow
def test_generate_text(run):
    printed = run("generate_text.py")
    begin, *_, end = losses(printed)
    written = printed.splitlines(keepends=True)[len(losses(printed)) + 1:]
    assert end < 0.7 * begin and len("".join(written)) == 201 and len(set("".join(written))) > 10


def test_fp8_inference(run):
    printed = run("fp8_inference.py")
    assert "required, and kept: dot@*layer0*: fused(convert_lhs, scale_lhs" in printed
    assert float(re.search(r"error of the results: ([\d.]+)%", printed)[1]) < 10


def test_fp8_inference_needs_the_rule(environment):
    """Without the rule that fuses a GEMM's consumers, the same program is refused."""
    program = (EXAMPLES / "fp8_inference.py").read_text().replace('{"require": REQUIRE}',
                                                                  '{"require": REQUIRE, "disable_pass": "gemm-absorb-consumer"}')
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "FAILED_PRECONDITION" in done.stderr, done.stderr
