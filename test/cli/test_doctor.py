"""`doctor`: its report agrees with the machine, and each problem has a name, a remedy and a status."""
import json
import os
import re
import subprocess

import pytest

# Findings listed in docs/cli.md that depend on the test machine and can't be provoked by a test.
MACHINE = {"images-refused", "features-missing", "tiles-refused", "little-memory", "small-pages", "slow-unit", "slow-memory"}
STATUS = {"D1008": 1, "D1002": 1, "D6006": 3, "D6004": 4, "D1005": 6, "D5010": 5}


def told(result):
    found = json.loads(result.stdout)
    expected = STATUS[found["findings"][0]["code"]] if found["findings"] else 0
    assert result.returncode == expected and (f"error {found['findings'][0]['code']}" if expected else "") in result.stderr
    assert all(each["message"] and each["remedy"] for each in found["findings"])
    return found


def names(found):
    return {each["name"] for each in found["findings"]}


def test_the_machine(call, environment):
    found = told(call("doctor", "--json"))
    assert found["build"]["version"] in call("--version").stdout and re.fullmatch("[0-9a-f]{16,}", found["build"]["build_id"])
    assert found["build"]["llvm"].split(".")[0] in found["build"]["linker"]
    assert 1 <= found["threads"] <= found["processors"] == len(os.sched_getaffinity(0)) and found["memory"]["bytes"] > found["memory"]["available_bytes"] > 0
    target = json.loads(call("targets", "native", "--json").stdout)
    assert found["processor"]["features"] == target["features"]
    units = {unit["name"]: unit for unit in found["processor"]["units"]}
    assert set(units) == {unit["name"] for unit in target["units"]}
    assert units["fma"]["operations_per_second"] > 1e8 and found["processor"]["bytes_per_second"] > 1e8
    assert found["cache"]["path"] == found["cache"]["named"] == environment["DRUMLIN_CACHE"] and found["cache"]["can_be_written"]
    assert names(found) <= MACHINE


def test_the_text_has_the_same(call, environment):
    result = call("doctor")
    for part in ("build: drumlin ", " LLD ", "processor: ", "unit fma: ", "memory read: ", "tile registers: ", "threads: ", "memory: ",
                 "huge pages: ", f"kernel cache: {environment['DRUMLIN_CACHE']}, can be written"):
        assert part in result.stdout, part
    assert ("nothing is wrong" in result.stdout) == (result.returncode == 0)


def test_a_cache_that_cannot_be_written(build_folder, environment, tmp_path):
    """The cache is mounted read-only, so that even a superuser can't write."""
    cache = environment["DRUMLIN_CACHE"]
    mount = f"mount --bind {cache} {cache} && mount -o remount,bind,ro {cache} && ! touch {cache}/new 2>/dev/null"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode != 0:
        pytest.skip("this machine has no user namespaces to mount a folder in")

    def doctor(*options):
        return subprocess.run(["unshare", "-rm", "sh", "-c", " ".join([mount, "&& exec", f"{build_folder}/bin/drumlin", "doctor", *options])],
                              cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    found = told(doctor("--json"))
    assert found["findings"][0]["name"] == "cache-not-written" and found["findings"][0]["code"] == "D1002"
    assert not found["cache"]["can_be_written"]
    result = doctor()
    assert result.returncode == 1 and "cache-not-written D1002: " in result.stdout and "hint: name a folder of your own" in result.stdout


def test_it_writes_nothing(call, environment, tmp_path):
    """`doctor` writes nothing to the cache folder, whether the folder is missing, is empty, or has a user's files. In the last case, it also
    reports the cache's own folder inside."""
    environment["DRUMLIN_CACHE"] = str(tmp_path / "cache")
    found = told(call("doctor", "--json"))
    assert found["cache"]["can_be_written"] and found["cache"]["files"] == 0 and not (tmp_path / "cache").exists()
    (tmp_path / "cache").mkdir()
    assert told(call("doctor", "--json"))["cache"]["path"] == str(tmp_path / "cache") and not os.listdir(tmp_path / "cache")
    (tmp_path / "cache" / "file").write_text("the user's")
    found = told(call("doctor", "--json"))
    assert (found["cache"]["named"], found["cache"]["path"]) == (str(tmp_path / "cache"), str(tmp_path / "cache" / "drumlin-kernels"))
    assert found["cache"]["can_be_written"] and names(found) <= MACHINE and os.listdir(tmp_path / "cache") == ["file"]
    text = call("doctor").stdout
    assert f"kernel cache: {tmp_path}/cache/drumlin-kernels, can be written\n  inside of {tmp_path}/cache, whose other files" in text


def test_a_cache_that_others_may_write_to(call, environment):
    os.chmod(environment["DRUMLIN_CACHE"], 0o777)
    found = told(call("doctor", "--json"))
    assert found["findings"][0]["name"] == "cache-unusable" and found["findings"][0]["code"] == "D1008"


def test_no_cache_is_no_fault(call, environment):
    environment["DRUMLIN_CACHE_SIZE"] = "0"
    found = told(call("doctor", "--json"))
    assert found["cache"]["path"] == "" and names(found) <= MACHINE


@pytest.mark.parametrize("age, is_stale", [(20 * 365 * 86400, True), (-60, False)])
def test_a_stale_cache(call, add, environment, age, is_stale):
    assert call("compile", add, "-o", "add.so").returncode == 0
    cache = environment["DRUMLIN_CACHE"]
    entry, = (os.path.join(folder, file) for folder, _, files in os.walk(cache) for file in files if re.fullmatch("[0-9a-f]+", file))
    with open(entry, "ab") as file:
        file.truncate(600_000)
    now = os.stat(entry).st_mtime
    os.utime(entry, (now - age, now - age))
    found = told(call("doctor", "--json", "--cache-size", "1MB"))
    assert ("stale-cache" in names(found)) == is_stale
    assert found["cache"]["stale_bytes"] == (600_000 if is_stale else 0) and found["cache"]["bytes"] == 600_000
