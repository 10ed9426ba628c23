"""Writes drumlin/pjrt/XlaOptions.def: XLA's options, read from the descriptor of DebugOptions in
jaxlib's library.

    python -m scripts.jax.xla_options LIBRARY…

Each library is a libjax_common.so of jaxlib, the oldest first. Options that later versions dropped
are kept, since older programs still name them."""
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "drumlin" / "pjrt" / "XlaOptions.def"
KINDS = {2: "Float", 3: "Int64", 5: "Int32", 8: "Bool", 9: "String", 11: "Message", 14: "Enum"}  # FieldDescriptorProto.Type
REPEATED = 3  # FieldDescriptorProto.Label
# FileDescriptorProto, DescriptorProto, FieldDescriptorProto, EnumDescriptorProto and EnumValueDescriptorProto (google/protobuf/descriptor.proto).
FILE_MESSAGES, FILE_ENUMS, FILE_FIELDS = 4, 5, 14
FIELDS, ENUMS, VALUES = 2, 4, 2
NAME, LABEL, TYPE, TYPE_NAME, NUMBER = 1, 4, 5, 6, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data, last=None):
    """Yields (number, value) for the fields of a message until the first invalid field. `last` is
    the highest field number."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if last is not None and (not 0 < number <= last or wire not in (0, 2)):
            return
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = (varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at))
            value, at = data[at:at + size], at + size
        yield number, value


def descriptor(data, path):
    """Finds the FileDescriptorProto of a file in a library's data. Its first field is the name of
    the file."""
    beginning = bytes([NAME << 3 | 2, len(path)]) + path.encode()
    for found in re.finditer(re.escape(beginning), data):
        file = list(fields(data[found.start():found.start() + (1 << 19)], FILE_FIELDS))
        if len(file) > 3:
            return file
    raise SystemExit(f"no descriptor of {path}")


def enumerators(message):
    values = (dict(fields(value)) for number, value in fields(message) if number == VALUES)
    return " ".join(value[NAME].decode() for value in values)


def options_of(library):
    """Returns name => (kind, whether it is repeated, the names of the values if it is an
    enumeration)."""
    data = pathlib.Path(library).read_bytes()
    [debug] = [list(fields(message)) for number, message in descriptor(data, "xla/xla.proto") if number == FILE_MESSAGES
               and (NAME, b"DebugOptions") in fields(message)]
    enums = {".xla.DebugOptions." + dict(fields(message))[NAME].decode(): enumerators(message) for number, message in debug if number == ENUMS}
    made = {}
    for field in (dict(fields(message)) for number, message in debug if number == FIELDS):
        kind, of_type = KINDS[field[TYPE]], field.get(TYPE_NAME, b"").decode()
        if kind == "Enum" and of_type == ".xla.autotuner.Backend" and of_type not in enums:
            enums |= {".xla.autotuner." + dict(fields(message))[NAME].decode(): enumerators(message)
                      for number, message in descriptor(data, "xla/backends/autotuner/backends.proto") if number == FILE_ENUMS}
        made[field[NAME].decode()] = kind, field[LABEL] == REPEATED, enums[of_type] if kind == "Enum" else ""
    return made


def row(name, kind, several, values):
    text = f"XLA_OPTION({name}, {kind}, {'Several' if several else 'One'}, "
    if not values:
        return text + '"")'
    lines, line = [], ""
    for value in values.split():
        if line and len(line) + len(value) > 88:
            lines.append(line + " ")
            line = ""
        line += " " * bool(line) + value
    return "\n".join([text.rstrip()] + [f'           "{each}"' for each in [*lines, line]]) + ")"


def main(libraries):
    if not libraries:
        raise SystemExit(__doc__)
    options = {}
    for library in libraries:
        options |= options_of(library)
    comment = ("// XLA_OPTION(name, kind, count, values): the options that XLA takes, as its DebugOptions has them\n"
               "// (xla/xla.proto), and the names of an enumeration's values. scripts/jax/xla_options.py writes it.\n")
    rows = [row(name, *options[name]) for name in sorted(options) if name.startswith("xla_")]
    TABLE.write_text(comment + "\n".join(rows) + "\n#undef XLA_OPTION\n")


if __name__ == "__main__":
    main(sys.argv[1:])
