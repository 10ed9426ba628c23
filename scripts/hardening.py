"""Checks the hardening of an ELF file that is shipped, as far as the file alone shows it
(SECURITY.md, "How it is built")."""
import pathlib
import re
import struct
import subprocess

# The compiler flags for the lines in SECURITY.md that can't be checked from a file alone.
FLAGS = ("-fstack-protector-strong", "-fstack-clash-protection", "-ftrivial-auto-var-init=zero", "-fcf-protection=full", "-fno-delete-null-pointer-checks", "-D_FORTIFY_SOURCE=2")
ENDBR64 = bytes.fromhex("f30f1efa")


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True, check=True).stdout


def code_at(path, address, size):
    """Returns the file's bytes at a memory address."""
    for offset, begin, bytes_in_file in re.findall(r"^  LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", readelf(path, "--segments"), re.MULTILINE):
        offset, begin, bytes_in_file = (int(text, 16) for text in (offset, begin, bytes_in_file))
        if begin <= address < begin + bytes_in_file:
            with open(path, "rb") as file:
                file.seek(offset + address - begin)
                return file.read(size)
    return b""


def symbols(path):
    """Yields (name, address, whether it is defined) for functions that the file exports or
    imports."""
    for line in readelf(path, "--dyn-syms").splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "NOTYPE", "IFUNC"):
            yield words[7].split("@")[0], int(words[1], 16), words[6] != "UND"


def entries(path):
    """Returns the addresses of functions that other code jumps to: exported functions, and the
    program's entry."""
    exported = {name: address for name, address, is_defined in symbols(path) if is_defined and re.match("drumlin_|GetPjrtApi|PyInit_", name)}
    if exported:
        return exported
    main = re.search(r"^ *\d+: (\w+) +\d+ FUNC +\w+ +\w+ +\w+ main$", readelf(path, "--symbols"), re.MULTILINE)
    return {"main": int(main[1], 16)} if main else {}


def findings(path):
    """Describes the missing hardening; empty if the file has all of it."""
    path = pathlib.Path(path)
    header, segments, dynamic = readelf(path, "--file-header"), readelf(path, "--segments"), readelf(path, "--dynamic")
    imported = {name for name, _, is_defined in symbols(path) if not is_defined}
    found = []
    if "DYN (" not in header:
        found.append("it isn't position-independent")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        found.append("its relocations stay writable, or are resolved late")
    if re.search(r"GNU_STACK .*RWE", segments) or "GNU_STACK" not in segments:
        found.append("its stack may be run")
    if re.search(r"^  LOAD .*RWE", segments, re.MULTILINE) or "TEXTREL" in dynamic:
        found.append("memory that may be run may be written to")
    if "__stack_chk_fail" not in imported:
        found.append("its stacks have no guards")
    if not any(re.fullmatch(r"__\w+_chk", name) for name in imported):
        found.append("its calls of the C library aren't checked")
    marked = entries(path)
    unmarked = [name for name, address in marked.items() if code_at(path, address, 4) != ENDBR64]
    if unmarked or not marked:
        found.append("targets of jumps aren't marked: " + (", ".join(sorted(unmarked)[:3]) or "none was found"))
    return found
