"""Configures with a CMake preset and builds with Ninja; ccache keeps compilation results."""
import os
import shutil
import subprocess

from scripts import setup, steps

# ccache can only cache precompiled headers if it may ignore their macros and times. ccache gets a file's dependencies from the
# compiler, so it needn't preprocess the file.
ENVIRONMENT = {"CCACHE_SLOPPINESS": "pch_defines,time_macros", "CCACHE_DEPEND": "1", "NINJA_STATUS": "[%f/%t] "}
GIB_PER_JOB = 2.0  # a translation unit with MLIR headers and patterns takes up to 1.8 GiB


def jobs():
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return max(1, min(os.cpu_count() or 1, int(memory / GIB_PER_JOB)))


def folder(preset):
    return steps.BUILD / preset


def explain_compiler(text):
    if "signal 9" in text or "Killed" in text:
        return steps.Failure("the compiler was killed: not enough memory",
                             "close other programs, or build with fewer jobs: `ninja -C build/release -j1`")
    return None


def configure(preset="release"):
    setup.everything()
    inputs = [steps.ROOT / "CMakePresets.json", steps.ROOT / "CMakeLists.txt"]
    if not inputs[0].exists():
        raise steps.Failure("CMakePresets.json is missing", "check out the whole clone again")
    target = folder(preset)
    with steps.once(f"configure-{preset}", steps.digest(*inputs)) as needed:
        if needed or not (target / "build.ninja").exists():
            steps.run(f"configure {preset}", ["cmake", "--preset", preset], log=f"configure-{preset}",
                      environment=ENVIRONMENT)
    return target


def build(preset="release", targets=()):
    """Builds everything, or only the given targets. Returns the build folder."""
    target = configure(preset)
    steps.free_space_check(steps.ROOT, 2)
    steps.run(f"build {preset}", ["ninja", "-C", target, "-j", jobs(), *targets], log=f"build-{preset}",
              environment=ENVIRONMENT, explain=explain_compiler)
    return target


def generated_headers(preset, folders):
    """Builds only the generated headers of some folders, so that tools can read their sources."""
    target = configure(preset)
    listing = subprocess.run(["ninja", "-C", target, "-t", "targets", "rule", "CUSTOM_COMMAND"], capture_output=True, text=True)
    headers = [line for line in listing.stdout.splitlines()
               if line.startswith(tuple(folders)) and line.endswith((".h", ".inc"))]
    if headers:
        steps.run("generated headers", ["ninja", "-C", target, *headers], log="generated-headers", environment=ENVIRONMENT)


def main(arguments):
    target = build(arguments.preset)
    binary = target / "bin" / "drumlin"
    if binary.exists():
        steps.say(f"the compiler is {binary.relative_to(steps.ROOT)}")
    if shutil.which("ccache") and arguments.verbose:
        subprocess.run(["ccache", "--show-stats"])
