"""Handlers that keep a state object between calls. When the program is destroyed, the destructor that was registered for the state's type is
called."""
import pathlib
import subprocess
import sys
import sysconfig

import pytest

SOURCE = pathlib.Path(__file__).with_name("stateful.cpp")
HEADERS = pathlib.Path(sysconfig.get_path("purelib")) / "jaxlib" / "include"
PROGRAM = """
import ctypes, gc, sys
import jax, numpy as np
library = ctypes.CDLL(sys.argv[1])
def register():
    for name in ("typeId", "typeInfo"):
        getattr(library, name).restype = ctypes.c_void_p
    capsule = lambda address: jax.ffi.pycapsule(ctypes.c_void_p(address))
    jax.ffi.register_ffi_type("counter", {"type_id": capsule(library.typeId()), "type_info": capsule(library.typeInfo())}, platform=sys.argv[3])
    jax.ffi.register_ffi_target("count", {"instantiate": jax.ffi.pycapsule(library.Make), "execute": jax.ffi.pycapsule(library.Count)}, platform=sys.argv[3])
if sys.argv[2] == "before":
    register()
assert jax.devices()[0].device_kind.startswith("Drumlin")
if sys.argv[2] == "after":
    register()
call = lambda: jax.ffi.ffi_call("count", jax.ShapeDtypeStruct((), np.int32), has_side_effect=True)()
counting = jax.jit(lambda: (call(), call())).lower().compile()
print([int(each) for _ in range(3) for each in counting()], library.alive())
del counting
jax.clear_caches()
gc.collect()
print(library.alive())
"""


@pytest.mark.parametrize("order, platform", [("before", "cpu"), ("after", "cpu"), ("after", "drumlin")])
def test_states_end_with_their_program(environment, tmp_path, order, platform):
    """The state's type is registered before or after JAX initializes its backends, for the platform `cpu` or `drumlin`."""
    library = tmp_path / "stateful.so"
    subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", "-shared", f"-I{HEADERS}", SOURCE, "-o", library], check=True, timeout=300)
    done = subprocess.run([sys.executable, "-c", PROGRAM, library, order, platform], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "[1, 1, 2, 2, 3, 3] 2\n0\n", done.stdout + done.stderr
