"""Handlers compiled against the headers of other jaxlib versions, one for each version of XLA's interface."""
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from test_custom_calls import FAILING, HANDLERS, Runner, main

# The minor version of the interface in each jaxlib release. The installed jaxlib, which other tests use, has 0.3.
VERSIONS = {"0.5.3": 1, "0.8.3": 2, "0.11.2": 4, "0.12.0": 5}
PLATFORMS = [word for name in ("manylinux2014_x86_64", "manylinux_2_27_x86_64") for word in ("--platform", name)]


@pytest.fixture(scope="module", params=VERSIONS)
def library(request, pip, tmp_path_factory):
    folder = tmp_path_factory.mktemp("headers")
    pip(sys.executable, "download", "--no-deps", "--only-binary=:all:", "--python-version", "3.12", *PLATFORMS, "--dest", folder, f"jaxlib=={request.param}")
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("jaxlib/include/xla/ffi/")])
    wheel.unlink()
    headers = folder / "jaxlib" / "include"
    assert f"#define XLA_FFI_API_MINOR {VERSIONS[request.param]}\n" in (headers / "xla/ffi/api/c_api.h").read_text()
    made = folder / "handlers.so"
    subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", "-shared", f"-I{headers}", str(HANDLERS), "-o", str(made)], check=True, timeout=300)
    return made


@pytest.mark.slow
def test_handlers_of_other_headers(library, build_folder, tmp_path):
    runner = Runner(tmp_path, build_folder / "bin" / "drumlin", library)
    x = np.arange(6, dtype=np.float32)
    program = main("""
    %s = stablehlo.custom_call @scale(%a0) {api_version = 4 : i32, backend_config = {factor = 2.5 : f32}} : (tensor<6xf32>) -> tensor<6xf32>
    %l = stablehlo.custom_call @later(%s) {api_version = 4 : i32} : (tensor<6xf32>) -> tensor<6xf32>
    %r = stablehlo.custom_call @context(%l) {api_version = 4 : i32} : (tensor<6xf32>) -> tensor<6xf32>""", "tensor<6xf32>", results=["tensor<6xf32>"])
    [y] = runner.run(program, {"scale": "Scale", "later": "Later", "context": "Context"}, [x])
    np.testing.assert_array_equal(y, 2 * (2.5 * x + 1))
    done, _ = runner.start(FAILING, {"fail": "Fail"}, [np.zeros(4, np.float32)])
    assert done.returncode == 3 and "D6011" in done.stderr and "`@fail`: the matrix is not to its liking" in done.stderr
