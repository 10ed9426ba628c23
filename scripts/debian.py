"""Builds and tests what is committed in a bare system of a Debian release, as someone does who has just cloned it."""
import shutil
import subprocess

from scripts import roots, steps


def main(arguments):
    folder = roots.make(arguments.release) / "drumlin"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", steps.ROOT, folder], check=True)
    steps.free_space_check(folder, 12)
    status, log = roots.run(arguments.release, arguments.command, f"cd /drumlin; {arguments.command}", log=f"debian-{arguments.release}", check=False)
    print(steps.tail(log, 40 if status else 6), flush=True)
    return status
