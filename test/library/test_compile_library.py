"""libdrumlin compiles for C programs, which are built with the installed files: one header, one library."""
import re
import pathlib
import shutil
import subprocess
import sysconfig

import pytest

SOURCES = pathlib.Path(__file__).parent
XLA_HEADERS = pathlib.Path(sysconfig.get_path("purelib")) / "jaxlib" / "include"


def output(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=120, **options).stdout


@pytest.fixture(scope="module")
def installed(build_folder, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    for component in ("runtime", "compiler"):
        output("cmake", "--install", build_folder, "--prefix", prefix, "--component", component)
    return prefix


@pytest.mark.parametrize("name", ["compile", "calls"])
def test_c_programs_compile(name, installed, environment, tmp_path):
    program = tmp_path / name
    output(shutil.which("cc") or "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{installed}/include", "-isystem", XLA_HEADERS, SOURCES / f"{name}.c", "-o", program,
           f"-L{installed}/lib", "-ldrumlin", f"-Wl,-rpath,{installed}/lib")
    ran = subprocess.run([program, tmp_path / "add.so"], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("ok\n", "", 0)


def functions(installed):
    """The functions that the header declares."""
    text = (installed / "include/drumlin/runtime/drumlin.h").read_text()
    return set(re.findall(r"^DRUMLIN_EXPORT[^;]*?\b(drumlin_\w+)\(", text, re.MULTILINE))


def test_null_pointers(installed, environment, tmp_path):
    """Calls each function with NULL for each of its pointers. null_pointers.c must have calls of every function in the header."""
    program = tmp_path / "null_pointers"
    output(shutil.which("cc") or "gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-nonnull", f"-I{installed}/include",
           SOURCES / "null_pointers.c", "-o", program, f"-L{installed}/lib", "-ldrumlin", f"-Wl,-rpath,{installed}/lib")
    ran = subprocess.run([program, tmp_path / "add.so"], capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert set(ran.stdout.split()) == functions(installed)


def test_what_the_libraries_offer(installed):
    """Both libraries have the same interface, except that the runtime library can't compile. They export no other symbols."""
    def symbols(name):
        lines = output("nm", "-D", "--defined-only", installed / "lib" / name).splitlines()
        return {line.split()[-1] for line in lines}

    declared = functions(installed)
    # Symbols that JAX needs, and symbols for the plugin package `jax_plugins.drumlin`.
    plugin = {"GetPjrtApi", "drumlin_on_callback", "drumlin_before_exit", "drumlin_execution_count"}
    assert symbols("libdrumlin.so") == declared | plugin
    assert declared - symbols("libdrumlin_runtime.so") == {"drumlin_compile", "drumlin_command", "drumlin_text_free"}


def test_the_small_library_stays_small(installed):
    sizes = {path.name: path.stat().st_size for path in (installed / "lib").iterdir()}
    # Hardening (stack guards and checked calls of the C library) takes 5 % of the size.
    assert sizes["libdrumlin_runtime.so"] < 1.12e6 < sizes["libdrumlin.so"]


def test_protocol_buffers(build_folder, tmp_path):
    """The library reads the same module from a protocol buffer, from the protocol buffer's text form, and from HLO text."""
    import ctypes
    import subprocess
    (tmp_path / "m.hlo").write_text("HloModule m\n\nENTRY %e (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} negate(%x)\n}\n")
    library = ctypes.CDLL(str(build_folder / "lib" / "libdrumlin.so"))
    library.drumlin_command.restype = ctypes.c_void_p
    plans = set()
    for form in ("hlo-proto", "hlo-proto-text", "hlo"):
        # All forms get the same file name, since plans contain the name.
        subprocess.run([build_folder / "bin" / "drumlin", "convert", tmp_path / "m.hlo", "--emit", form, "-o", tmp_path / "module"], check=True)
        arguments = (ctypes.c_char_p * 2)(b"plan", str(tmp_path / "module").encode())
        text = ctypes.c_char_p()
        assert not library.drumlin_command(arguments, ctypes.c_size_t(2), None, ctypes.c_size_t(0), ctypes.byref(text))
        plans.add(text.value)
    assert len(plans) == 1 and b"negate" in plans.pop()
