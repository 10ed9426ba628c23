"""An image runs without LLVM: in a root folder with only the image, the runtime library, a C program, and the C libraries."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from test_models import assert_close, tolerance

MODELS = pathlib.Path(__file__).parent
ROOT = MODELS.parents[1]
NAMES = sorted(path.parent.name for path in MODELS.glob("*/program.mlir"))
QUICK = ("fp8_scaled_matmul_amax", "llama_decode_f32", "sample_tokens")
COMPILER = re.compile(r"llvm|mlir|lld|clang", re.IGNORECASE)
# Commands that enter the new root folder. Of the old root's folders, only /proc, which every machine has, is visible there.
ENTER = 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"'
# Options of `unshare`: a superuser needs a mount namespace, another user needs a user namespace, too.
NAMESPACES = "--mount" if os.geteuid() == 0 else "--mount --user --map-root-user"


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=120).stdout


def needed_files(binary):
    """Returns the libraries that the dynamic loader loads for a program, and the loader itself."""
    return [pathlib.Path(path) for path in re.findall(r"(?:=>\s*|^\s*)(/\S+)", output("ldd", binary), re.MULTILINE)]


def run_inside(root, *command):
    return subprocess.run(["unshare", *NAMESPACES.split(), "sh", "-c", ENTER, root, *command], capture_output=True, text=True,
                          timeout=120)


def put(root, path):
    """Copies a file to the same path below the root folder."""
    target = root / path.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, target)


@pytest.fixture(scope="session")
def bare_root(build_folder, tmp_path_factory):
    """A folder that is a complete system: a program that runs images, and the libraries that it needs."""
    root, built = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("runner") / "run_alone"
    library = build_folder / "lib" / "libdrumlin_runtime.so"
    subprocess.run([shutil.which("cc") or "gcc", "-std=c11", "-O1", f"-I{ROOT}", MODELS / "run_alone.c", "-o", built, library,
                    f"-Wl,-rpath,{library.parent.resolve()}"], check=True, timeout=120)
    for path in needed_files(built):
        assert not COMPILER.search(path.name), path
        put(root, path)
    shutil.copy(built, root / "run_alone")
    (root / "proc").mkdir()
    if subprocess.run(["unshare", *NAMESPACES.split(), "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody change the root folder: no user namespaces, and not root")
    assert run_inside(root, "/run_alone").returncode == 2  # prints its usage
    return root


def test_libraries_of_the_runtime(build_folder):
    library = build_folder / "lib" / "libdrumlin_runtime.so"
    named = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library))
    assert "libc.so.6" in named and not any(COMPILER.search(name) for name in named)
    symbols = output("nm", "-D", "-C", library)
    assert "drumlin_run" in symbols and not re.search(r"\b(llvm|mlir|lld)::", symbols)


@pytest.mark.parametrize("name", NAMES)
def test_image_needs_no_library(image_of, name):
    dynamic = output("readelf", "-d", image_of(name))
    assert "Dynamic section" in dynamic and "(NEEDED)" not in dynamic and "PATH)" not in dynamic
    wanted = {line.split()[1] for line in output("nm", "-D", "--undefined-only", image_of(name)).splitlines()}
    assert wanted <= {"memcpy", "memset"}
    defined = {line.split()[2] for line in output("nm", "-D", "--defined-only", image_of(name)).splitlines()}
    assert defined == {"drumlin_image"}


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES])
def test_runs_in_a_root_folder_without_llvm(bare_root, image_of, name):
    folder = MODELS / name
    types = json.loads((folder / "types.json").read_text())
    for leftover in [*bare_root.glob("*.in"), *bare_root.glob("*.out")]:
        leftover.unlink()
    shutil.copy(image_of(name), bare_root / "image.so")
    inputs = np.load(folder / "inputs.npz")
    for key in inputs.files:
        (bare_root / f"{key.removeprefix('in')}.in").write_bytes(np.ascontiguousarray(inputs[key]).tobytes())
    ran = run_inside(bare_root, "/run_alone", "/image.so")
    assert ran.returncode == 0, ran.stderr
    expected = np.load(folder / "expected.npz")
    assert len(list(bare_root.glob("*.out"))) == len(expected.files)
    for key in expected.files:
        kind = np.dtype(types[key])
        bytes_of_result = (bare_root / f"{key.removeprefix('out')}.out").read_bytes()
        got = np.frombuffer(bytes_of_result, kind).reshape(expected[key].shape)
        assert_close(got, expected[key].view(kind) if expected[key].dtype != kind else expected[key],
                     tolerance(name, types, "compiled"))
