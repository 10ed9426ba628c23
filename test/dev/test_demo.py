"""`./dev demo` shows only decisions that had alternatives, ordered by the difference of bytes in the ledger."""
from scripts import demo


def entry(rule, count=1, **fields):
    return {"rule": rule, "decision": "taken", "count": count, "operation": "stablehlo.add", "source": "a.mlir:1:1", **fields}


def test_decisions_are_ranked_by_bytes():
    entries = [entry("loop-fuse-producer", bytes_apart=10), entry("gemm-absorb-consumer", bytes_apart=3_000_000),
               entry("fold-constant"), entry("fold-constant"), entry("hero-kernel", bytes_apart=10**9), entry("cse", 7)]
    lines = list(demo.decisions(entries, demo.deciding_rules()))
    assert [line.split(":")[0] for line in lines] == ["gemm-absorb-consumer", "loop-fuse-producer", "fold-constant"]
    assert "3.00 MB" in lines[0] and "2 times" in lines[2]


def test_rules_that_decide_are_read_from_their_table():
    rules = demo.deciding_rules()
    assert {"inline-call", "loop-fuse-producer", "tune-schedule"} <= rules
    assert not rules & {"hero-kernel", "cse", "bind-weight"}
