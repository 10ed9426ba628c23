"""What `./dev fuzz` reads off libFuzzer's log, and the seeds that it takes from tests."""
from scripts import fuzz

LOG = """INFO: Loaded 1 modules   (111049 inline 8-bit counters): 111049 [0x1, 0x2),
#2\tINITED cov: 11 ft: 12 corp: 1/1b exec/s: 0 rss: 40Mb
#1024\tpulse  cov: 22171 ft: 67302 corp: 713/430Kb lim: 8843 exec/s: 387 rss: 459Mb
stat::number_of_executed_units: 1936
"""


def test_log():
    assert fuzz.read_log(LOG) == (1936, 22171, 111049)
    assert fuzz.read_log(LOG.replace("stat::number_of_executed_units: 1936\n", "")) == (1024, 22171, 111049)  # it crashed
    assert fuzz.read_log("") == (0, 0, 0)


def test_seeds_are_single_programs():
    seeds = list(fuzz.text_seeds(None))
    assert len(seeds) > 300
    assert all("func" in seed and "// -----" not in seed and len(seed) <= fuzz.LONGEST_SEED for seed in seeds)
