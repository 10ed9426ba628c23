"""Each rule of `./dev lint` catches a bad sample and lets a good sample pass."""
import pytest

from scripts import lint, lint_rules, rooms

GOOD_PASS = {
    "drumlin/transforms/rewrite/Passes.td": 'def GemmRewritePass : Pass<"gemm-rewrite", "ModuleOp"> {\n}\n',
    "drumlin/transforms/rewrite/GemmRewrite.cpp": "struct GemmRewritePass {};\n",
    "drumlin/transforms/rewrite/test/gemm-rewrite.mlir": "// RUN: drumlin-opt --gemm-rewrite %s\n",
}


def found(rule, tree):
    return [finding.message for finding in rule(tree)]


@pytest.mark.parametrize("path, include", [
    ("drumlin/runtime/cpu/A.cpp", "mlir/IR/Builders.h"),
    ("drumlin/support/A.h", "llvm/ADT/StringRef.h"),
    ("drumlin/interpreter/kernels/A.cpp", "llvm/ADT/StringRef.h"),
    ("drumlin/interpreter/kernels/A.cpp", "drumlin/ir/stablehlo/StablehloOps.h"),
    ("drumlin/transforms/fusion/A.cpp", "drumlin/codegen/cpu/KernelEmitter.h"),
    ("drumlin/import/A.cpp", "drumlin/interpreter/Interpreter.h"),
    ("drumlin/interpreter/A.cpp", "drumlin/import/Import.h"),
    ("drumlin/codegen/cpu/A.cpp", "drumlin/runtime/cpu/ThreadPool.h"),
    ("drumlin/runtime/A.cpp", "drumlin/codegen/cpu/KernelEmitter.h"),
    ("drumlin/support/A.cpp", "drumlin/runtime/Abi.h"),
    ("python/bindings/A.cpp", "drumlin/driver/Compiler.h"),
])
def test_include_against_the_direction(path, include):
    assert found(lint_rules.include_direction, {path: f'#include "{include}"\n'})


@pytest.mark.parametrize("path, include", [
    ("drumlin/codegen/cpu/A.cpp", "drumlin/runtime/Abi.h"),
    ("drumlin/codegen/cpu/A.cpp", "drumlin/runtime/executable/Image.h"),
    ("drumlin/interpreter/A.cpp", "mlir/IR/Builders.h"),
    ("drumlin/interpreter/A.cpp", "drumlin/interpreter/kernels/EvaluateDot.h"),
    ("drumlin/driver/A.cpp", "drumlin/codegen/cpu/KernelEmitter.h"),
    ("drumlin/support/A.cpp", "vector"),
    ("python/bindings/A.cpp", "drumlin/runtime/drumlin.h"),
])
def test_include_along_the_direction(path, include):
    assert not found(lint_rules.include_direction, {path: f'#include "{include}"\n'})


def test_folder_without_include_rules_is_named():
    assert found(lint_rules.include_direction, {"drumlin/novel/A.cpp": "\n"})


def test_rules_of_a_folder_of_any_name():
    inside, outside = "drumlin/codegen/cpu/gemm/test/A.cpp", "drumlin/codegen/cpu/gemm/A.cpp"
    text = '#include "drumlin/driver/Compiler.h"\n'
    assert not found(lint_rules.include_direction, {inside: text})
    assert found(lint_rules.include_direction, {outside: text})


@pytest.mark.parametrize("path, text", [
    ("docs/a.md", "see `drumlin/ir/B.h`\n"), ("docs/a.md", "see `ir/B.h`\n"), ("drumlin/ir/A.h", "// Like ir/B.h\n")])
def test_named_files(path, text):
    assert found(lint_rules.named_files, {path: text})
    assert not found(lint_rules.named_files, {path: text, "drumlin/ir/B.h": "\n"})


def test_project_header_among_the_precompiled_ones():
    made = "drumlin_precompile(A HEADERS <vector> ${CMAKE_SOURCE_DIR}/drumlin/ir/plan/PlanDialect.h)\n"
    assert found(lint_rules.precompiled, {"cmake/A.cmake": made})
    assert not found(lint_rules.precompiled, {"cmake/A.cmake": "drumlin_precompile(A HEADERS <vector>)\n", "drumlin/a.md": made})


def test_algorithm_without_its_header():
    use = "int64_t f(Shape s) { return std::count_if(s.begin(), s.end(), isOpen); }\n"
    path, header = "drumlin/runtime/A.cpp", "drumlin/runtime/A.h"
    assert found(lint_rules.algorithms, {path: use})
    assert not found(lint_rules.algorithms, {path: "#include <algorithm>\n" + use})
    assert not found(lint_rules.algorithms, {path: f'#include "{header}"\n' + use, header: "#include <algorithm>\n"})
    assert not found(lint_rules.algorithms, {path: '#include "llvm/ADT/STLExtras.h"\n' + use})


def test_cast_of_a_target_outside_its_backend():
    cast = "if (llvm::isa<CpuTarget>(target)) {\n"
    assert found(lint_rules.target_casts, {"drumlin/driver/Phases.cpp": cast})
    assert found(lint_rules.target_casts, {"drumlin/transforms/A.cpp": "const auto *cpu = dyn_cast_if_present<const GpuTarget>(target);\n"})
    assert not found(lint_rules.target_casts, {"drumlin/driver/backend/CpuBackend.cpp": cast, "tools/commands/Plan.cpp": cast})


def test_file_system_calls_that_throw():
    throws = "bool there = std::filesystem::exists(path);\n"
    assert found(lint_rules.file_system, {"tools/commands/A.cpp": throws})
    assert not found(lint_rules.file_system, {"tools/commands/A.cpp": throws.replace("(path)", "(path, error)")})
    assert not found(lint_rules.file_system, {"drumlin/support/test/A.cpp": throws})


def test_pass_with_one_name_in_four_spellings():
    assert not found(lint_rules.pass_names, GOOD_PASS)


@pytest.mark.parametrize("missing", ["drumlin/transforms/rewrite/GemmRewrite.cpp",
                                     "drumlin/transforms/rewrite/test/gemm-rewrite.mlir"])
def test_pass_without_its_file_or_test(missing):
    assert found(lint_rules.pass_names, {path: text for path, text in GOOD_PASS.items() if path != missing})


@pytest.mark.parametrize("path, text", [
    ("drumlin/transforms/rewrite/Passes.td", 'def RewriteGemm : Pass<"gemm-rewrite"> {\n}\n'),
    ("drumlin/transforms/rewrite/GemmRewrite.cpp", "struct RewriteGemm {};\n"),
    ("drumlin/transforms/rewrite/test/gemm-rewrite.mlir", "// RUN: drumlin-opt --canonicalize %s\n"),
])
def test_pass_spelled_otherwise(path, text):
    assert found(lint_rules.pass_names, GOOD_PASS | {path: text})


def test_file_sizes():
    assert not found(lint_rules.file_sizes, {"a.cpp": "x\n" * 700, lint_rules.LONG_TABLES[0]: "x\n" * 701, "test/models/p/program.mlir": "x\n" * 5000})
    assert found(lint_rules.file_sizes, {"a.cpp": "x\n" * 701})
    assert lint_rules.largest_files({"a.h": "x\n", "b.h": "x\nx"}) == [(2, "b.h"), (1, "a.h")]


def test_unit_that_includes_itself_by_way_of_others():
    tree = {"drumlin/support/A.h": '#include "drumlin/support/B.h"\n', "drumlin/support/B.h": "\n",
            "drumlin/support/B.cpp": '#include "drumlin/support/B.h"\n#include "drumlin/support/A.h"\n'}
    assert [(finding.path, finding.line) for finding in lint_rules.unit_cycles(tree)] == [("drumlin/support/B.cpp", 2)]
    # A source file without a header of its name is a unit by itself, so it is in no cycle.
    tree["drumlin/support/Both.cpp"] = tree.pop("drumlin/support/B.cpp")
    assert not found(lint_rules.unit_cycles, tree)


@pytest.mark.parametrize("head", ["void f() {", "Status Runner::run(int a,\n                   int b) const {", "  int size() {"])
def test_function_sizes(head):
    indent = " " * (len(head) - len(head.lstrip()))
    body = "".join(f"{indent}  call({i});\n" for i in range(98 - head.count("\n")))
    for more, count in (("", 0), (f"{indent}  call();\n", 1)):
        text = f"namespace drumlin {{\n\n{head}\n{body}{more}{indent}}}\n\n}} // namespace drumlin\n"
        assert len(found(lint_rules.function_sizes, {"drumlin/support/A.cpp": text})) == count


def test_of_two_tests_by_one_name():
    assert found(lint_rules.test_names, {"test/a/test_models.py": "", "test/b/test_models.py": ""})
    assert not found(lint_rules.test_names, {"test/a/test_models.py": "", "test/b/test_others.py": "", "test/a/conftest.py": "", "test/b/conftest.py": ""})


@pytest.mark.parametrize("path", ["drumlin/utils/A.h", "drumlin/ir/Common/A.h", "test/misc/a.py", "drumlin/support/Utils.h"])
def test_names_that_say_nothing(path):
    assert found(lint_rules.folder_names, {path: ""})


def test_names_that_say_something():
    assert not found(lint_rules.folder_names, {"drumlin/support/Tensor.h": "", "drumlin/commonality/A.h": ""})


@pytest.mark.parametrize("text", ["see /work/main/x", "// FIXME", "// TODO", "// TODO later", "from /home/someone/x"])
def test_forbidden_words(text):
    assert found(lint_rules.words, {"drumlin/support/A.h": text + "\n"})


def test_allowed_words():
    text = "// TODO: blocked layouts, settled by measuring a transposed convolution\nthe work of a session bus\n"
    assert not found(lint_rules.words, {"drumlin/support/A.h": text})


def test_diagnostics():
    registry = "drumlin/support/diagnostics/FileErrors.def"
    one = 'DRUMLIN_DIAGNOSTIC(FileGone, "D1999", FileError, "find it")\n'
    two = 'DRUMLIN_DIAGNOSTIC(FileLost, "D1999", FileError, "find it")\n'
    test = {"drumlin/support/test/A.cpp": "FileGone FileLost"}
    assert not found(lint_rules.diagnostics, {registry: one} | test)
    assert "no test" in found(lint_rules.diagnostics, {registry: one})[0]
    assert "already" in found(lint_rules.diagnostics, {registry: one + two} | test)[0]


def test_base_names():
    tree = {"drumlin/hlo/Shape.h": "", "drumlin/hlo/Shape.cpp": "", "drumlin/transforms/layout/Passes.h": "", "drumlin/transforms/select/Passes.h": ""}
    assert not found(lint_rules.base_names, tree)
    assert found(lint_rules.base_names, tree | {"drumlin/pjrt/Shape.h": ""}) == ["drumlin/hlo/Shape has this name already"]


def test_data_outside_of_the_repository():
    text = "os.environ.get(\"DRUMLIN_" + "DATA\")\n"
    assert found(lint_rules.outside_data, {"test/models/test_other.py": text})
    assert not found(lint_rules.outside_data, {"test/models/test_print.py": text})


def test_drawing_of_the_rooms():
    tree = {"drumlin/support/A.h": "", "drumlin/ir/plan/A.h": '#include "drumlin/support/A.h"\n',
            "drumlin/driver/A.h": '#include "drumlin/ir/plan/A.h"\n#include "drumlin/support/A.h"\n',
            "drumlin/driver/test/A.cpp": '#include "drumlin/pjrt/A.h"\n', rooms.PAGE: "<!-- generated by `./dev rooms` -->\n<!-- end -->\n"}
    assert found(rooms.check, tree)
    tree[rooms.PAGE] = rooms.page(tree)
    assert "    driver         → ir/plan\n    ir/plan        → support\n    support\n" in tree[rooms.PAGE]
    assert not found(rooms.check, tree)
    tree["drumlin/support/B.h"] = '#include "drumlin/driver/A.h"\n'
    assert any("cycle" in message for message in found(rooms.check, tree))


def test_every_finding_says_where():
    finding = next(lint_rules.folder_names({"a/utils/b.h": ""}))
    assert str(finding).startswith("a/utils/b.h:1: ") and str(finding).endswith("[folder-names]")


def test_tidy_command_drops_what_only_the_build_can_use():
    entry = {"file": "/r/a.cpp", "command": "ccache /usr/bin/clang++-22 -I/r -O2 -std=gnu++20 -Xclang -include-pch -Xclang "
             "/b/p.pch -Werror -Wall -o a.o -c /r/a.cpp"}
    assert lint.tidy_command(entry) == ["-I/r", "-O2", "-std=gnu++20"]
