"""The table of micro-kernel cycles matches the current code; the result doesn't depend on the machine."""
from scripts import cycles


def test_the_table_is_what_the_code_gives(build_folder):
    assert cycles.table(build_folder) == cycles.TABLE.read_text(), "run `./dev cycles`"
