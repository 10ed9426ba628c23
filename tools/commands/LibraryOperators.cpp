#include "commands/PublishedOperators.h"

#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::cli {

// The instruction at which library calls are listed, together with the operations that calls fuse.
static constexpr llvm::StringLiteral product = "dot";

namespace {
// The types of the right operand, and of results, that the library supports for one type of the
// left operand.
struct ProductsOfType {
  ElementType lhs;
  std::vector<std::string> rhs, results; // element types
  std::string restriction;
};
} // namespace

static void addOnce(std::vector<std::string> &names, ElementType type) {
  std::string text(name(type));
  if (!llvm::is_contained(names, text)) {
    names.push_back(text);
  }
}

static std::vector<ProductsOfType> productsOf(const GpuTarget &gpu) {
  std::vector<ProductsOfType> all;
  for (const LibraryProduct &row : libraryProducts()) {
    if ((row.targets & gpu.set) == 0) {
      continue;
    }
    auto found = llvm::find_if(all, [&](const ProductsOfType &each) { return each.lhs == row.a; });
    if (found == all.end()) {
      all.push_back({row.a, {}, {}, ""});
      found = all.end() - 1;
      if (depthInRowRule(gpu, row.a, /*hasMxScales=*/false)) {
        found->restriction = info(LibraryLimit::OperandOrder).text;
      }
    }
    addOnce(found->rhs, row.b);
    addOnce(found->results, row.d);
  }
  return all;
}

static std::vector<std::string> epiloguesOf(const GpuTarget &gpu) {
  static constexpr LibraryEpilogue all[] = {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient)                     \
  LibraryEpilogue::Name,
#include "drumlin/target/LibraryEpilogues.def"
  };
  std::vector<std::string> names;
  for (LibraryEpilogue each : all) {
    if (std::optional<std::string_view> name = epilogueName(gpu, each)) {
      names.emplace_back(*name);
    }
  }
  return names;
}

static bool isCall(const ListedOperation &each) { return each.opcode == product.str(); }

static std::string jsonOf(llvm::ArrayRef<ListedOperation> operations, const GpuTarget &gpu) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
  auto words = [&](const char *key, const std::vector<std::string> &names) {
    json.attributeArray(key, [&] {
      for (const std::string &each : names) {
        json.value(each);
      }
    });
  };
  json.object([&] {
    json.attribute("target", gpu.name);
    json.attribute("library", llvm::StringRef(libraryName(gpu.library)));
    json.attribute("for", llvm::StringRef(gpu.use()));
    json.attributeArray("operations", [&] {
      for (const ListedOperation &each : operations) {
        json.object([&] {
          json.attribute("operation", each.operation);
          if (each.opcode) {
            json.attribute("hlo", *each.opcode);
          }
          json.attribute("library_call", isCall(each));
          if (!isCall(each)) {
            return;
          }
          words("epilogues", epiloguesOf(gpu));
          json.attributeArray("types", [&] {
            for (const ProductsOfType &products : productsOf(gpu)) {
              json.object([&] {
                json.attribute("type", llvm::StringRef(name(products.lhs)));
                words("rhs", products.rhs);
                words("results", products.results);
                json.attribute("restriction", products.restriction);
              });
            }
          });
        });
      }
    });
  });
  return text + "\n";
}

std::string libraryList(std::span<const ListedOperation> listed, const GpuTarget &gpu,
                        ListForm form) {
  llvm::ArrayRef<ListedOperation> operations(listed.data(), listed.size());
  if (form == ListForm::Json) {
    return jsonOf(operations, gpu);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::StringRef(gpu.name) << ": products as calls of "
         << llvm::StringRef(libraryName(gpu.library))
         << "; for planning only, no code is made for it\n";
  size_t width = 0;
  for (const ListedOperation &each : operations) {
    width = std::max(width, each.shown.size());
  }
  for (const ListedOperation &each : operations) {
    if (!isCall(each)) {
      stream << llvm::left_justify(each.shown, width + 2) << "no call: a kernel of its own\n";
      continue;
    }
    stream << llvm::left_justify(each.shown, width + 2) << "library call\n";
    for (const ProductsOfType &products : productsOf(gpu)) {
      stream << "  " << llvm::StringRef(name(products.lhs)) << " by "
             << llvm::join(products.rhs, " ") << " to " << llvm::join(products.results, " ")
             << (products.restriction.empty() ? "" : ": ") << products.restriction << "\n";
    }
    stream << "  epilogues: " << llvm::join(epiloguesOf(gpu), " ") << "\n";
  }
  return text;
}

} // namespace drumlin::cli
