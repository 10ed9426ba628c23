"""Unsuitable files as values of options give a diagnostic, never a crash. Programs may also come from pipes."""
import os
import struct
import subprocess
import zlib

import numpy as np
import pytest

# Each command, with FILE in place of one of its files. `add.mlir` takes two vectors of four numbers.
OPTIONS = {
    "compile": ("compile", "FILE.mlir", "-o", "x.so"),
    "run": ("run", "FILE.mlir", "--input", "zeros"),
    "interpret": ("run", "FILE.mlir", "--input", "zeros", "--interpret"),
    "bench": ("bench", "FILE.mlir", "--seconds", "0"),
    "plan": ("plan", "FILE.mlir"),
    "engine": ("plan", "FILE.mlir", "--target", "trn2"),
    "library": ("plan", "FILE.mlir", "--target", "sm_90"),
    "cost": ("cost", "FILE.mlir"),
    "why": ("why", "FILE.mlir"),
    "check": ("check", "FILE.mlir"),
    "convert": ("convert", "FILE.mlir", "-o", "x.mlirbc"),
    "diff before": ("diff", "FILE.mlir", "add.mlir"),
    "diff after": ("diff", "add.mlir", "FILE.mlir"),
    "image": ("run", "FILE.so", "--input", "zeros"),
    "weights safetensors": ("compile", "add.mlir", "-o", "x.so", "--weights", "FILE.safetensors"),
    "weights npz": ("compile", "add.mlir", "-o", "x.so", "--weights", "FILE.npz"),
    "input npy": ("run", "add.mlir", "--input", "FILE.npy", "zeros"),
    "input npz": ("run", "add.mlir", "--input", "FILE.npz"),
    "input safetensors": ("run", "add.mlir", "--input", "FILE.safetensors"),
    "expect npz": ("run", "add.mlir", "--input", "zeros", "--expect", "FILE.npz"),
    "limits": ("cost", "add.mlir", "--limits", "FILE.json"),
    "tune record": ("compile", "add.mlir", "-o", "x.so", "--tune=on", "--tune-record", "FILE.tuning"),
    "tune require": ("compile", "add.mlir", "-o", "x.so", "--tune=require", "--tune-record", "FILE.tuning"),
    "start ledger": ("compile", "simplified.mlir", "-o", "x.so", "--start-from", "simplify"),
}


def make(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "unreadable":  # a superuser can read files without permissions, but not this one
        path.symlink_to("/proc/self/mem")
    elif kind == "dangling":
        path.symlink_to("nowhere")
    else:
        with open(path, "wb") as file:
            file.truncate(1 << 28 if kind == "zeros" else 0)


@pytest.mark.parametrize("kind", ["folder", "unreadable", "dangling", "empty", pytest.param("zeros", marks=pytest.mark.slow)])
@pytest.mark.parametrize("option", OPTIONS)
def test_each_file_option(call, add, tmp_path, option, kind):
    arguments = [word.replace("FILE", "file") for word in OPTIONS[option]]
    if option == "start ledger":
        assert call("compile", add, "-o", "simplified.mlir", "--stop-after", "simplify").returncode == 0
        (tmp_path / "simplified.ledger.json").unlink()
        make(tmp_path / "simplified.ledger.json", kind)
    else:
        make(tmp_path / next(word for word in arguments if word.startswith("file.")), kind)
    before = sorted(os.listdir(tmp_path))
    result = call(*arguments)
    # A tuning record may be missing, which means an empty record. The ledger beside a phase's text may be missing, too.
    may_lack = kind == "dangling" and option in ("tune record", "start ledger")
    assert result.returncode in ((0,) if may_lack else (1, 2, 3, 4, 5)), result.stdout + result.stderr
    assert may_lack or "error D" in result.stderr and "hint: " in result.stderr
    assert may_lack or sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("text", ["[" * 1_000_000, '{"a":' * 1_000_000, "[" * 300_000 + "]" * 300_000], ids=range(3))
def test_deep_json(call, add, tmp_path, text):
    (tmp_path / "limits.json").write_text(text)
    result = call("cost", add, "--limits", "limits.json")
    assert result.returncode == 3 and "error D2005" in result.stderr
    assert call("compile", add, "-o", "simplified.mlir", "--stop-after", "simplify").returncode == 0
    (tmp_path / "simplified.ledger.json").write_text(text)
    result = call("compile", "simplified.mlir", "-o", "x.so", "--start-from", "simplify")
    assert result.returncode == 3 and "error D2005" in result.stderr
    header = text.encode()
    (tmp_path / "x.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    result = call("run", add, "--input", "x.safetensors")
    assert result.returncode == 3 and "error D1003" in result.stderr


#  programs from pipes


PROGRAM_COMMANDS = {name: words for name, words in OPTIONS.items() if "FILE.mlir" in words}


@pytest.mark.parametrize("command, source", [
    *((command, source) for command in PROGRAM_COMMANDS for source in ("/dev/stdin", "fifo")),
    *((command, "fifo of an image") for command in ("run", "bench", "plan"))])
def test_program_from_a_pipe(call, build_folder, environment, add, tmp_path, command, source):
    """A pipe can be read only once; each command gives the same result as for the file."""
    name = "program" if source != "/dev/stdin" else source
    content = (tmp_path / add).read_bytes()
    if source == "fifo of an image":
        assert call("compile", add, "-o", "add.so").returncode == 0
        content = (tmp_path / "add.so").read_bytes()
    arguments = [word.replace("FILE.mlir", name) for word in PROGRAM_COMMANDS[command]]
    options = {"stdin": subprocess.PIPE}
    if name == "program":
        os.mkfifo(tmp_path / name)
        options = {"stdin": subprocess.DEVNULL}
    process = subprocess.Popen([build_folder / "bin" / "drumlin", *arguments], cwd=tmp_path, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if name == "program":
        with open(tmp_path / name, "wb") as pipe:
            pipe.write(content)
        output, errors = process.communicate(timeout=60)
    else:
        output, errors = process.communicate(content, timeout=60)
    assert process.returncode == 0, errors.decode()
    if command in ("plan", "why", "cost"):
        (tmp_path / ("stdin.mlir" if name == "/dev/stdin" else "program.mlir")).write_bytes(content)
        assert output and call(*[word.replace("FILE", "program" if name == "program" else "stdin")
                                 for word in PROGRAM_COMMANDS[command]]).returncode == 0


def test_place_in_a_program_from_a_pipe(build_folder, environment, add, tmp_path):
    """`why` reads the text a second time to find the named result."""
    result = subprocess.run([build_folder / "bin" / "drumlin", "why", "/dev/stdin", "%0"], cwd=tmp_path, env=environment,
                            input=(tmp_path / add).read_text(), capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and "decision" in result.stdout, result.stderr


#  archives


def zip_with(members, directory):
    """Returns a zip archive. `members` are the bytes of the local headers and contents; `directory` has a tuple (name, offset, packed size,
    size, crc) for each entry of the central directory."""
    central = b"".join(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 33, crc, packed, size, len(name), 0, 0, 0,
                                   0, 0, offset) + name for name, offset, packed, size, crc in directory)
    return members + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(directory), len(directory), len(central),
                                           len(members), 0)


def deflated(name, content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, zlib.crc32(content), len(packed), len(content), len(name),
                        0) + name
    return local + packed, (len(packed), len(content), zlib.crc32(content))


def npy(count):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + bytes(4 * count)


def test_overlapping_members_are_refused(call, add, tmp_path):
    """If the directory lists one packed stream many times, a naive reader would unpack it each time."""
    member, (packed, size, crc) = deflated(b"in0.npy", npy(4))
    archive = zip_with(member, [(name, 0, packed, size, crc) for name in (b"in0.npy", b"in1.npy")])
    (tmp_path / "x.npz").write_bytes(archive)
    result = call("run", add, "--input", "x.npz")
    assert result.returncode == 3 and "error D1003" in result.stderr and "overlaps" in result.stderr


def limited(memory):
    import resource
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def test_arrays_that_nobody_asks_for_are_not_read(call, add, tmp_path):
    """A gigabyte of zeros packs to one megabyte; a program of four numbers doesn't read it."""
    content, directory = b"", []
    huge = deflated(b"other.npy", npy(1 << 27))
    for name in (b"in0.npy", b"huge1.npy", b"in1.npy", b"huge2.npy"):
        member, (packed, size, crc) = deflated(name, npy(4)) if name.startswith(b"in") else huge
        directory.append((name, len(content), packed, size, crc))
        content += member
    (tmp_path / "x.npz").write_bytes(zip_with(content, directory))
    result = call("run", add, "--input", "x.npz", "--output", "r.npz", preexec_fn=limited(1 << 29))
    assert result.returncode == 0, result.stderr
    assert np.load(tmp_path / "r.npz")["out0"].tolist() == [0] * 4
    # Arrays whose size isn't the argument's size aren't unpacked.
    content, directory = b"", []
    for name in (b"in0.npy", b"in1.npy"):
        member, (packed, size, crc) = huge
        directory.append((name, len(content), packed, size, crc))
        content += member
    (tmp_path / "x.npz").write_bytes(zip_with(content, directory))
    for words in (("run", add, "--input", "x.npz"), ("run", add, "--input", "zeros", "zeros", "--weights", "x.npz")):
        result = call(*words, preexec_fn=limited(1 << 29))
        assert result.returncode == 3 and "error D1004" in result.stderr, result.stderr


#  numbers


@pytest.mark.parametrize("command", [("run", "add.mlir", "--input", "zeros", "--threads"), ("bench", "add.mlir", "--threads"),
                                     ("limits", "--threads"), ("check", "add.mlir", "--threads"),
                                     ("compile", "add.mlir", "-o", "x.so", "--num-parallel-jobs")])
@pytest.mark.parametrize("number", ["4097", "4000000000", "-1"])
def test_too_many_threads(call, add, command, number):
    result = call(*command, number)
    assert result.returncode == 2 and f"{command[-1]}: error D3023: `{number}` is {'less than 0' if number == '-1' else 'more than 4096'}" in result.stderr


def test_more_threads_than_the_system_gives(call, add, tmp_path):
    """The maximum number of threads is accepted. If memory is too small for their stacks, fewer threads run."""
    result = call("run", add, "--input", "zeros", "--threads", "4096", "--output", "r.npz")
    assert result.returncode == 0, result.stderr
