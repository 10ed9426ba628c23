"""Determines which sources of a target can be compiled as one translation unit: the demo's build
has fewer and larger units.

    python3 scripts/unity.py SOURCE...

Prints `GROUP=SOURCE` for each C++ source, separated by `;`. The sources of a group use the same
namespaces, and no two of them declare the same name at file scope (static functions, types,
macros). A group has at most MOST sources."""
import pathlib
import re
import sys

MOST = 12
NAMES = (
    re.compile(r"^(?:template <.*> )?(?:static|constexpr|inline|const)\b[^(=;{]*?(\w+)\s*(?:\(|=|\[|\{|;)"),
    re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum|union)\s+(\w+)[^;]*$"),
    re.compile(r"^#define (?!GEN_PASS_|GET_)(\w+)"),  # generated files undefine the macros that are excluded here
)
ALIAS = re.compile(r"^using (\w+) = .*;$", re.MULTILINE)
USES = re.compile(r"^using namespace (\w+(?:::\w+)*);", re.MULTILINE)


def names(text):
    """Returns name -> None, or an alias's declaration, for the names that a source declares at file scope for itself."""
    found = {match[1]: match[0] for match in ALIAS.finditer(text)}
    return found | {match[1]: None for line in text.splitlines() for pattern in NAMES if (match := pattern.match(line))}


def differ(one, other):
    """Returns whether two sources declare a name differently. Equal aliases are no difference, since they may be declared twice."""
    return any(one[name] is None or one[name] != other[name] for name in one.keys() & other.keys())


def groups(texts):
    """Returns lists of sources, one for each group. `texts` has the text of each source, in the
    order in which groups are filled."""
    made = []
    for source, text in texts.items():
        own, uses = names(text), set(USES.findall(text))
        found = next((group for group in made if len(group[0]) < MOST and group[2] == uses and not differ(group[1], own)), None)
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
