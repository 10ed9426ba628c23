"""libdrumlin compiles for C programs, which are built against what is installed: one header, one library."""
import re
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).parent / "compile.c"


def output(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=120, **options).stdout


@pytest.fixture(scope="module")
def installed(build_folder, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    for component in ("runtime", "compiler"):
        output("cmake", "--install", build_folder, "--prefix", prefix, "--component", component)
    return prefix


def test_c_programs_compile(installed, environment, tmp_path):
    program = tmp_path / "compile"
    output(shutil.which("cc") or "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{installed}/include", SOURCE, "-o", program,
           f"-L{installed}/lib", "-ldrumlin", f"-Wl,-rpath,{installed}/lib")
    ran = subprocess.run([program, tmp_path / "add.so"], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("ok\n", "", 0)


def test_what_the_libraries_offer(installed):
    """One interface: what the small library lacks is compiling, and neither shows anything else."""
    def symbols(name):
        lines = output("nm", "-D", "--defined-only", installed / "lib" / name).splitlines()
        return {line.split()[-1] for line in lines}

    declared = set(re.findall(r"^DRUMLIN_EXPORT[^;]*?\b(drumlin_\w+)\(", (installed / "include/drumlin/runtime/drumlin.h").read_text(),
                              re.MULTILINE))
    assert symbols("libdrumlin.so") == declared
    assert declared - symbols("libdrumlin_runtime.so") == {"drumlin_compile", "drumlin_command", "drumlin_text_free"}


def test_the_small_library_stays_small(installed):
    sizes = {path.name: path.stat().st_size for path in (installed / "lib").iterdir()}
    assert sizes["libdrumlin_runtime.so"] < 1e6 < sizes["libdrumlin.so"]
