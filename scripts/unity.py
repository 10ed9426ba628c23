"""Which sources of a target one compiler run may read together: the demo's build has fewer and larger units.

    python3 scripts/unity.py SOURCE...

prints `GROUP=SOURCE` for each C++ source, separated by `;`. Sources of one group use the same namespaces, and none declares a name
at file scope that another one declares too (static functions, types, macros). A group has at most MOST sources."""
import pathlib
import re
import sys

MOST = 12
NAMES = (
    re.compile(r"^(?:template <.*> )?(?:static|constexpr|inline|const)\b[^(=;{]*?(\w+)\s*(?:\(|=|\[|\{|;)"),
    re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum|union)\s+(\w+)[^;]*$"),
    re.compile(r"^using (\w+) ="),
    re.compile(r"^#define (?!GEN_PASS_)(\w+)"),
)
USES = re.compile(r"^using namespace (\w+(?:::\w+)*);", re.MULTILINE)


def names(text):
    """What a source declares at file scope for itself."""
    return {match[1] for line in text.splitlines() for pattern in NAMES if (match := pattern.match(line))}


def groups(texts):
    """Sources, as a dictionary of their texts, by groups in the order given."""
    made = []
    for source, text in texts.items():
        own, uses = names(text), set(USES.findall(text))
        found = next((group for group in made if len(group[0]) < MOST and group[2] == uses and not group[1] & own), None)
        if found is None:
            made.append(([source], own, uses))
        else:
            found[0].append(source)
            found[1].update(own)
    return [sources for sources, _, _ in made]


def main():
    paths = [path for path in sys.argv[1:] if path.endswith(".cpp") and pathlib.Path(path).exists()]
    texts = {path: pathlib.Path(path).read_text() for path in paths}
    print(";".join(f"{number}={source}" for number, group in enumerate(groups(texts)) for source in group), end="")


if __name__ == "__main__":
    main()
