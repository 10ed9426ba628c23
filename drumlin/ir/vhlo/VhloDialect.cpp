#include "drumlin/ir/vhlo/VhloDialect.h"

using namespace mlir;

#include "drumlin/ir/vhlo/VhloDialect.cpp.inc"

namespace drumlin::vhlo {

void VhloDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOperations();
  registerBytecode();
}

//===-- tables --------------------------------------------------------------------------------===//

#define V(major, minor) Version{major, minor, 0}

static ArrayRef<ScalarInfo> scalarTable() {
#define VHLO_SCALAR_TYPE(Name, code, mnemonic, first, bits)                                        \
  {ScalarKind::Name, mnemonic, first, bits},
  static const ScalarInfo table[] = {
#include "drumlin/ir/vhlo/VhloScalarTypes.def"
  };
  return table;
}

static EnumInfo enumRow(EnumKind kind, StringRef mnemonic, Version first, StringRef cases) {
  EnumInfo info{kind, mnemonic, first, {}};
  SmallVector<StringRef> names;
  cases.split(names, ' ');
  info.cases.assign(names.begin(), names.end());
  return info;
}

static ArrayRef<EnumInfo> enumTable() {
#define VHLO_ENUM(Name, code, mnemonic, first, cases)                                              \
  enumRow(EnumKind::Name, mnemonic, first, cases),
  static const EnumInfo table[] = {
#include "drumlin/ir/vhlo/VhloEnums.def"
  };
  return table;
}

#undef V

template <typename Row, typename Predicate>
static const Row *findRow(ArrayRef<Row> table, Predicate predicate) {
  const Row *row = llvm::find_if(table, predicate);
  return row == table.end() ? nullptr : row;
}

const ScalarInfo *scalarInfo(uint64_t code) {
  return findRow(scalarTable(),
                 [&](const ScalarInfo &row) { return static_cast<uint64_t>(row.kind) == code; });
}
const ScalarInfo *scalarNamed(StringRef mnemonic) {
  return findRow(scalarTable(), [&](const ScalarInfo &row) { return row.mnemonic == mnemonic; });
}
const EnumInfo *enumInfo(uint64_t code) {
  return findRow(enumTable(),
                 [&](const EnumInfo &row) { return static_cast<uint64_t>(row.kind) == code; });
}
const EnumInfo *enumNamed(StringRef mnemonic) {
  return findRow(enumTable(), [&](const EnumInfo &row) { return row.mnemonic == mnemonic; });
}

std::optional<uint32_t> EnumInfo::valueOf(StringRef name) const {
  auto found = llvm::find(cases, name);
  return found == cases.end() || name == "-" ? std::nullopt
                                             : std::optional<uint32_t>(found - cases.begin());
}

} // namespace drumlin::vhlo
