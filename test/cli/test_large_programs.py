"""Commands that read plans stay within their memory for a program of 20,000 operations, and linear in its size."""
import pytest

from benchmarks import large_program

LIMIT = 500  # MB


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [8, 1000])
def test_memory(build_folder, tmp_path, distinct):
    text = large_program.program(20_000, distinct)
    assert text.count("stablehlo.") >= 20_000
    (tmp_path / "large.mlir").write_text(text)
    for command in large_program.COMMANDS:
        _, megabytes = large_program.measure((build_folder / "bin" / "drumlin", *command), tmp_path)
        assert megabytes < LIMIT, command
