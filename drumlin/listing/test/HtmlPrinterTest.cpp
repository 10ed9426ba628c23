// Tests the content of HTML pages.
#include "drumlin/listing/html/HtmlPrinter.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/test/ListedProgram.h"

#include "llvm/Support/JSON.h"

namespace drumlin::listing {

static llvm::json::Array dataIn(const std::string &page) {
  std::string_view open = "<script type=\"application/json\" id=\"data\">";
  size_t begin = page.find(open) + open.size(), end = page.find("</script>", begin);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(page.substr(begin, end - begin));
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return {};
  }
  return *value->getAsArray();
}

TEST(HtmlPrinter, ReferencesAreNumbers) {
  Module module = listed(scaledProduct);
  fold(module);
  llvm::json::Array data = dataIn(htmlOf(module));
  ASSERT_EQ(data.size(), 1u);
  const llvm::json::Object &program = *data[0].getAsObject();
  EXPECT_EQ(program.getString("name"), "jit_dense");
  EXPECT_EQ(program.getArray("sources")->size(), 3u);
  const llvm::json::Array &computations = *program.getArray("computations");
  ASSERT_EQ(computations.size(), 3u);
  const llvm::json::Array &entry = *computations[2].getAsObject()->getArray("instructions");
  const llvm::json::Object &transpose = *entry[5].getAsObject();
  EXPECT_EQ(transpose.getString("expression"), "Arg_1ᵀ");
  EXPECT_EQ(*transpose.getArray("calls"), llvm::json::Array({1}));
  const llvm::json::Object &call = *entry[6].getAsObject();
  // Numbers continue from the two preceding computations, which have three and two instructions.
  EXPECT_EQ(*call.getArray("operands"), llvm::json::Array({6, 10, 8, 8, 7}));
  EXPECT_EQ(call.getString("full"), "cublas-gemm.1.0");
  EXPECT_EQ(call.getInteger("source"), 3);
}

// No text in a program can end the script element or begin another.
TEST(HtmlPrinter, TextOfTheProgramIsNoMarkup) {
  Module module = listed("HloModule m\n\nENTRY %e {\n  ROOT %c = f32[] constant(1), "
                         "metadata={op_name=\"</script><script>alert(1)</script>\"}\n}\n");
  module.name = "<b>&";
  std::string page = htmlOf(module);
  EXPECT_EQ(page.find("alert(1)</script>"), page.npos);
  EXPECT_NE(page.find("<title>&lt;b>&amp;</title>"), page.npos);
  llvm::json::Array data = dataIn(page);
  const llvm::json::Object &program = *data[0].getAsObject();
  EXPECT_EQ((*(*program.getArray("sources"))[0].getAsArray())[0],
            llvm::json::Value("</script><script>alert(1)</script>"));
}

TEST(HtmlPrinter, LoadsNothing) {
  std::string page = htmlOf(listed(scaledProduct));
  EXPECT_NE(page.find("default-src 'none'"), page.npos);
  // SVG's namespace; nothing is loaded from this address.
  std::string_view space = "\"http://www.w3.org/2000/svg\"";
  ASSERT_NE(page.find(space), page.npos);
  page.erase(page.find(space), space.size());
  for (const char *reference : {"http:", "https:", " src=", "<link", "url(", "@import", "fetch("}) {
    EXPECT_EQ(page.find(reference), page.npos) << reference;
  }
}

} // namespace drumlin::listing
