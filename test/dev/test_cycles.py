"""The table of micro-kernels' cycles is what their code gives now, on any machine."""
from scripts import cycles


def test_the_table_is_what_the_code_gives(build_folder):
    assert cycles.table(build_folder) == cycles.TABLE.read_text(), "run `./dev cycles`"
