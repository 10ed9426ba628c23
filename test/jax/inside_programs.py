"""Tests of compiled programs: JAX's checks, linear algebra, cost analysis, options, serialization, export."""
import gzip
import itertools
import json
import re
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.experimental import checkify


def test_checks():
    checked = checkify.checkify(jax.jit(lambda x: jnp.log(x)), errors=checkify.float_checks)
    error, _ = checked(jnp.float32(-1.0))
    assert "nan" in error.get()
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        jax.jit(lambda x: x / x)(jnp.zeros(3)).block_until_ready()


def test_linear_algebra():
    matrix = np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32)
    symmetric = matrix @ matrix.T + np.eye(5, dtype=np.float32)
    assert np.allclose(jnp.linalg.eigh(symmetric)[0], np.linalg.eigvalsh(symmetric), rtol=1e-4)
    assert np.allclose(jnp.linalg.svd(matrix)[1], np.linalg.svd(matrix)[1], rtol=1e-4)
    assert np.allclose(jnp.linalg.solve(symmetric, matrix), np.linalg.solve(symmetric, matrix), atol=1e-4)
    q, r = jnp.linalg.qr(matrix)
    assert np.allclose(q @ r, matrix, atol=1e-5)
    assert "lapack_" not in jax.jit(jnp.linalg.cholesky).lower(symmetric).compile().as_text()
    factors = np.asarray(jnp.linalg.cholesky(jnp.stack([symmetric, -symmetric])))
    assert np.allclose(factors[0], np.linalg.cholesky(symmetric), atol=1e-4) and np.isnan(factors[1][np.tril_indices(5)]).all()
    upper = np.asarray(jnp.linalg.cholesky(symmetric, upper=True))
    assert np.allclose(upper.T @ upper, symmetric, atol=1e-4)
    solve = jax.lax.linalg.triangular_solve
    for left, lower, unit, transpose in itertools.product((False, True), repeat=4):
        x = np.asarray(solve(symmetric, matrix, left_side=left, lower=lower, unit_diagonal=unit, transpose_a=transpose))
        a = np.tril(symmetric) if lower else np.triu(symmetric)
        if unit:
            np.fill_diagonal(a, 1)
        a = a.T if transpose else a
        assert np.allclose(a @ x if left else x @ a, matrix, atol=1e-3)


def program_of_a_layer():
    return jax.jit(lambda x, w, b: jax.nn.relu(x @ w + b)).lower(jnp.ones((32, 64)), jnp.ones((64, 128)), jnp.ones(128))


def test_analysis():
    compiled = program_of_a_layer().compile()
    cost = compiled.cost_analysis()
    assert cost["matrix_flops"] == 2 * 32 * 64 * 128 and cost["flops"] >= cost["matrix_flops"]
    assert cost["asked_bytes_read"] == 4 * (32 * 64 + 64 * 128 + 128) and cost["asked_bytes_written"] == 4 * 32 * 128
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == 4 * (32 * 64 + 64 * 128 + 128) and memory.output_size_in_bytes == 4 * 32 * 128
    donating = jax.jit(lambda x: x + 1, donate_argnums=0).lower(jnp.ones(1000)).compile()
    assert donating.memory_analysis().alias_size_in_bytes == 4000


def test_readable_text():
    text = program_of_a_layer().compile().as_text()
    [line] = [line for line in text.splitlines() if "custom-call(" in line]
    config = json.loads(line[line.index("backend_config=") + len("backend_config="):])
    assert config["computes"] == "relu(arg0·arg1 + arg2)" and config["kind"] == "gemm" and config["flops"] >= 2 * 32 * 64 * 128
    assert "source_file" not in text


def test_options():
    lowered = program_of_a_layer()
    ignored = {"xla_cpu_enable_fast_math": True, "xla_gpu_ftz": False}
    text = lowered.compile(compiler_options={"numerics": "strict", "O": 1, "no_cache": True, **ignored}).as_text()
    assert set(re.search(r'ignored_options="([^"]*)"', text)[1].split(",")) == set(ignored)
    assert "ignored_options" not in lowered.compile().as_text()
    with pytest.raises(RuntimeError, match="No such compile option: 'fast_maths'"):
        lowered.compile(compiler_options={"fast_maths": True})
    with pytest.raises(RuntimeError, match="numerics.*D3023"):
        lowered.compile(compiler_options={"numerics": "sloppy"})


def test_requirements():
    lowered = program_of_a_layer()
    assert lowered.compile(compiler_options={"require": "dot: fused(bias, relu)"})
    with pytest.raises(RuntimeError, match="FAILED_PRECONDITION.*dot"):
        lowered.compile(compiler_options={"require": "dot: fused(bias, gelu)"})


def test_what_was_compiled_before_changes_nothing():
    """A compilation's result doesn't depend on earlier compilations, although contexts and passes are reused (except after programs with many
    constants)."""
    large = np.random.default_rng(1).standard_normal((1024, 600), np.float32)
    programs = [lambda x: x @ x, lambda x: jnp.fft.fft(jnp.sin(x)), lambda x: x @ large, lambda x: jnp.sort(x, 0) + jnp.arange(1024.0)]
    shape = jax.ShapeDtypeStruct((1024, 1024), jnp.float32)

    def image_and_text(number):
        jax.clear_caches()
        compiled = jax.jit(programs[number]).lower(shape).compile(compiler_options={"no_cache": True})
        program = compiled.runtime_executable()  # the options before the image are serialized in varying order
        serialized = program.serialize() if hasattr(program, "serialize") else program.client.serialize_executable(program)
        return serialized[serialized.index(b"\x7fELF"):], compiled.as_text()

    order = (0, 1, 2, 3, 3, 0, 2, 1, 0)
    made = [image_and_text(number) for number in order]  # all calls are on one line, since programs contain source locations
    assert [order.index(number) for number in order] == [made.index(program) for program in made]


def test_serialization():
    from jax.experimental import serialize_executable
    compiled = program_of_a_layer().compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    arguments = jnp.ones((32, 64)), jnp.ones((64, 128)), jnp.ones(128)
    assert np.array_equal(loaded(*arguments), compiled(*arguments))
    assert loaded.as_text() == compiled.as_text()  # the text of a loaded program is computed from the serialized program


def test_export():
    b, = export.symbolic_shape("b")
    f = jax.jit(lambda x: jnp.tanh(x).sum(axis=0))
    exported = export.export(f)(jax.ShapeDtypeStruct((b, 4), jnp.float32))
    assert exported.platforms == ("cpu",)
    for rows in (1, 3, 10):
        x = np.random.default_rng(rows).normal(size=(rows, 4)).astype(np.float32)
        assert np.allclose(exported.call(x), np.tanh(x).sum(axis=0), rtol=1e-5)


def test_topology():
    from jax.experimental import topologies
    topology = topologies.get_topology_desc("", "drumlin")
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    lowered = jax.jit(lambda x: x @ x, in_shardings=sharding).lower(jax.ShapeDtypeStruct((64, 64), jnp.float32))
    assert lowered.compile().cost_analysis()["matrix_flops"] == 2 * 64**3


def test_threads():
    """Many threads compile and run at once."""
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).normal(size=(17, 17)).astype(np.float32)
        for i in range(10):
            made = jax.jit(lambda x: x @ x + (seed * 100 + i))(x)
            if not np.allclose(made, x @ x + (seed * 100 + i), rtol=1e-4, atol=1e-4):
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and time.monotonic() - begin < 300


def test_profile(tmp_path):
    """Traces show kernels by name, with the program's name and the number of tiles."""
    program = jax.jit(lambda x: jnp.tanh(x @ x).sum(axis=0))
    x = jnp.ones((256, 256))
    expected = program(x)
    with jax.profiler.trace(tmp_path, create_perfetto_trace=True):
        for _ in range(3):
            traced = program(x).block_until_ready()
    assert np.array_equal(traced, expected)
    names = re.findall(r'custom_call_target="(\w+)"', program.lower(x).compile().as_text())
    [collected] = tmp_path.rglob("*.xplane.pb")
    assert names and all(name.encode() in collected.read_bytes() for name in names)
    if jax.__version_info__ < (0, 7):
        return  # JAX's conversion for Perfetto omits events that aren't XLA's
    [trace] = tmp_path.rglob("perfetto_trace.json.gz")
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    kernels = [event for event in events if event.get("args", {}).get("program") == "jit__lambda"]
    assert {event["name"] for event in kernels} == set(names) and all(event["dur"] > 0 for event in kernels)
    assert len(kernels) >= 3 * len(names)


def test_meshes_of_one_device():
    """Programs whose arguments are arrays on a mesh of one device: their results have shardings over the same mesh."""
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    x = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    for kind in (AxisType.Auto, AxisType.Explicit):
        mesh = jax.make_mesh((1, 1), ("rows", "columns"), axis_types=(kind, kind))
        rows, whole = NamedSharding(mesh, P("rows", "columns")), NamedSharding(mesh, P())
        for sharding in (rows, whole):
            placed = jax.device_put(x, sharding)
            compiled = jax.jit(lambda a: (a * a, a.sum())).lower(placed).compile()
            squares, total = compiled(placed)
            assert np.array_equal(squares, x * x) and np.allclose(total, x.sum(), atol=1e-5)
            [given], _ = compiled.input_shardings
            assert given.is_equivalent_to(sharding, 2)
            assert all(each.is_fully_replicated for each in compiled.output_shardings)
            assert squares.sharding.device_set == {jax.devices()[0]} and np.array_equal(jax.jit(lambda a: a + 1)(squares), x * x + 1)
        kept = jax.jit(lambda a: jax.lax.with_sharding_constraint(a * 2, rows) if kind == AxisType.Auto else a * 2, donate_argnums=0)
        assert np.array_equal(kept(jax.device_put(x, rows)), x * 2)
        assert np.array_equal(jax.jit(lambda a: a - 1, in_shardings=rows, out_shardings=rows)(x), x - 1)
        mapped = jax.shard_map(lambda a: jax.lax.psum(a.sum(axis=0), "rows"), mesh=mesh, in_specs=P("rows", "columns"), out_specs=P("columns"))
        placed = jax.device_put(x, rows)
        assert np.allclose(jax.jit(mapped)(placed), x.sum(axis=0), atol=1e-5)
        gathered = jax.shard_map(lambda a: jax.lax.all_gather(a, "rows", tiled=True) + jax.lax.axis_index("columns"), mesh=mesh,
                                 in_specs=P("rows", "columns"), out_specs=P(None, "columns"), check_vma=False)
        assert np.array_equal(gathered(placed), x)


def test_pmap_of_one_device():
    x = np.arange(8, dtype=np.float32)[None]
    made = jax.pmap(lambda a: a / jax.lax.psum(a, "i").sum(), axis_name="i")(x)
    assert made.shape == (1, 8) and np.allclose(made, x / x.sum())
    assert np.array_equal(jax.pmap(lambda a: jax.lax.ppermute(a, "i", [(0, 0)]), axis_name="i")(x), x)
