"""The Python package's typed options are those of the table of options."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from scripts import python_options  # noqa: E402


def test_the_file_is_what_the_table_gives(build_folder):
    rows = json.loads(subprocess.run([build_folder / "bin" / "drumlin", "list-options", "--json"], capture_output=True, text=True, check=True).stdout)
    assert python_options.FILE.read_text() == python_options.text(rows), \
        "run `python3 scripts/python_options.py build/release/bin/drumlin`"


def test_the_file_is_python():
    names = {}
    exec(compile(python_options.FILE.read_text(), str(python_options.FILE), "exec"), names)
    for name in python_options.FUNCTIONS.values():
        assert len(names[name].__annotations__) > 15
    assert "Literal['default', 'strict']" in str(names["CompileOptions"].__annotations__["numerics"])
