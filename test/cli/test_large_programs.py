"""Large programs: memory stays within bounds, and scarce resources, such as open files, aren't needed for each kernel."""
import resource

import pytest

from benchmarks import large_program

pytestmark = pytest.mark.long

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


@pytest.mark.alone
def test_printing_takes_little(build_folder, tmp_path):
    """Prints 20,000 instructions in under 2 seconds and 500 MB."""
    lines = [f'  %add.{i} = f32[8,128]{{1,0}} add(%add.{i - 1}, %add.0), metadata={{op_name="f/{i % 500}" source_file="f.py" source_line={i}}}'
             for i in range(1, 20_000)]
    (tmp_path / "large.hlo").write_text("\n".join(["HloModule large\n\nENTRY %main {", "  %add.0 = f32[8,128]{1,0} parameter(0)", *lines, "}\n"]))
    for options in ([], ["--exact"], ["--json"], ["--fold"], ["--around", "add.9999", "--depth", "50"], ["--graphviz"]):
        seconds, megabytes = large_program.measure((build_folder / "bin" / "drumlin", "print", "large.hlo", *options), tmp_path)
        assert seconds < 2 and megabytes < LIMIT, options


def test_more_kernels_than_files_may_be_open(call, tmp_path):
    """The linker gets all kernels as one file."""
    count = 60
    shapes = [f"tensor<{2 * number + 3}xf32>" for number in range(count)]
    (tmp_path / "many.mlir").write_text(f"""module @many {{
  func.func @main({", ".join(f"%arg{i}: {shape}" for i, shape in enumerate(shapes))}) -> ({", ".join(shapes)}) {{
    {chr(10).join(f"%{i} = stablehlo.exponential %arg{i} : {shape}" for i, shape in enumerate(shapes))}
    return {", ".join(f"%{i}" for i in range(count))} : {", ".join(shapes)}
  }}
}}
""")
    result = call("compile", "many.mlir", "-o", "x.so", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)))
    assert result.returncode == 0 and f"{count} kernels" in result.stdout, result.stdout + result.stderr
