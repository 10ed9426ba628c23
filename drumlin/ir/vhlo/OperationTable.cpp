#include "drumlin/ir/vhlo/OperationTable.h"

#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef;
using llvm::StringRef;

namespace drumlin::vhlo {

bool OperationVersion::hasAttribute(StringRef attribute) const {
  return llvm::binary_search(attributes, attribute.str());
}

static llvm::SmallVector<StringRef> words(StringRef text) {
  llvm::SmallVector<StringRef> list;
  text.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return list;
}

static Arity arityOf(StringRef text) {
  Arity arity;
  for (StringRef word : words(text)) {
    if (word.ends_with('*')) {
      arity.isVariadic = true;
    } else {
      ++arity.least;
    }
  }
  return arity;
}

static OperationVersion row(StringRef base, unsigned number, Version first, Version last,
                            StringRef operands, StringRef attributes, StringRef results,
                            StringRef regions) {
  OperationVersion operation;
  operation.name = ("vhlo." + base + "_v" + llvm::Twine(number)).str();
  operation.base = base;
  operation.number = number;
  operation.releases = {first, last};
  operation.operands = arityOf(operands);
  operation.results = arityOf(results);
  operation.regions = arityOf(regions);
  for (StringRef attribute : words(attributes)) {
    operation.attributes.push_back(attribute.str());
  }
  return operation;
}

static std::vector<OperationVersion> makeTable() {
#define V(major, minor) Version{major, minor, 0}
#define CURRENT newestVersion
#define VHLO_OPERATION(...) row(__VA_ARGS__),
  return {
#include "drumlin/ir/vhlo/VhloOperations.def"
  };
#undef CURRENT
#undef V
}

ArrayRef<OperationVersion> allOperations() {
  static const std::vector<OperationVersion> table = makeTable();
  return table;
}

ArrayRef<OperationVersion> versionsOf(StringRef base) {
  ArrayRef<OperationVersion> all = allOperations();
  auto first = llvm::partition_point(
      all, [&](const OperationVersion &each) { return StringRef(each.base) < base; });
  auto last = std::find_if(first, all.end(),
                           [&](const OperationVersion &each) { return each.base != base; });
  return ArrayRef<OperationVersion>(first, last);
}

const OperationVersion *operationAt(StringRef base, Version release) {
  release.patch = 0;
  for (const OperationVersion &version : versionsOf(base)) {
    if (version.releases.contains(release)) {
      return &version;
    }
  }
  return nullptr;
}

} // namespace drumlin::vhlo
