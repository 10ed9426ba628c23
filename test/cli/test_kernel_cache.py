"""The kernel cache from the command line: it saves time and never changes results, whatever happens to its folder."""
import hashlib
import os
import pathlib
import subprocess

import pytest

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
PROGRAM = MODELS / "mlp_train_step" / "program.mlir"


@pytest.fixture
def cache(environment):
    return pathlib.Path(environment["DRUMLIN_CACHE"])


@pytest.fixture
def compiled(call, tmp_path):
    """Fixture compiled(*options): returns an image's bytes and what was printed."""
    def run(*options, program=PROGRAM):
        result = call("compile", program, "-o", "x.so", *options)
        assert result.returncode == 0, result.stdout + result.stderr
        return (tmp_path / "x.so").read_bytes(), result.stdout
    return run


def entries(cache):
    """Returns the cached entries, without the folder's marker and the file that counts stored bytes."""
    return {path: path.read_bytes() for path in cache.rglob("*") if path.is_file() and path.name not in (".stored", "CACHEDIR.TAG")}


def test_a_hit_gives_the_same_image(compiled, cache):
    fresh, said = compiled("--no-cache")
    assert not entries(cache) and "from the cache" not in said
    filling, said = compiled()
    assert entries(cache) and "from the cache" not in said
    hit, said = compiled()
    assert f"({len(entries(cache))} from the cache)" in said
    assert fresh == filling == hit


def test_one_target_never_gets_the_code_of_another(compiled):
    fresh = {target: compiled("--no-cache", "--target-cpu", target)[0] for target in ("baseline", "avx2", "avx512")}
    assert len(set(fresh.values())) == 3
    for _ in range(2):
        for target, image in fresh.items():
            assert compiled("--target-cpu", target)[0] == image


def damaged(content):
    """Yields entries that are damaged as a full disk, a crash or a failing disk might damage them."""
    yield b""
    yield content[:7]
    yield content[:len(content) // 2]
    yield content[:-1]
    yield content + b"\0"
    yield bytes(len(content))
    yield content[:-9] + bytes([content[-9] ^ 4]) + content[-8:]


def test_damaged_entries_are_compiled_again(compiled, cache):
    fresh, _ = compiled()
    good = entries(cache)
    for damage in zip(*(damaged(content) for content in good.values())):
        for path, content in zip(good, damage):
            path.write_bytes(content)
        image, said = compiled()
        assert image == fresh
        assert "from the cache" not in said
        assert entries(cache) == good


def test_entries_under_each_others_names_are_noticed(compiled, cache):
    """Each entry is complete but contains the code of another kernel."""
    fresh, _ = compiled()
    good = entries(cache)
    paths = list(good)
    for path, other in zip(paths, paths[1:] + paths[:1]):
        path.write_bytes(good[other])
    image, said = compiled()
    assert image == fresh and "from the cache" not in said
    assert entries(cache) == good


def test_a_text_with_another_kernels_key_poisons_nothing(call, add, tmp_path):
    """A phase's text contains its kernels' keys. Editing a kernel leaves its key in the text unchanged."""
    assert call("compile", add, "-o", "fresh.so", "--no-cache").returncode == 0
    assert call("compile", add, "-o", "placed.mlir", "--stop-after", "buffers").returncode == 0
    text = (tmp_path / "placed.mlir").read_text()
    assert "stablehlo.add" in text and "key(" in text
    (tmp_path / "edited.mlir").write_text(text.replace("stablehlo.add", "stablehlo.multiply"))
    assert call("compile", "edited.mlir", "-o", "edited.so", "--start-from", "buffers").returncode == 0
    result = call("compile", add, "-o", "after.so")
    assert result.returncode == 0 and "from the cache" not in result.stdout
    assert (tmp_path / "after.so").read_bytes() == (tmp_path / "fresh.so").read_bytes()
    # The kernels of the unedited text are taken from the cache.
    result = call("compile", "placed.mlir", "-o", "again.so", "--start-from", "buffers")
    assert result.returncode == 0 and "(1 from the cache)" in result.stdout
    assert (tmp_path / "again.so").read_bytes() == (tmp_path / "fresh.so").read_bytes()


def test_folder_that_others_may_write_to(compiled, call, cache, tmp_path):
    fresh, _ = compiled("--no-cache")
    cache.chmod(0o777)
    result = call("compile", PROGRAM, "-o", "x.so")
    assert result.returncode == 0 and (tmp_path / "x.so").read_bytes() == fresh and not entries(cache)
    assert result.stderr.startswith(f"{cache}: warning D1008: the kernel cache isn't used: others may write to it")
    assert "chmod go-w" in result.stderr and result.stderr.count("warning") == 1


def test_size_is_bounded(compiled, environment, cache):
    compiled()
    whole = sum(map(len, entries(cache).values()))
    for options, variable in ((("--cache-size", str(whole // 2)), None), ((), str(whole // 2))):
        for path in [*entries(cache), cache / ".stored"]:
            path.unlink()
        if variable:
            environment["DRUMLIN_CACHE_SIZE"] = variable
        compiled(*options)
        assert 0 < sum(map(len, entries(cache).values())) <= whole // 2


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("is_link", [False, True])
def test_folder_that_has_other_files(call, add, environment, tmp_path, is_link):
    """If a home folder is named by mistake, the cache makes its own folder inside of it. Old or large files in the home folder stay."""
    home = tmp_path / "home"
    (home / "thesis").mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / "thesis" / "chapter.tex").write_bytes(bytes(1_200_000))
    (home / ".ssh" / "key").write_text("key")
    for path in home.rglob("*"):
        os.utime(path, (0, 0))
    before = contents(home)
    environment["DRUMLIN_CACHE"] = str(home)
    if is_link:
        (tmp_path / "link").symlink_to(home)
        environment["DRUMLIN_CACHE"] = str(tmp_path / "link")
    assert call("doctor", "--cache-size", "1MB").stderr.count("D1008") == 0
    assert contents(home) == before
    assert call("compile", add, "-o", "x.so", "--cache-size", "1MB").returncode == 0
    after = contents(home)
    assert {path: content for path, content in after.items() if path.parts[0] != "drumlin-kernels"} == before
    assert len(entries(home / "drumlin-kernels")) == 1
    assert "(1 from the cache)" in call("compile", add, "-o", "x.so").stdout


def test_cache_of_an_earlier_version(call, add, cache):
    """The folder of an old cache can't be distinguished from a user's own folder, so it is kept, and the new cache is a folder inside of it."""
    (cache / "ab").mkdir(mode=0o700)
    (cache / "ab" / ("ab" + "0" * 30)).write_bytes(b"an entry")
    (cache / ".stored").write_bytes(bytes(8))
    before = contents(cache)
    result = call("compile", add, "-o", "x.so")
    assert result.returncode == 0 and not result.stderr
    assert {path: content for path, content in contents(cache).items() if path.parts[0] != "drumlin-kernels"} == before
    assert len(entries(cache / "drumlin-kernels")) == 1


def test_without_the_cache_it_is_neither_read_nor_written(compiled, cache):
    fresh, _ = compiled()
    for path in entries(cache):
        path.write_bytes(b"left alone")
    before = entries(cache)
    image, said = compiled("--no-cache")
    assert image == fresh and "from the cache" not in said
    assert entries(cache) == before


def test_folder_that_cannot_be_made(compiled, environment, tmp_path):
    fresh, _ = compiled("--no-cache")
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/none"):
        environment["DRUMLIN_CACHE"] = str(folder)
        assert compiled()[0] == fresh


@pytest.mark.parametrize("filled", [False, True])
def test_folder_that_may_only_be_read(build_folder, compiled, cache, environment, tmp_path, filled):
    """The folder is mounted read-only, so that even a superuser can't write."""
    fresh, _ = compiled(*([] if filled else ["--no-cache"]))
    before = entries(cache)
    mount = f"mount --bind {cache} {cache} && mount -o remount,bind,ro {cache} && ! touch {cache}/new 2>/dev/null"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode != 0:
        pytest.skip("this machine has no user namespaces to mount a folder in")
    command = f"{mount} && exec {build_folder}/bin/drumlin compile {PROGRAM} -o read-only.so"
    result = subprocess.run(["unshare", "-rm", "sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True,
                            text=True, timeout=120)
    assert result.returncode == 0 and not result.stderr, result.stderr
    assert ("from the cache" in result.stdout) == filled
    assert (tmp_path / "read-only.so").read_bytes() == fresh
    assert entries(cache) == before


def test_many_processes_at_once(build_folder, compiled, cache, environment, tmp_path):
    """Several processes start together: first with an empty folder, then with a folder of which half is damaged. Each writes the image, and
    afterwards the folder is complete."""
    fresh, _ = compiled("--no-cache")
    for round_number in range(2):
        processes = [subprocess.Popen([build_folder / "bin" / "drumlin", "compile", PROGRAM, "-o", f"{number}.so"], cwd=tmp_path,
                                      env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for number in range(6)]
        for process in processes:
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
        images = {hashlib.sha256((tmp_path / f"{number}.so").read_bytes()).hexdigest() for number in range(6)}
        assert images == {hashlib.sha256(fresh).hexdigest()}
        whole = entries(cache)
        image, said = compiled()
        # The folder contains nothing else: no half-written and no temporary file.
        assert image == fresh and f"({len(whole)} from the cache)" in said
        if round_number == 0:
            for path in list(whole)[::2]:
                os.truncate(path, 40)
