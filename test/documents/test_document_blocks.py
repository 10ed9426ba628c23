"""Tests of the page reader: which blocks are files, sessions or commands, and which output matches the page's."""
import pytest

from document_blocks import blocks, complete, matches

PAGE = """# A page

`model.mlir`, as somebody wrote it:

    module {}

Then:

    $ drumlin plan \\
    >   model.mlir
    one
    $ drumlin why model.mlir

and without output

    drumlin reduce model.mlir   # nothing to keep: status 3
    for i in 1 2; do
      drumlin run $i
    done

1. In a list:

   ```python
   x = 1
   ```

       a = b / c
"""


def test_blocks():
    found = list(blocks(PAGE))
    assert [each.kind for each in found] == ["file", "session", "commands", "python", "other"]
    assert found[0].name == "model.mlir" and found[0].text == "module {}\n" and found[0].line == 5
    assert [(each.text, each.printed) for each in found[1].commands] == [("drumlin plan \\\n  model.mlir", ("one",)), ("drumlin why model.mlir", ())]
    assert [each.status for each in found[2].commands] == [3, 0] and found[2].commands[1].text.endswith("done")
    assert found[3].text == "x = 1\n"


@pytest.mark.parametrize("text, whole", [("for i in 1; do", False), ("cat <<E\na", False), ("cat <<E\na\nE", True), ("a \\", False), ("a 'b", False), ("a | b", True)])
def test_complete(text, whole):
    assert complete(text) == whole


@pytest.mark.parametrize("shown, printed, same", [
    ((), "", True), ((), "a\n", False), (("a",), "a\n", True), (("a",), "a\nb\n", False), (("a", "…"), "a\nb\nc\n", True), (("a", "…"), "a\n", True),
    (("…", "c"), "a\nb\nc\n", True), (("a", "…", "c"), "a\nc\n", True), (("a … s",), "a 0.25 s\n", True), (("a … s",), "a\n s\n", False),
    (("a.c",), "abc\n", False), (("", "a"), "\na\n", True)])
def test_matches(shown, printed, same):
    assert matches(shown, printed) == same
