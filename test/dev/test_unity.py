"""Tests which sources the demo's build compiles together (scripts/unity.py)."""
from scripts import unity

HEADER = '#include "drumlin/support/Cost.h"\nusing namespace mlir;\nnamespace drumlin {\n'


def test_names_at_file_scope():
    text = ("static int64_t bytesOf(Operation *op) {\n  static int inner = 0;\nstatic constexpr const char *table[] = {\n"
            "struct Window {\nclass Later;\nusing Sizes = std::vector<int>;\n#define ENTRY(name) name\n#define GEN_PASS_DEF_CSE\n#define GET_OP_LIST\n"
            "template <typename T> static T largest(T value) {\n")
    assert unity.names(text).keys() == {"bytesOf", "table", "Window", "Sizes", "ENTRY", "largest"}


def test_sources_with_a_common_name_are_apart():
    texts = {"A.cpp": HEADER + "static int sizeOf(int a) {\n", "B.cpp": HEADER + "static int sizeOf(long a) {\n", "C.cpp": HEADER}
    assert unity.groups(texts) == [["A.cpp", "C.cpp"], ["B.cpp"]]


def test_equal_aliases_may_be_together():
    texts = {"A.cpp": HEADER + "using Sizes = List<int>;\n", "B.cpp": HEADER + "using Sizes = List<int>;\n", "C.cpp": HEADER + "using Sizes = int *;\n"}
    assert unity.groups(texts) == [["A.cpp", "B.cpp"], ["C.cpp"]]


def test_sources_of_other_namespaces_are_apart():
    texts = {"A.cpp": HEADER, "B.cpp": HEADER.replace("mlir", "llvm"), "C.cpp": HEADER}
    assert unity.groups(texts) == [["A.cpp", "C.cpp"], ["B.cpp"]]


def test_groups_are_bounded():
    texts = {f"A{number}.cpp": HEADER for number in range(unity.MOST + 1)}
    assert [len(group) for group in unity.groups(texts)] == [unity.MOST, 1]
