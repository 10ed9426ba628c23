"""Compares random programs with the interpreter. Runs build/release/bin/FuzzPrograms over ranges
of seeds, in several processes at a time. If a program ends its process, continues with the next
program. Sums up the results."""
import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import time

from scripts import build, steps

CHUNK = 200  # seeds per process
COMPILED = 20  # leading seeds of each range that are compiled too, which takes most of the time
INTERPRETED_CHECKS = ("phases", "formats")
COMPILED_CHECKS = ("native", "efforts", "without", "threads")
FINDINGS = steps.BUILD / "fuzz" / "findings"
CACHE = steps.BUILD / "fuzz" / "cache"  # kernel cache: each program is compiled several times, and many programs share kernels
# The places that countPlaces() in Checks.cpp distinguishes. `control`: in the body of a loop or a branch.
PLACES = ("prologue", "hero", "epilogue", "loop", "control")
SUMS = ("checks", "skipped", "operations", "rules", "places")
NUMBERS = ("programs", "generatedOperations", "exactElements", "roundedElements", "widenedElements")


class Tally:
    """The findings and counts of all processes."""

    def __init__(self):
        self.findings = []
        self.sums = {name: collections.Counter() for name in SUMS}
        self.numbers = collections.Counter()

    def add(self, counts):
        for name in SUMS:
            self.sums[name].update(counts[name])  # zeros are kept, since they are rows of the tables
        self.numbers.update({name: counts[name] for name in NUMBERS})


def end_of(status):
    """Describes how a process ended before it printed its counts."""
    if status >= 0:
        return f"exit {status}"
    name = signal.Signals(-status).name
    return "time-out" if name == "SIGALRM" else f"crash {name}"


def run_seeds(command, options, environment, first, count, tally, telling=slice(1)):
    """Runs `count` programs through the command's checks. A program that ends the process is a
    finding, and the run continues with the next program. `telling` selects the line of stderr that
    says why the process ended; by default it is the first."""
    until = first + count
    while first < until:
        words = [*command, "--first", str(first), "--count", str(until - first), *options]
        process = subprocess.run(words, capture_output=True, text=True, errors="replace", env={**environment, "DRUMLIN_CACHE": str(CACHE)})
        seed = first
        for line in process.stdout.splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue  # the line was cut off when the process ended
            seed = said.get("seed", seed)
            if "finding" in said:
                tally.findings.append(said["finding"])
            if "counts" in said:
                tally.add(said["counts"])
                return
        line = process.stderr.strip().splitlines()[telling]
        tally.findings.append({"seed": seed, "kind": end_of(process.returncode), "message": line[0][:300] if line else ""})
        tally.numbers["programs"] += seed - first + 1  # the other counts of these programs are lost
        first = seed + 1


def run_range(first, count, checks, tally, binary=None):
    """Runs the checks on `count` programs."""
    binary = binary or build.folder("release") / "bin" / "FuzzPrograms"
    run_seeds([binary], ["--check", ",".join(checks)], os.environ, first, count, tally)


def hold(run, ranges, seconds, tally, what):
    """Runs the ranges in parallel until all are done or the time is up. Each range has the
    arguments of `run` except the last argument, the tally."""
    end = time.monotonic() + seconds
    progress = steps.Progress(what)
    told = 0
    with concurrent.futures.ThreadPoolExecutor(build.jobs()) as pool:
        running = set()
        for each in ranges:
            running.add(pool.submit(run, *each, tally))
            if len(running) == build.jobs():
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for job in done:
                    job.result()
            for finding in tally.findings[told:]:
                progress.clear()
                steps.say(f"program {finding['seed']}: {finding['kind']}")
            told = len(tally.findings)
            progress.show(f"{tally.numbers['programs']:,} programs, {len(tally.findings)} findings")
            if time.monotonic() > end:
                break
        for job in running:
            job.result()
    progress.clear()


def endless_ranges(first):
    while True:
        yield first, COMPILED, COMPILED_CHECKS
        yield first, CHUNK, INTERPRETED_CHECKS
        first += CHUNK


def keep(finding):
    """Writes a finding's program and arguments, and a description, to the findings folder."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    binary = build.folder("release") / "bin" / "FuzzPrograms"
    seed = str(finding["seed"])
    subprocess.run([binary, "--first", seed, "--check", "none", "--write", FINDINGS], capture_output=True)
    (FINDINGS / f"{seed}.txt").write_text(f"{finding['kind']}\n{finding['message']}\n")


def report(tally):
    """Prints the findings by class, with a few seeds each, and the coverage."""
    classes = collections.defaultdict(list)
    for finding in tally.findings:
        classes[finding["kind"]].append(finding)
    for kind, found in sorted(classes.items(), key=lambda each: -len(each[1])):
        print(f"{len(found):6} {kind}: seeds {', '.join(str(each['seed']) for each in found[:8])}")
        print(f"         {found[0]['message'].splitlines()[0][:200] if found[0]['message'] else ''}")
    widened = tally.numbers["widenedElements"]
    rounded = tally.numbers["roundedElements"]
    share = 100 * widened / rounded if rounded else 0
    print(f"{tally.numbers['programs']:,} programs held, {tally.numbers['generatedOperations']:,} operations; "
          f"{tally.numbers['exactElements']:,} elements compared bit for bit, {rounded:,} with a tolerance, "
          f"of which {widened:,} ({share:.2f} %) pass only by its widening; {len(tally.findings)} findings")


def table(counts, columns, title):
    """Yields the lines of a table of counts, whose keys have the form "row column". Each row is
    one line; a dot means that nothing was drawn."""
    rows = sorted({name.rsplit(" ", 1)[0] for name in counts})
    width = max([len(title), *map(len, rows)])
    yield f"{title:{width}}" + "".join(f" {column:>{max(9, len(column))}}" for column in columns)
    for row in rows:
        yield f"{row:{width}}" + "".join(f" {counts.get(f'{row} {column}', 0) or '·':>{max(9, len(column))}}" for column in columns)


def write_tables(tally):
    """Writes what was checked, decided and generated, which shows what programs don't reach yet.
    Writes everything as JSON, and also tables of rules by decision and of operations by the
    location where they were computed."""
    folder = steps.BUILD / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "programs.json").write_text(
        json.dumps({**{name: dict(sorted(tally.sums[name].items())) for name in SUMS}, **tally.numbers}, indent=1))
    reasons = sorted({name.rsplit(" ", 1)[1] for name in tally.sums["rules"]} - {"taken"})
    lines = [*table(tally.sums["rules"], ["taken", *reasons], "rule"), "",
             *table(tally.sums["places"], PLACES, "operation, computed in")]
    (folder / "programs.txt").write_text("\n".join(lines) + "\n")
    steps.say("checks, rules, places and operations by number: build/fuzz/programs.json, as tables: build/fuzz/programs.txt")


def fuzz(seconds, first):
    """Runs programs for `seconds`, beginning with seed `first`. Returns the number of findings."""
    build.build("release", ["FuzzPrograms"])
    tally = Tally()
    hold(run_range, endless_ranges(first), seconds, tally, "random programs")
    for finding in tally.findings:
        keep(finding)
    report(tally)
    write_tables(tally)
    return len(tally.findings)
