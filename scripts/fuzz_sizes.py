"""Compares random programs of symbolic sizes with the interpreter. Runs fuzz/sizes/check.py over
ranges of seeds, in several processes at a time. If a program ends its process, continues with the
next program. Sums up the results."""
import collections
import itertools
import json
import os
import subprocess

from scripts import build, fuzz_programs, setup, steps

CHUNK = 50  # seeds per process
PARTS = ("numbers", "families", "declined", "refused")
SHRINKING_SECONDS = 300


class Tally:
    """The findings and counts of all processes."""

    def __init__(self):
        self.findings = []
        self.sums = {name: collections.Counter() for name in PARTS}
        self.numbers = self.sums["numbers"]

    def add(self, counts):
        for name in PARTS:
            self.sums[name].update(counts[name])


def command(*words):
    return [setup.VENV / "bin" / "python", steps.ROOT / "fuzz" / "sizes" / "check.py", "--build", build.folder("release"), *map(str, words)]


def environment():
    return {**os.environ, "JAX_PLATFORMS": "cpu", "DRUMLIN_CACHE": str(fuzz_programs.CACHE)}


def run_range(first, count, tally):
    """Compares `count` programs with the interpreter. The last line of a traceback names the
    error."""
    fuzz_programs.run_seeds(command(), [], environment(), first, count, tally, telling=slice(-1, None))


def keep(finding):
    """Writes the minimized program of a finding, and a description. A program that ends the
    process is written as it was drawn."""
    fuzz_programs.FINDINGS.mkdir(parents=True, exist_ok=True)
    kind = "--shrink" if not finding["kind"].startswith(("crash", "exit", "time-out")) else "--draw"
    words = [kind, finding["kind"]] if kind == "--shrink" else [kind]
    try:
        subprocess.run(command("--first", finding["seed"], *words, "--write", fuzz_programs.FINDINGS), capture_output=True, env=environment(), timeout=SHRINKING_SECONDS)
    except subprocess.TimeoutExpired:
        subprocess.run(command("--first", finding["seed"], "--draw", "--write", fuzz_programs.FINDINGS), capture_output=True, env=environment())
    (fuzz_programs.FINDINGS / f"sizes-{finding['seed']}.txt").write_text(f"{finding['kind']}\n{finding['message']}\n")


def fuzz(seconds, first):
    """Runs the programs and returns the number of findings."""
    build.build("release", ["DrumlinShared"])
    tally = Tally()
    fuzz_programs.hold(run_range, ((begin, CHUNK) for begin in itertools.count(first, CHUNK)), seconds, tally, "random programs of symbolic sizes")
    for finding in tally.findings:
        keep(finding)
        print(f"seed {finding['seed']}: {finding['kind']}: {finding['message'][:300]}")
    for message, times in tally.sums["refused"].most_common():
        print(f"{times:6} refused: {message}")
    numbers = tally.numbers
    print(f"{numbers['programs']:,} programs of symbolic sizes at {numbers['runs']:,} points, {numbers['refused']:,} refused, {numbers['not exported']:,} that JAX doesn't export; "
          f"{numbers['exact elements']:,} elements compared bit for bit, {numbers['rounded elements']:,} with a tolerance; {numbers['widened']:,} results pass by its widening; "
          f"{len(tally.findings)} findings")
    folder = steps.BUILD / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sizes.json").write_text(json.dumps({name: dict(sorted(counter.items())) for name, counter in tally.sums.items()}, indent=1))
    steps.say("operations by number, and what was declined and refused: build/fuzz/sizes.json")
    return len(tally.findings)
