"""`./dev aarch64`: builds what is needed to run images on aarch64 Linux, and runs programs that
are compiled for its processors with QEMU. Compares random programs with the interpreter, or
StableHLO's public test data with its expected results."""
import concurrent.futures
import json
import os
import tempfile

from scripts import build, conformance, fuzz_programs, setup, steps

FOLDER = steps.BUILD / "aarch64"
LEVELS = ("neoverse-v1", "aarch64", "apple-m1", "neoverse-n1", "neoverse-v2")
CHUNK = 100  # seeds per process


def missing_packages():
    """Returns the names of packages in packages/aarch64.txt that aren't installed."""
    return setup.missing_packages(setup.read_list(setup.PACKAGES / "aarch64.txt"))


def runtime():
    """Builds the runtime library and the C example for aarch64, with only the packages of
    packages/aarch64.txt (no LLVM). Returns the folder with both."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-G", "Ninja", "-B", FOLDER, f"-DCMAKE_TOOLCHAIN_FILE={steps.ROOT / 'cmake' / 'Aarch64.cmake'}", "-DCMAKE_BUILD_TYPE=Release",
                 "-DDRUMLIN_COMPILER=OFF", "-DDRUMLIN_TESTS=OFF", "-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", steps.ROOT]
    steps.run("configure the runtime for aarch64", configure, log="aarch64-configure", environment=build.ENVIRONMENT)
    steps.run("build the runtime for aarch64", ["ninja", "-C", FOLDER, "-j", build.jobs(), "RunImage"], log="aarch64-build", environment=build.ENVIRONMENT)
    return FOLDER


def runner(folder):
    """Returns the command that runs an image (see examples/c/run_image.c). The caller appends the
    paths and the number of threads."""
    return ["qemu-aarch64", "-cpu", "max", "-E", f"LD_LIBRARY_PATH={folder / 'lib'}", str(folder / "bin" / "run_image")]


def compiled_cases(cases, command):
    """Yields the cases that need a single process, each compiled for one of the processors."""
    for i, case in enumerate(cases):
        if "run_parallel" not in (case.text or ""):
            yield case.followed_by("--target-cpu", LEVELS[i % len(LEVELS)], "--runner", command)


def hold_conformance(clone, command):
    binaries = build.build(targets=["drumlin-check"]) / "bin"
    known, report = conformance.exceptions(), {}
    conformance.print_head()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(int(build.jobs())) as pool:
        for suite in ("compiled-testdata", "compiled-interpreter"):
            cases = list(compiled_cases(conformance.SUITES[suite](clone, binaries), command))
            report[suite] = conformance.hold(suite, cases, known, pool, folder)[1]
    conformance.print_failed(report)
    return 1 if any(report.values()) else 0


def main(arguments):
    setup.debian_packages("aarch64", architecture="arm64")
    command = " ".join(runner(runtime()))
    if arguments.conformance:
        return hold_conformance(conformance.clone_at(arguments.conformance), command)
    made = build.build(targets=["FuzzPrograms"])
    first = arguments.first
    tally = fuzz_programs.Tally()

    def run(begin, count, level, tally):
        fuzz_programs.run_seeds([made / "bin" / "FuzzPrograms"], ["--check", "native", "--level", level, "--runner", command], os.environ, begin, count, tally)

    ranges = [(begin, min(CHUNK, first + arguments.count - begin), LEVELS[i % len(LEVELS)])
              for i, begin in enumerate(range(first, first + arguments.count, CHUNK))]
    fuzz_programs.hold(run, ranges, float("inf"), tally, "random programs on aarch64")
    for finding in tally.findings:
        print(json.dumps(finding))
    print(f"{tally.numbers['programs']} programs, {len(tally.findings)} findings: " + ", ".join(f"{name} {count}" for name, count in sorted(tally.sums["checks"].items())))
    return 1 if tally.findings else 0
