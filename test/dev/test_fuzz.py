"""`./dev fuzz` parses libFuzzer's log, and takes seed inputs from tests."""
import re

from scripts import fuzz, fuzz_faults, fuzz_programs, steps

LOG = """INFO: Loaded 1 modules   (111049 inline 8-bit counters): 111049 [0x1, 0x2),
INFO: -fork=1: 445 seed inputs, starting to fuzz in /tmp/libFuzzerTemp.FuzzWithFork1.dir
#225: cov: 22102 ft: 66253 corp: 445 exec/s: 112 oom/timeout/crash: 0/0/0 time: 15s job: 1 dft_time: 0
#1936: cov: 22171 ft: 66256 corp: 447 exec/s: 104 oom/timeout/crash: 0/0/1 time: 19s job: 2 dft_time: 0
INFO: exiting: 0 time: 20s
"""


def test_log():
    assert fuzz.read_log(LOG) == (1936, 22171, 111049)
    assert fuzz.read_log("") == (0, 0, 0)


def test_seeds_are_single_programs():
    seeds = list(fuzz.text_seeds(None))
    assert len(seeds) > 300
    assert all("func" in seed and "// -----" not in seed and len(seed) <= fuzz.LONGEST_SEED for seed in seeds)


def test_seeds_of_hlo_are_modules_and_their_parts():
    seeds = list(fuzz.hlo_seeds())
    assert len(seeds) > 100 and sum("HloModule" in seed for seed in seeds) > 5 and sum("a=sharding=" in seed for seed in seeds) > 2


def test_each_reader_has_a_binary():
    folder = steps.ROOT / "fuzz"
    loops = re.findall(r"^foreach\(format ([\w ]+)\)\n +drumlin_fuzz_target\(\$\{format\} ([^\s)]+)\)", (folder / "CMakeLists.txt").read_text(), re.MULTILINE)
    sources = {f"Fuzz{format}": source.replace("${format}", format) for formats, source in loops for format in formats.split()}
    assert sorted(map(fuzz.binary_of, fuzz.READERS)) == sorted(sources)
    # Every fuzz target's file is included.
    assert set(sources.values()) == {path.name for path in folder.glob("Fuzz*.cpp")}


def test_every_planted_fault_is_a_change_of_the_sources():
    for fault in fuzz_faults.FAULTS + fuzz_faults.MENDS:
        for path, right, wrong in fault.edits:
            assert (steps.ROOT / path).read_text().count(right) == 1, fault.name
            assert wrong != right


def test_a_program_that_ends_the_process_is_a_finding_and_the_next_one_goes_on(tmp_path):
    # This stand-in for the fuzzer prints each seed before the seed's program starts. The third program kills the process.
    binary = tmp_path / "programs"
    binary.write_text("""#!/usr/bin/env python3
import json, os, sys
first, count = int(sys.argv[2]), int(sys.argv[4])
for seed in range(first, first + count):
    print(json.dumps({"seed": seed}), flush=True)
    if seed == 12:
        os.kill(os.getpid(), 11)
    if seed == 14:
        print(json.dumps({"finding": {"seed": seed, "kind": "differs", "message": ""}}))
sums = {name: {"a": count} for name in ("checks", "skipped", "operations", "rules", "places")}
numbers = {name: count for name in ("programs", "generatedOperations", "exactElements", "roundedElements", "widenedElements")}
print(json.dumps({"counts": {**sums, **numbers}}))
""")
    binary.chmod(0o755)
    tally = fuzz_programs.Tally()
    fuzz_programs.run_range(10, 8, ("phases",), tally, binary)
    assert [(each["seed"], each["kind"]) for each in tally.findings] == [(12, "crash SIGSEGV"), (14, "differs")]
    assert tally.numbers["programs"] == 8
    assert tally.sums["checks"]["a"] == 5
