"""The example's model, compiled, continues a text as JAX does: through the C interface, and with a system compiler."""
import json
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "tiny_llama"


@pytest.mark.slow
@pytest.mark.parametrize("bound", [True, False], ids=["bound", "arguments"])
def test_writes_what_jax_writes(build_folder, tmp_path, bound):
    drumlin, library = build_folder / "bin" / "drumlin", build_folder / "lib"
    supported = (ROOT / "test" / "models" / "supported.txt").read_text()
    if "\nllama_decode_f32: compiled" not in supported:
        pytest.skip("supported.txt does not list llama_decode_f32 as compiled")
    image, generate = tmp_path / "decode.so", tmp_path / "generate"
    weights = ["--weights", EXAMPLE / "model.safetensors"]
    subprocess.run([drumlin, "compile", EXAMPLE / "decode.mlir", "-o", image, *(weights if bound else [])], check=True, timeout=600)
    subprocess.run([shutil.which("c++") or "g++", "-std=c++20", "-O2", f"-I{ROOT}", EXAMPLE / "generate.cpp", "-o", generate,
                    f"-L{library}", "-ldrumlin_runtime", f"-Wl,-rpath,{library}", "-pthread"], check=True, timeout=300)
    expected = json.loads((EXAMPLE / "expected.json").read_text())
    result = subprocess.run(
        [generate, image, *([] if bound else weights), "--vocabulary", EXAMPLE / "vocabulary.txt", "--prompt", expected["prompt"],
         "--temperature", "0", "--tokens", str(len(expected["tokens"])), "--show-tokens"],
        capture_output=True, text=True, check=True, timeout=300)
    assert result.stdout.splitlines()[0] == expected["prompt"] + expected["text"]
    tokens = next(line for line in result.stdout.splitlines() if line.startswith("tokens:"))
    assert [int(token) for token in tokens.split()[1:]] == expected["tokens"]
