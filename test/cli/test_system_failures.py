"""System failures during compilation are reported, and the previous output file is kept."""
import resource
import shutil
import subprocess

import pytest

# The least limit on open files with which a process starts: three standard streams, and the one file that the dynamic loader opens at a time.
LEAST_FILES = 4


@pytest.mark.parametrize("command", [("compile", "add.mlir", "-o", "out.so"), ("run", "add.mlir", "--input", "zeros", "--input", "zeros"),
                                     ("run", "add.so", "--input", "zeros", "--input", "zeros"), ("print", "add.mlir"),
                                     ("plan", "add.mlir", "--lock", "add.lock"), ("convert", "add.mlir", "-o", "out.mlir", "--emit", "bytecode")],
                         ids=["compile", "run", "image", "print", "lock", "convert"])
def test_too_few_open_files(call, image, command):
    """With any limit on open files a command works, or reports that it can't open enough files."""
    statuses = []
    for limit in range(LEAST_FILES, 16):
        result = call(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        assert result.returncode == 0 or (result.returncode == 6 and "error D1010: " in result.stderr), (limit, result.returncode, result.stderr)
        assert result.returncode == 0 or "hint: raise the limit on open files" in result.stderr
        statuses.append(result.returncode)
    assert statuses[-1] == 0 and statuses == sorted(statuses, reverse=True)


# A library to preload. From the n-th read on, reads of pipes other than the standard streams fail or report the end of the data.
READS = """#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t read(int file, void *buffer, size_t size) {
  static int reads;
  struct stat status;
  const char *number = getenv("READS_THAT_WORK");
  if (number && file > 2 && fstat(file, &status) == 0 && S_ISFIFO(status.st_mode)) {
    if (reads++ >= atoi(number)) {
      errno = EIO;
      return getenv("READS_END") ? 0 : -1;
    }
    size = size < 1000 ? size : 1000;
  }
  return syscall(SYS_read, file, buffer, size);
}

// Fortified calls, where the buffer's size is known.
ssize_t __read_chk(int file, void *buffer, size_t size, size_t whole) {
  return read(file, buffer, size);
}
"""


@pytest.fixture
def failing_reads(tmp_path, environment):
    (tmp_path / "reads.c").write_text(READS)
    subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-O1", "reads.c", "-o", "reads.so"], cwd=tmp_path, check=True)
    environment["LD_PRELOAD"] = str(tmp_path / "reads.so")
    return environment


@pytest.mark.parametrize("number", [0, 1, 3])
@pytest.mark.parametrize("end", [False, True], ids=["error", "end"])
def test_no_image_is_published_that_was_not_read_whole(call, image, tmp_path, failing_reads, number, end):
    """The linker's output comes through a pipe and is checked as the loader would read it."""
    before = (tmp_path / image).read_bytes()
    failing_reads["READS_THAT_WORK"] = str(number)
    if end:
        failing_reads["READS_END"] = "1"
    result = call("compile", "add.mlir", "-o", image)
    assert result.returncode == 70 and ("the image that was linked can't be read" if end else "can't read the linker's output") in result.stderr
    assert (tmp_path / image).read_bytes() == before
    del failing_reads["READS_THAT_WORK"]
    assert call("compile", "add.mlir", "-o", "again.so").returncode == 0 and (tmp_path / "again.so").read_bytes() == before
