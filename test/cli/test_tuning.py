"""`--tune` and its record from the command line: a record is measured once, gives the same image each time, can be edited by hand, and can be
required."""
import os
import re

import pytest

DOTS = """module @dots {
  func.func public @main(%a: tensor<64x96xf32>, %b: tensor<96x128xf32>, %c: tensor<128x80xf32>) -> tensor<64x80xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x80xf32>) -> tensor<64x80xf32>
    return %1 : tensor<64x80xf32>
  }
}
"""
MEASURE = ("--tune=on", "--tune-record", "record.txt", "--tune-seconds", "0.1")
REQUIRE = ("--tune=require", "--tune-record", "record.txt")


@pytest.fixture
def dots(tmp_path):
    (tmp_path / "dots.mlir").write_text(DOTS)
    return "dots.mlir"


@pytest.fixture
def record(call, dots, tmp_path):
    """Fixture: returns the path of a tuning record that was measured for the program."""
    result = call("compile", dots, "-o", "measured.so", *MEASURE)
    assert result.returncode == 0, result.stderr
    return tmp_path / "record.txt"


def blocks_of(path, kind):
    text = path.read_text()
    assert text.startswith(f"drumlin tuning {kind} 1\n")
    return text.split("\nkernel ")[1:]


def test_record_holds_every_candidate_and_the_times_every_sample(record):
    chosen, measured = blocks_of(record, "record"), blocks_of(record.with_name("record.txt.times"), "times")
    assert len(chosen) == len(measured) == 2
    for choice, block in zip(chosen, measured):
        assert re.search(r"^  subject dot_general tensor<64x\d+xf32> ", choice, re.MULTILINE)
        assert re.search(r"^  target \S+\n  version [0-9a-f]{16}$", choice, re.MULTILINE)
        assert re.search(r"^  target \S+\n  processor .+ stepping \d+\n  version [0-9a-f]{16}$", block, re.MULTILINE)
        candidates = re.findall(r"^  candidate (\S+) outside 0\.0 (?:median .*? )?ns((?: [0-9.]+!?)*)$", block, re.MULTILINE)
        names = [name for name, _ in candidates]
        assert names[0] == "default" and len(set(names)) == len(names) > 3
        assert re.findall(r"^  candidate (\S+)$", choice, re.MULTILINE) == names
        winner = re.search(r"^  winner (\S+) rule (separated|cost-model|name)$", block, re.MULTILINE)
        assert winner[1] in names and re.search(r"^  winner (\S+)$", choice, re.MULTILINE)[1] == winner[1]
        # Candidates that weren't eliminated, such as the winner, have the most samples.
        counts = {name: len(samples.split()) for name, samples in candidates}
        assert counts[winner[1]] == max(counts.values()) > 0


# Two measurements with the same winners give byte-identical records.
def test_equal_winners_are_equal_records(call, dots, record, tmp_path):
    first, times = record.read_text(), record.with_name("record.txt.times").read_text()
    record.unlink()
    assert call("compile", dots, "-o", "again.so", *MEASURE).returncode == 0
    second = record.read_text()
    winners = [re.findall(r"winner (\S+)", text) for text in (first, second)]
    assert (first == second) == (winners[0] == winners[1])
    assert record.with_name("record.txt.times").read_text() != times
    assert re.sub(r"winner \S+", "", first) == re.sub(r"winner \S+", "", second)


def test_decisions_of_an_image_can_be_seen(call, dots, record):
    result = call("why", "measured.so", "--rule", "tune-schedule")
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if ": tune-schedule: " in line]
    assert len(lines) == 2 and all("stablehlo.dot_general" in line or "plan.kernel" in line for line in lines), result.stdout
    assert all(re.search(r"tune-schedule: (taken: \S+|not-faster: )", line) for line in lines), result.stdout
    assert "tune-schedule" not in call("why", dots).stdout
    assert call("why", "measured.so", "--disable-pass", "cse").returncode == 2


@pytest.mark.parametrize("options", [REQUIRE, MEASURE, (*REQUIRE, "--no-cache"), (*REQUIRE, "--num-parallel-jobs", "1")])
def test_replays_to_the_same_bytes(call, dots, record, tmp_path, options):
    before = record.read_bytes()
    assert call("compile", dots, "-o", "again.so", *options).returncode == 0
    assert (tmp_path / "again.so").read_bytes() == (tmp_path / "measured.so").read_bytes()
    assert record.read_bytes() == before


@pytest.mark.parametrize("command", [("run", "dots.mlir", "--input", "random:1"),
                                     ("bench", "dots.mlir", "--seconds", "0.01")])
def test_commands_that_make_code_take_records(call, record, command):
    assert call(*command, *REQUIRE).returncode == 0
    record.write_text("drumlin tuning record 1\n")
    assert call(*command, *REQUIRE).returncode == 5


def test_results_keep_their_bits(call, dots, record, tmp_path):
    assert call("run", dots, "--input", "random:1", "--output", "usual.npz").returncode == 0
    text = record.read_text()
    names = set(re.findall(r"candidate (\S+)", text))
    shared = 0
    for name in names:
        record.write_text(re.sub(r"winner \S+", f"winner {name} rule hand", text))
        result = call("run", dots, "--input", "random:1", "--output", "tuned.npz", *REQUIRE)
        if result.returncode == 3:  # the other kernel has no schedule of this name
            assert "D3020" in result.stderr
            continue
        assert result.returncode == 0, result.stderr
        assert call("run", dots, "--input", "random:1", "--expect", "tuned.npz", "--rtol", "0").returncode == 0
        shared += 1
    assert shared > 3


def test_a_person_chooses(call, dots, record, tmp_path):
    assert call("compile", dots, "-o", "usual.so").returncode == 0
    text = record.read_text()
    name = re.findall(r"candidate (tiles\S+|kernel\S+)", text)[0]
    first, rest = text.split("\nkernel ")[1], text.split("\nkernel ")[2:]
    edited = re.sub(r"winner \S+", f"winner {name} rule hand", first)
    record.write_text("\nkernel ".join([text.split("\nkernel ")[0] + "\n# tried on a Monday", edited, *rest]))
    assert call("compile", dots, "-o", "edited.so", *REQUIRE).returncode == 0
    assert (tmp_path / "edited.so").read_bytes() != (tmp_path / "usual.so").read_bytes()
    schedules = [re.findall(r"plan\.schedule = #plan\.gemm<(.*?)>", call("plan", image).stdout) for image in ("usual.so", "edited.so")]
    assert len(schedules[0]) == len(schedules[1]) > 0 and schedules[0] != schedules[1]
    # `--tune=on` doesn't measure kernels that have an entry, and keeps the record's comments.
    assert call("compile", dots, "-o", "same.so", *MEASURE).returncode == 0
    assert "# tried on a Monday\nkernel " in record.read_text()


def test_require_fails_on_a_miss(call, dots, record, tmp_path):
    lost = record.read_text().split("\nkernel ")
    key = lost[1].split("\n")[0]
    record.write_text("\nkernel ".join([lost[0], *lost[2:]]))
    before = sorted(os.listdir(tmp_path))
    result = call("compile", dots, "-o", "x.so", *REQUIRE)
    assert result.returncode == 5
    assert "error D5020" in result.stderr and f"`{key}`" in result.stderr and "`record.txt`" in result.stderr
    assert re.match(r"dots\.mlir:\d+:\d+: ", result.stderr), result.stderr
    assert sorted(os.listdir(tmp_path)) == before
    # The remedy in the hint works.
    assert call("compile", dots, "-o", "x.so", *MEASURE).returncode == 0
    assert call("compile", dots, "-o", "x.so", *REQUIRE).returncode == 0


@pytest.mark.parametrize("change, status, code, line", [
    (("drumlin tuning record 1", "notes"), 3, "D3020", 1),
    (("winner", "victor"), 3, "D3020", None),
    (("  target ", "  targets "), 3, "D3020", 5),
    (("candidate default", "candidate default 3.5"), 3, "D3020", None),
])
def test_a_damaged_record_is_refused(call, dots, record, change, status, code, line):
    record.write_text(record.read_text().replace(*change))
    for options in (REQUIRE, MEASURE):
        result = call("compile", dots, "-o", "x.so", *options)
        assert result.returncode == status and f"error {code}" in result.stderr
        where = re.match(r"record\.txt:(\d+): ", result.stderr)
        assert where and (line is None or int(where[1]) == line), result.stderr


@pytest.mark.parametrize("options, status, code", [
    (("--tune=require",), 2, "D3022"),
    (("--tune-record", "record.txt"), 2, "D3022"),
    (("--tune=off", "--tune-record", "record.txt"), 2, "D3022"),
    (("--tune=require", "--tune-record", "none.txt"), 1, "D1001"),
    (("--tune=on", "--tune-record", "none/record.txt", "--tune-seconds", "0"), 1, "D1002"),
    (("--tune=often",), 2, None),
    (("--tune=on", "--tune-seconds", "-1"), 2, None),
])
def test_options_that_make_no_sense(call, dots, options, status, code):
    result = call("compile", dots, "-o", "x.so", *options)
    assert result.returncode == status, result.stderr
    assert code is None or f"error {code}" in result.stderr, result.stderr
