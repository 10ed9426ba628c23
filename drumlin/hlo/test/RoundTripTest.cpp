// Tests that parsing and printing a text gives the same bytes.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace drumlin::hlo {

static void expectRoundTrip(const std::string &text, const std::string &fileName = "m.hlo") {
  Result<Module> module = parse(text, fileName);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(print(*module), text) << fileName;
}

static std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns all HLO texts of this repository, and of the folder that `./dev nightly --data` names.
static std::vector<std::filesystem::path> allTexts() {
  std::vector<std::filesystem::path> paths;
  std::vector<std::filesystem::path> roots;
  for (const char *folder : {"test", "tools", "drumlin", "python", "examples"}) {
    roots.push_back(std::filesystem::path(DRUMLIN_SOURCE_DIR) / folder);
  }
  if (const char *data = std::getenv("DRUMLIN_DATA")) {
    roots.push_back(data);
  }
  for (const std::filesystem::path &root : roots) {
    std::error_code error;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root, error)) {
      if (entry.path().extension() == ".hlo") {
        paths.push_back(entry.path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(HloRoundTrip, TextsOfTheTree) {
  std::vector<std::filesystem::path> paths = allTexts();
  ASSERT_GE(paths.size(), 29u);
  for (const std::filesystem::path &path : paths) {
    expectRoundTrip(contents(path), path.string());
  }
}

// With spaces, line breaks and comments between any two tokens, printing still gives the text that
// was parsed.
TEST(HloRoundTrip, SpacesAnywhere) {
  std::string_view program = R"(HloModule m, num_partitions=2, note={a={1,2}}

FileNames
1 "a.py"

%f (p: s32[2], q: (s32[], pred[])) -> s32[2] {
  %p = s32[2]{0} parameter(0)
  %q = (s32[], pred[]) parameter(1)
  ROOT %s = s32[2]{0} add(s32[2]{0} %p, %p), metadata={op_name="x" source_line=3}
}, execution_thread="host"

ENTRY %e (a: s32[2]) -> s32[2] {
  %a = s32[2]{0} parameter(0)
  %c = f32[2,0]{1,0} constant({ {}, { /*i0=1*/ } })
  %t = (s32[], pred[]) constant((1, true))
  %w = s32[2]{0} while(%a), condition={
    %x = s32[2]{0} parameter(0)
    ROOT %y = pred[] constant(true)
  }, body={
    ROOT %z = s32[2]{0} parameter(0)
  }
  ROOT %r = s32[2]{0} call(%w, %t), to_apply=%f, slice={[0:2:1]}, backend_config={"a": [1 ]}
}
)";
  std::vector<std::string_view> fillers = {
      " ", "  ", "\n", "\t", "\r\n", "\n\n", "/* note */", "// note\n", "/*i=0*/ ", "/*index=5*/"};
  size_t readable = 0;
  for (size_t at = 0; at <= program.size(); ++at) {
    std::string_view filler = fillers[at % fillers.size()];
    std::string text(program);
    text.insert(at, filler);
    // A space within a word or a number gives two words.
    if (Result<Module> module = parse(text, "m.hlo")) {
      ++readable;
      EXPECT_EQ(print(*module), text) << at;
    }
  }
  EXPECT_GT(readable, program.size() / 2);
}

// A changed part is printed with XLA's spacing; unchanged parts keep their text.
TEST(HloRoundTrip, ChangedPartsOfSpacedTexts) {
  std::string text = "// a note\nHloModule  m\nENTRY e{ /* one */\n  a=s32[ ]  constant( 1 )\n"
                     "  b = s32[]   negate(a)   // two\n  ROOT c = s32[] copy( b )\n}\n\n\n";
  Result<Module> module = parse(text, "m.hlo");
  ASSERT_TRUE(module) << module.error().str();
  module->entry()->instructions[1]->name = "d";
  EXPECT_EQ(print(*module),
            "// a note\nHloModule  m\nENTRY e{ /* one */\n  a=s32[ ]  constant( 1 )\n"
            "  d = s32[] negate(a)\n  ROOT c = s32[] copy(d)\n}\n\n\n");
}

// Tests an instruction with the given attributes, which may name the computations `%f` and `%g`.
static void expectAttributes(const std::string &attributes) {
  expectRoundTrip("HloModule m\n\n%f (p: s32[]) -> s32[] {\n  ROOT %p = s32[] parameter(0)\n}\n\n"
                  "%g {\n  ROOT %q = s32[] parameter(0)\n}\n\nENTRY %main {\n"
                  "  %a = s32[] constant(1)\n  %b = s32[] constant(2)\n"
                  "  ROOT %r = s32[] op(%a, %b), " +
                  attributes + "\n}\n\n");
}

static void expectInstruction(const std::string &instruction) {
  expectRoundTrip("ENTRY %main {\n  %a = s32[] constant(1)\n  " + instruction + "\n}");
}

TEST(HloRoundTrip, Header) {
  for (std::string attributes : {
           "",
           ", is_scheduled=true, num_partitions=8, replica_count=2",
           ", entry_computation_layout={(s32[2]{0}, pred[])->(s32[2]{0}, token[])}",
           ", entry_computation_layout={()->f32[2,3]}",
           (", entry_computation_layout={(f32[], f32[], f32[], f32[], f32[], "
            "/*index=5*/f32[])->f32[]}"),
           ", input_output_alias={ {0}: (0, {}, may-alias), {1, 2}: (1, {0}, must-alias) }",
           ", buffer_donor={ (0, {}), (1, {}) }",
           ", allow_spmd_sharding_propagation_to_parameters={true,false}",
           ", frontend_attributes={a=\"1\",xla.sdy.meshes={mesh={x=2}}}",
           ", attribute_of_tomorrow=<x>, other={[0, 1],  a:b}",
       }) {
    expectRoundTrip("HloModule jit_f" + attributes +
                    "\n\nENTRY %main {\n  ROOT %a = s32[] constant(1)\n}\n\n");
  }
}

TEST(HloRoundTrip, FrameTables) {
  expectRoundTrip(
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b c.py\"\n\nFunctionNames\n1 \"<lambda>\"\n\n"
      "FileLocations\n1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=0 "
      "end_column=9}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=0}\n\n\n"
      "ENTRY %main {\n  ROOT %a = s32[] constant(1), metadata={op_name=\"x\" "
      "stack_frame_id=1}\n}\n\n");
  expectRoundTrip("HloModule m\n\nFileNames\n\nENTRY %e {\n  ROOT %a = s32[] constant(1)\n}\n");
}

TEST(HloRoundTrip, Computations) {
  expectRoundTrip(
      "HloModule m\n\n%f {\n  ROOT %a = s32[] constant(1)\n}, execution_thread=\"host\", "
      "note={1}\n\nENTRY e (x.1: s32[], y: (s32[], f32[2])) -> (s32[2], s32[]) {\n"
      "  x.1 = s32[] parameter(0)\n  y = (s32[], f32[2]{0}) parameter(1)\n\n"
      "  ROOT t = s32[] add(x.1, x.1)\n}");
  // More than five parameters, and a signature with a layout.
  expectRoundTrip(
      "%f (a: s32[], b: s32[], c: s32[], d: s32[], e: s32[], /*index=5*/g: s32[2]{0}) -> "
      "s32[] {\n  %a = s32[] parameter(0)\n  ROOT %g = s32[2]{0} parameter(5)\n}\n");
  // No header, no `%`, and no instruction marked `ROOT`.
  expectRoundTrip("f {\n  a = s32[] constant(1)\n  b = s32[] negate(a)\n}\n");
}

TEST(HloRoundTrip, Shapes) {
  for (std::string shape : {
           "f32[]",
           "pred[0]{0}",
           "s4[2,3]{1,0:E(4)}",
           "bf16[8,128]{1,0:T(8,128)(2,1)E(4)S(1)}",
           "f32[<=4,?]{1,0}",
           "f32[<=4]{0}",
           "token[]",
           "opaque[]",
           "()",
           "(f32[2]{0}, token[])",
           "((f32[], s32[]), (pred[]))",
           "f32[4]{0:D(C)}",
           "f32[]{:S(5)}",
           "s32[3]{0:L(2)T(*,2)#(u8)*(u32)}",
           "f32[16]{0:T(8)SC(0:8)M(16)}",
           "b(f32[4]{0})",
           "f9e9m9[2]{0}",
           "(s32[], s32[], s32[], s32[], s32[], /*index=5*/s32[])",
       }) {
    expectInstruction("ROOT %r = " + shape + " op(%a)");
    expectAttributes("shape=" + shape + ", shapes={" + shape + ", " + shape + "}");
  }
}

TEST(HloRoundTrip, Literals) {
  for (std::string literal : {
           "1",
           "-1.5e-05",
           "true",
           "inf",
           "-inf",
           "nan",
           "-nan",
           "nan(0x7fc01)",
           "-nan(0x1)",
           "{...}",
           "(1, -2)",
           "{ (1, 2), (nan, inf) }",
           "{ { 1, 2 }, { 3, 4 } }",
           "{{1,2},{3,4}}",
           "{1, 2, ...}",
           "{}",
           "{ { /*i0=0*/ { 1 } }, { /*i0=1*/ { 2 } } }",
           "{false, true}",
           "0x1.8p3",
           "s32[2] {1, 2}",
           "'c'",
       }) {
    expectInstruction("ROOT %r = f32[2]{0} constant(" + literal + "), metadata={op_name=\"c\"}");
  }
}

TEST(HloRoundTrip, Operands) {
  for (std::string operands : {
           "",
           "%a",
           "a",
           "s32[] %a",
           "s32[2]{0} %a, %a",
           "(s32[], token[]) %a",
           "%a, %a, %a, %a, %a, /*index=5*/%a, %a, %a, %a, %a, /*index=10*/%a",
           "s32[] %a, s32[] %a, s32[] %a, s32[] %a, s32[] %a, /*index=5*/s32[] %a",
       }) {
    expectInstruction("ROOT %r.1 = s32[] custom-call(" + operands + "), x=1");
  }
}

TEST(HloRoundTrip, Attributes) {
  for (std::string attributes : {
           "dimensions={}",
           "dimensions={1,0}, index=3, direction=LT, type=TOTALORDER, is_stable=true",
           "window={size=3x3 stride=2x2 pad=1_1x-1_1 lhs_dilate=2x2 rhs_reversal=1x1}",
           "dim_labels=b01f_01io->b01f, feature_group_count=4",
           "dim_labels=01bf_?01io->01bf",
           "slice={[0:2:1], [3:4]}",
           "padding=0_0_1x1_1x-2_0",
           "sharding={replicated}",
           "sharding={devices=[2,1]<=[2] last_tile_dim_replicate metadata={op_name=\"s\"}}",
           "sharding={devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}",
           "sharding={{maximal device=1}, {devices=[2,2]0,1,2,3}}",
           "sharding={mesh['x'=2,'y'=2], [{'x'}, {'y', ?}]}",
           ("metadata={op_type=\"add\" op_name=\"a/\\\"b\\\"\" source_file=\"f.py\" source_line=12 "
            "source_end_line=13 deduplicated_name=\"x\"}"),
           R"(backend_config={"a":{"b":["1",2.5e-3,null,true,{}],"c":"{\"d\"}"},"e":[]})",
           R"(backend_config={"a": 1, "b": [1, 2]})",
           "backend_config=\"{\\\"a\\\": [1]}\"",
           ("backend_config={uplo = 76 : ui8, list = [1 : i32, 2 : i32], d = dense<[1, 2]> : "
            "tensor<2xi64>, "
            "a = array<i64: 1, 2>, u = @f}"),
           "backend_config={\"a\":[1,2,],\"b\":{},}",
           // XLA requires only matching braces in these two attributes.
           "backend_config={a: {$b; \"}\\\"\" ]} {,}}, x=1",
           "frontend_attributes={a={:=},b=\"c\"}, x=1",
           "frontend_attributes={k=\"v\",mhlo.x=\"{y}\"}",
           "statistics={visualizing_index=0,stat-1=33.5}",
           "origin={{\"x\" {0}}, {\"y\"}}, original_value={({\"a\" {1,2}}, {\"b\"})}",
           "control-predecessors={%a, %b}",
           "control-predecessors={a, b}",
           "to_apply=%f",
           "to_apply=f, calls=g",
           "calls=%f, kind=kLoop",
           "condition=%f, body=%g",
           "called_computations={%f, %g}",
           "branch_computations={%f, %g}",
           "true_computation=%f, false_computation=%g",
           "replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true",
           "replica_groups=[2,2]<=[2,2]T(1,0)",
           "replica_groups=mesh['x'=2,'y'=2] {'x'}",
           "source_target_pairs={{0,1},{1,2}}",
           ("custom_call_target=\"f$g\", custom_call_has_side_effect=true, "
            "api_version=API_VERSION_TYPED_FFI, operand_layout_constraints={s32[], f32[2,3]{1,0}}"),
           "output_to_operand_aliasing={{0}: (1, {}), {1,0}: (0, {2})}",
           "async_execution_thread=\"host\", calls=%f",
           "result_accuracy={tolerance={atol=1e-05,rtol=0,ulps=2}}",
           "result_accuracy={mode=highest}",
           "operand_precision={highest,default}, algorithm=dot_bf16_bf16_f32_x3",
           "sparsity=L.1@2:4",
           "domain={kind=\"sharding\", entry={maximal device=0}, exit={}}",
           "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1",
           "unknown=%nothing, later={x=%f y=%a}",
           "note=\"\xC3\xA9 \\n\"",
       }) {
    expectAttributes(attributes);
  }
}

TEST(HloRoundTrip, AsyncOperations) {
  expectRoundTrip(R"(HloModule m, is_scheduled=true

%wrapped (p: f32[8]) -> f32[2] {
  %p = f32[8]{0} parameter(0)
  ROOT %slice.1 = f32[2]{0} slice(%p), slice={[0:2]}
}, execution_thread="parallel"

ENTRY %main (x: f32[8]) -> f32[2] {
  %x = f32[8]{0} parameter(0)
  %start = ((f32[8]{0}), f32[2]{0}, s32[]{:S(2)}) async-start(%x), async_execution_thread="parallel", calls=%wrapped
  %update = ((f32[8]{0}), f32[2]{0}, s32[]{:S(2)}) async-update(%start)
  ROOT %done = f32[2]{0} async-done(((f32[8]{0}), f32[2]{0}, s32[]{:S(2)}) %update)
}

)");
}

// Operands, control predecessors and computations may be defined after their uses.
TEST(HloRoundTrip, NamesOfWhatFollows) {
  expectRoundTrip(R"(HloModule m

ENTRY %main {
  %r = f32[] call(f32[] %a, f32[] %b), to_apply=%f, control-predecessors={%b}
  %a = f32[] negate(%c)
  %b = f32[] fusion(%c), calls=%f, note={x=%c y=%g}
  ROOT %c = f32[] constant(1)
}

%f (p: f32[]) -> f32[] {
  ROOT %p = f32[] parameter(0)
}

%g (p: f32[]) -> f32[] {
  ROOT %p = f32[] parameter(0)
}
)");
}

// Inline computations, as in XLA's canonical texts.
TEST(HloRoundTrip, InlineComputations) {
  expectRoundTrip(R"(HloModule m

ENTRY main {
  a = f32[8]{0} parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(f32[8]{0} a, f32[] z), dimensions={0}, to_apply=
  {
    x = f32[] parameter(0)
    y = f32[] parameter(1)
    ROOT z = f32[] add(f32[] x, f32[] y)
  }, sharding={replicated}
  w = f32[] while(f32[] r), condition=
  {
    x = f32[] parameter(0)
    ROOT z = pred[] fusion(f32[] x), kind=kLoop, calls=
    {
      p = f32[] parameter(0)
      ROOT z = pred[] is-finite(f32[] p)
    }
  }, body=
  {
    ROOT x = f32[] parameter(0)
  }
  i = s32[] constant(1)
  ROOT b = f32[] conditional(s32[] i, f32[] w, f32[] w), branch_computations={
  {
    ROOT x = f32[] parameter(0)
  },
  {
    ROOT x = f32[] parameter(0)
  }
}
}
)");
}

// XLA computes fingerprints of texts without module and computation names.
TEST(HloRoundTrip, Fingerprints) {
  expectRoundTrip("HloModule , is_scheduled=true\n\n{\n  tmp_0 = f32[] parameter(0)\n}\n\n"
                  "ENTRY {\n  ROOT tmp_0 = f32[] parameter(0)\n}\n\n");
  expectRoundTrip("%(x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\n"
                  "ENTRY %{\n  ROOT %x = f32[] parameter(0)\n}\n");
}

// Texts may omit shapes; XLA infers them.
TEST(HloRoundTrip, NoShapes) {
  expectRoundTrip("ENTRY e {\n  x = f32[2]{0} parameter(0)\n  y = add(x, x), metadata={}\n"
                  "  ROOT z = tuple(f32[2]{0} y)\n}\n");
}

// Inline instructions.
TEST(HloRoundTrip, InlineInstructions) {
  expectRoundTrip("ENTRY e {\n  x = f32[2]{0} parameter(0)\n"
                  "  ROOT y = f32[2]{0} add(negate(x), f32[2]{0} add(x, broadcast(f32[] "
                  "constant(1))), f32[2]{0} x), metadata={}\n}\n");
}

// In lists of computations, XLA prints the attributes of inline computations that run on another
// thread.
TEST(HloRoundTrip, AttributesInListsOfComputations) {
  std::string text = "ENTRY e {\n  x = s8[2] parameter(0)\n  ROOT y = s8[2] custom-call(x), "
                     "custom_call_target=\"t\", called_computations={\n  {\n    ROOT z = s8[2] "
                     "parameter(0)\n  }, execution_thread=\"host\",\n  {\n    ROOT w = s8[2] "
                     "parameter(0)\n  }\n}\n}\n";
  expectRoundTrip(text);
  Result<Module> module = parse(text, "m.hlo");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->entry()->root()->calledComputations().size(), 2u);
}

// Forms from older XLA versions.
TEST(HloRoundTrip, Colons) {
  expectRoundTrip("HloModule %m\n\nENTRY %e {\n  ROOT %a = s32[] parameter(0)\n}\n");
  expectRoundTrip("HloModule m:\n\nENTRY %e (a s32[], b s32[2]{0}) -> s32[] {\n"
                  "  ROOT %a = s32[] parameter(0)\n}\n");
}

TEST(HloRoundTrip, IndentedModules) {
  expectRoundTrip("\n  HloModule m\n\n  ENTRY %e {\n    ROOT %x = f32[] constant(1)\n  }\n\n");
}

// Comments, and spacing that no printer produces.
TEST(HloRoundTrip, SpacesOfPeople) {
  for (std::string text : {
           "// a note\nHloModule  m\nENTRY e{ /* one */ a=s32[ ]  constant( 1 ) }",
           // Line breaks as text editors insert them.
           "HloModule m\nENTRY\n%e { %a = f32[] parameter(0), x=1 ROOT\n%b = f32[] negate(%a) }\n",
           // If there are no line breaks, only an instruction's name shows where it starts.
           ("HloModule m: ENTRY e { a = s32[2] {0} parameter(0), sharding={replicated} b = s32[2] "
            "copy (a), x=kLoop ROOT c = s32[2] reduce(a, b), to_apply={ROOT x = s32 [] "
            "parameter(0)} d=s32[] constant(1) }"),
           "e (x s32[2], %y: pred[]) -> s32[2]{ %x = s32[2] parameter(0)\n}",
           // XLA prints spaces after some configurations, and comments in empty lists.
           ("ENTRY %e {\n  ROOT %c = f32[2,0] constant({ { /*i0=0*/ }, { /*i0=1*/ } }), "
            "backend_config={\"a\":1}  \n}\n"),
       }) {
    expectRoundTrip(text);
    // The printed text parses even if keepSpelling is false.
    Result<Module> module = parse(text, "m.hlo", {.keepSpelling = false});
    ASSERT_TRUE(module) << module.error().str();
    std::string printed = print(*module);
    Result<Module> again = parse(printed, "again.hlo", {.keepSpelling = false});
    ASSERT_TRUE(again) << again.error().str();
    EXPECT_EQ(print(*again), printed);
  }
}

} // namespace drumlin::hlo
