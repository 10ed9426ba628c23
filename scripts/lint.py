"""`./dev lint` and `./dev format`: the project's own rules, clang-format, clang-tidy."""
import concurrent.futures
import json
import re
import shlex
import subprocess
import time

from scripts import build, lint_rules, rooms, setup, steps

FORMATTED = ("*.cpp", "*.h", "*.c")
# clang-tidy always checks these folders: they don't include MLIR headers, so a file takes a second or two.
# `--all` checks the other folders too.
TIDY_FOLDERS = ("drumlin/support/", "drumlin/interpreter/kernels/", "drumlin/runtime/", "drumlin/hlo/")
# The number of parts of the files of which `--part` checks one.
PARTS = 3
# Arguments of compile commands that clang-tidy can't use, since the precompiled headers were made by another compiler.
DROPPED_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-include-pch")


def tracked(*patterns):
    """Returns tracked and new (not ignored) files that exist."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns], cwd=steps.ROOT,
                             capture_output=True, text=True)
    if listing.returncode != 0:
        raise steps.Failure("git can't list this clone's files: " + listing.stderr.strip(), "run this inside a git clone")
    return sorted(path for path in set(listing.stdout.split("\0")) if path and (steps.ROOT / path).is_file())


def read_tree():
    tree = {}
    for path in tracked():
        try:
            tree[path] = (steps.ROOT / path).read_text()
        except UnicodeDecodeError:
            pass  # not text: arrays and images
    return tree


def own_rules():
    tree = read_tree()
    found = sorted([*lint_rules.findings(tree), *rooms.check(tree)])
    for finding in found:
        print(finding)
    steps.say(f"own rules: {len(tree)} files, {len(found)} findings")
    print("  largest files: " + ", ".join(f"{path} {lines}" for lines, path in lint_rules.largest_files(tree)))
    return len(found)


def clang_format(*options):
    files = tracked(*FORMATTED)
    if not files:
        return 0
    result = subprocess.run([setup.VENV / "bin" / "clang-format", *options, *files], cwd=steps.ROOT, capture_output=True,
                            text=True)
    bad = sorted(set(re.findall(r"^(\S+?):\d+:\d+: (?:error|warning)", result.stderr, re.MULTILINE)))
    if result.returncode != 0 and not bad:
        raise steps.Failure("clang-format: " + result.stderr.strip()[:500], "fix the error above")
    for path in bad:
        print(f"{path}:1: not in the project's format: run ./dev format [format]")
    return len(bad)


def tidy_command(entry):
    """Returns the arguments with which clang-tidy parses a file: the compiler's arguments, except
    those that only the build itself can use."""
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    kept, skip = [], False
    for index, argument in enumerate(arguments[1:]):
        if skip:
            skip = False
        elif argument in DROPPED_WITH_VALUE:
            skip = True
        elif argument == "-Xclang":
            # Builds use -Xclang only for precompiled headers: it is dropped with the argument after it.
            skip = True
        elif argument.startswith(("-W", "-M")) or argument in ("-c", "-Winvalid-pch", entry["file"]) \
                or argument.endswith(("clang-22", "clang++-22")):
            continue
        else:
            kept.append(argument)
    return kept


def headers_key():
    headers = [p for p in tracked("*.h", "*.def") if p.startswith(TIDY_FOLDERS)]
    return steps.digest(steps.ROOT / ".clang-tidy", *(steps.ROOT / p for p in headers))


def tidy_one(entry, path, key):
    """Returns clang-tidy's findings in one file. An empty result is cached."""
    stamp = f"tidy-{path.replace('/', '-')}"
    if steps.is_done(stamp, key):
        return ""
    result = subprocess.run([setup.VENV / "bin" / "clang-tidy", "--quiet", "--warnings-as-errors=*", path, "--",
                             *tidy_command(entry)], cwd=steps.ROOT, capture_output=True, text=True)
    if result.returncode == 0:
        steps.remember(stamp, key)
        return ""
    return result.stdout if result.stdout.strip() else f"{path}:1: clang-tidy failed: {result.stderr}"


def clang_tidy(everything, part):
    build.generated_headers("release", TIDY_FOLDERS)
    entries = json.loads((build.folder("release") / "compile_commands.json").read_text())
    sources = {entry["file"].removeprefix(f"{steps.ROOT}/"): entry for entry in entries}
    wanted = [path for path in tracked("*.cpp", "*.c")
              if path in sources and (everything or path.startswith(TIDY_FOLDERS))]
    if part:
        wanted = wanted[steps.part_of_commit(PARTS)::PARTS]
    shared_key = headers_key()
    progress, bad = steps.Progress("clang-tidy"), 0
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(build.jobs()) as pool:
        jobs = [pool.submit(tidy_one, sources[path], path,
                            steps.digest(shared_key, steps.ROOT / path, *tidy_command(sources[path]))) for path in wanted]
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            output = job.result()
            progress.show(f"{number} of {len(jobs)}")
            if output:
                bad += 1
                progress.clear()
                print(output.replace(f"{steps.ROOT}/", ""), end="", flush=True)
    progress.clear()
    steps.say(f"clang-tidy: {len(wanted)} files, {bad} with findings, {time.monotonic() - begin:.1f} s")
    return bad


def main(arguments):
    bad = own_rules()
    if not arguments.text_only:
        setup.everything("lint")
        begin = time.monotonic()
        unformatted = clang_format("--dry-run", "-Werror")
        steps.say(f"clang-format: {unformatted} files not in format, {time.monotonic() - begin:.1f} s")
        bad += unformatted + clang_tidy(arguments.all, arguments.part)
    steps.say("lint: nothing to fix" if bad == 0 else f"lint: {bad} to fix")
    return 1 if bad else 0


def write_rooms(arguments):
    """`./dev rooms`"""
    (steps.ROOT / rooms.PAGE).write_text(rooms.page(read_tree()))
    return 0


def format_sources(arguments):
    setup.everything("lint")
    clang_format("-i")
    steps.say(f"format: {len(tracked(*FORMATTED))} files")
