"""Builds and tests the committed sources in a bare system of a Debian release, in the same way as
after a fresh clone."""
import shutil
import subprocess

from scripts import roots, steps

# Cloning needs Git, and tests query it for tracked files.
GIT = "apt-get update -qq; apt-get install -y -qq --no-install-recommends git"


def main(arguments):
    folder = roots.make(arguments.release) / "drumlin"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", steps.ROOT, folder], check=True)
    steps.free_space_check(folder, 12)
    status, log = roots.run(arguments.release, arguments.command, f"{GIT}; cd /drumlin; {arguments.command}", log=f"debian-{arguments.release}", check=False)
    print(steps.tail(log, 40 if status else 6), flush=True)
    return status
