"""Runs one step at a time. Reports what is being done, its progress and time, and what to do if it
fails."""
import contextlib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOGS = BUILD / "logs"
STAMPS = BUILD / "stamps"
NINJA_PROGRESS = re.compile(r"^\[(\d+)/(\d+)\]")
QUIET_SECONDS = 20  # without a terminal, a running step is reported this often

started = time.monotonic()


class Failure(Exception):
    """A step that failed: the problem and its remedy."""

    def __init__(self, what, remedy, status=1):
        super().__init__(what)
        self.what, self.remedy, self.status = what, remedy, status


def elapsed():
    return f"[{time.monotonic() - started:6.1f} s]"


def say(text):
    print(f"{elapsed()} {text}", flush=True)


def on_terminal():
    return sys.stdout.isatty()


class Progress:
    """The status line of a running step. It is rewritten in place on a terminal, and repeated
    occasionally elsewhere."""

    def __init__(self, title):
        self.title, self.detail = title, ""
        self.last = time.monotonic()

    def show(self, detail):
        self.detail = detail
        self.tick()

    def tick(self):
        """Updates the line. Called several times a second, even without progress."""
        now = time.monotonic()
        if on_terminal():
            if now - self.last > 0.1:
                self.last = now
                width = max(40, os.get_terminal_size().columns - 1)
                print("\r\033[K" + f"{elapsed()} {self.title} … {self.detail}"[:width], end="", flush=True)
        elif now - self.last > QUIET_SECONDS:
            self.last = now
            say(f"{self.title} … {self.detail}")

    def clear(self):
        if on_terminal():
            print("\r\033[K", end="", flush=True)


def free_space_check(path, gigabytes):
    stat = os.statvfs(path)
    free = stat.f_bavail * stat.f_frsize / 1e9
    if free < gigabytes:
        raise Failure(f"{free:.1f} GB are free under {path}, this step needs {gigabytes} GB",
                      "free some disk space, then run the same command again")


def tail(log, lines=40):
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def run(title, command, *, log, environment=None, cwd=ROOT, check=True, explain=None):
    """Runs a command. Its output goes to build/logs/LOG.log, and its progress to the screen.
    Returns (exit status, log path).

    `explain` maps the text of a failed run to a Failure, or to None if the end of the log explains
    the failure best."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log}.log"
    progress = Progress(title)
    begin = time.monotonic()
    with open(path, "w", errors="replace") as file:
        file.write("$ " + " ".join(map(str, command)) + "\n")
        file.flush()
        try:
            process = subprocess.Popen(list(map(str, command)), cwd=cwd, env=dict(os.environ, **(environment or {})),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, errors="replace")
        except OSError as error:
            raise Failure(f"can't start `{command[0]}`: {error.strerror}", "install it, or run `./dev setup`") from None
        reader = threading.Thread(target=read_output, args=(process.stdout, file, progress), daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(0.2)
                progress.tick()
            status = process.wait()
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
    progress.clear()
    seconds = time.monotonic() - begin
    if status == 0 or not check:
        say(f"{title}: {'done' if status == 0 else f'exit status {status}'} in {seconds:.1f} s")
        return status, path
    text = path.read_text(errors="replace")
    better = explain(text) if explain else None
    print(tail(path), flush=True)
    if "No space left on device" in text:
        better = Failure(f"{title}: the disk is full", "free some disk space, then run the same command again")
    raise better or Failure(f"{title}: exit status {status}; its output ends above, all of it is in {path.relative_to(ROOT)}",
                            "fix the error, then run the same command again")


def read_output(stream, file, progress):
    for line in stream:
        file.write(line)
        file.flush()
        match = NINJA_PROGRESS.match(line)
        progress.detail = f"{match[1]} of {match[2]}" if match else line.strip()


def part_of_commit(parts):
    """Returns the number of the part of a long check that this clone runs. It depends on the
    commit, so that successive commits cover all parts."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return int(commit[:8] or "0", 16) % parts


def digest(*parts):
    """Returns a key of the contents of files, and of texts."""
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
        hasher.update(b"\0")
    return hasher.hexdigest()


@contextlib.contextmanager
def once(name, key):
    """Yields True if the work called `name` has not been done for this key. If no exception is
    raised, the work is then recorded as done."""
    if is_done(name, key):
        yield False
        return
    yield True
    remember(name, key)


def is_done(name, key):
    stamp = STAMPS / name
    return stamp.exists() and stamp.read_text() == key


def remember(name, key):
    STAMPS.mkdir(parents=True, exist_ok=True)
    (STAMPS / name).write_text(key)
