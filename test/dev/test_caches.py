"""No test reads or fills the user's kernel cache (tools/test/cache.test checks this for the lit tests)."""
import json
import os
import subprocess


def test_of_unit_tests(build_folder):
    listing = subprocess.run(["ctest", "--test-dir", build_folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = json.loads(listing.stdout)["tests"]
    assert tests
    for test in tests:
        # These tests run no Drumlin code.
        if test["name"].startswith("MathSymbols"):
            continue
        variables = {each["name"]: each["value"] for each in test["properties"]}.get("ENVIRONMENT", [])
        assert any(variable.startswith("DRUMLIN_CACHE=") for variable in variables), test["name"]


def test_of_python_tests(build_folder):
    assert os.environ["DRUMLIN_CACHE"] == str(build_folder / "test-cache")
