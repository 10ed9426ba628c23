"""Random programs of symbolic sizes, compared with the interpreter: runs fuzz/sizes/check.py over ranges of seeds, several processes at a
time, goes on behind programs that end a process, and sums up what they say."""
import collections
import concurrent.futures
import json
import os
import subprocess
import time

from scripts import build, fuzz_programs, setup, steps

CHUNK = 50  # seeds of one process
FINDINGS = steps.BUILD / "fuzz" / "findings"
CACHE = steps.BUILD / "fuzz" / "cache"
PARTS = ("numbers", "families", "declined", "refused")
SHRINKING_SECONDS = 300


class Tally:
    """What all processes found and counted."""

    def __init__(self):
        self.findings = []
        self.sums = {name: collections.Counter() for name in PARTS}

    def add(self, counts):
        for name in PARTS:
            self.sums[name].update(counts[name])


def command(*words):
    return [setup.VENV / "bin" / "python", steps.ROOT / "fuzz" / "sizes" / "check.py", "--build", build.folder("release"), *map(str, words)]


def environment():
    return {**os.environ, "JAX_PLATFORMS": "cpu", "DRUMLIN_CACHE": str(CACHE)}


def run_range(first, count, tally):
    """Holds so many programs to the interpreter; one that ends the process is a finding, and the next one goes on."""
    until = first + count
    while first < until:
        process = subprocess.run(command("--first", first, "--count", until - first), capture_output=True, text=True, errors="replace", env=environment())
        seed = first
        for line in process.stdout.splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue  # cut off where the process ended
            seed = said.get("seed", seed)
            if "finding" in said:
                tally.findings.append(said["finding"])
            if "counts" in said:
                tally.add(said["counts"])
                return
        last = process.stderr.strip().splitlines()[-1:]
        tally.findings.append({"seed": seed, "kind": fuzz_programs.end_of(process.returncode), "message": last[0][:300] if last else ""})
        tally.sums["numbers"]["programs"] += seed - first + 1  # their other counts are lost
        first = seed + 1


def hold(seconds, first):
    """Runs ranges of seeds until the time is up."""
    tally, end, progress = Tally(), time.monotonic() + seconds, steps.Progress("random programs of symbolic sizes")
    with concurrent.futures.ThreadPoolExecutor(build.jobs()) as pool:
        running = set()
        while time.monotonic() < end:
            running.add(pool.submit(run_range, first, CHUNK, tally))
            first += CHUNK
            if len(running) == build.jobs():
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for job in done:
                    job.result()
            progress.show(f"{tally.sums['numbers']['programs']:,} programs, {len(tally.findings)} findings")
        for job in running:
            job.result()
    progress.clear()
    return tally


def keep(finding):
    """Writes a finding's program, made small, and what was found; of one that ends the process, as it was drawn."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    kind = "--shrink" if not finding["kind"].startswith(("crash", "exit", "time-out")) else "--draw"
    words = [kind, finding["kind"]] if kind == "--shrink" else [kind]
    try:
        subprocess.run(command("--first", finding["seed"], *words, "--write", FINDINGS), capture_output=True, env=environment(), timeout=SHRINKING_SECONDS)
    except subprocess.TimeoutExpired:
        subprocess.run(command("--first", finding["seed"], "--draw", "--write", FINDINGS), capture_output=True, env=environment())
    (FINDINGS / f"sizes-{finding['seed']}.txt").write_text(f"{finding['kind']}\n{finding['message']}\n")


def fuzz(seconds, first):
    """How many findings there are."""
    build.build("release", ["DrumlinShared"])
    tally = hold(seconds, first)
    for finding in tally.findings:
        keep(finding)
        print(f"seed {finding['seed']}: {finding['kind']}: {finding['message'][:300]}")
    for message, times in tally.sums["refused"].most_common():
        print(f"{times:6} refused: {message}")
    numbers = tally.sums["numbers"]
    print(f"{numbers['programs']:,} programs of symbolic sizes at {numbers['runs']:,} points, {numbers['refused']:,} refused, {numbers['not exported']:,} that JAX doesn't export; "
          f"{numbers['exact elements']:,} elements compared bit for bit, {numbers['rounded elements']:,} with a tolerance; {numbers['widened']:,} results pass by its widening; "
          f"{len(tally.findings)} findings")
    folder = steps.BUILD / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sizes.json").write_text(json.dumps({name: dict(sorted(counter.items())) for name, counter in tally.sums.items()}, indent=1))
    steps.say("operations by number, and what was declined and refused: build/fuzz/sizes.json")
    return len(tally.findings)
