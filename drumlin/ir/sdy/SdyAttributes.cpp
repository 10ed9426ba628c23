// The textual form of the dialect's attributes, and their verifiers.
#include "drumlin/ir/sdy/SdyDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drumlin::sdy;

#include "drumlin/ir/sdy/SdyEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/sdy/SdyAttributes.cpp.inc"

namespace drumlin::sdy {

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/sdy/SdyAttributes.cpp.inc"
      >();
}

//===-- lists ---------------------------------------------------------------------------------===//

using Delimiter = AsmParser::Delimiter;

// Parses `[…]` or `{…}`, a list of attributes without their mnemonics.
template <typename Part>
static ParseResult parseParts(AsmParser &parser, Delimiter delimiter, SmallVector<Part> &parts) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    auto part = dyn_cast_or_null<Part>(Part::parse(parser, Type()));
    parts.push_back(part);
    return success(part != nullptr);
  });
}

template <typename Part> static void printParts(AsmPrinter &printer, ArrayRef<Part> parts) {
  llvm::interleaveComma(parts, printer, [&](Part part) { part.print(printer); });
}

static ParseResult parseNumbers(AsmParser &parser, SmallVector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(
      Delimiter::Square, [&] { return parser.parseInteger(numbers.emplace_back()); });
}

//===-- meshes --------------------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size)) {
    return {};
  }
  return parser.getChecked<MeshAxisAttr>(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   int64_t size) {
  return size >= 1 ? success() : emitError() << "axis \"" << name << "\" of " << size << " devices";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (parser.parseLess() || parseParts(parser, Delimiter::Square, axes)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() || parseNumbers(parser, ids))) {
    return {};
  }
  return parser.parseGreater() ? Attribute()
                               : parser.getChecked<MeshAttr>(parser.getContext(), axes, ids);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printParts(printer, getAxes());
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

// Returns the product of the axes' sizes, or nothing if it overflows.
static std::optional<int64_t> productOf(ArrayRef<MeshAxisAttr> axes) {
  int64_t product = 1;
  for (MeshAxisAttr axis : axes) {
    if (llvm::MulOverflow(product, axis.getSize(), product)) {
      return std::nullopt;
    }
  }
  return product;
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> ids) {
  llvm::StringSet<> names;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second) {
      return emitError() << "a mesh has two axes named \"" << axis.getName() << "\"";
    }
  }
  std::optional<int64_t> devices = productOf(axes);
  if (!devices) {
    return emitError() << "a mesh has more than 2^63 - 1 devices";
  }
  if (axes.empty()) {
    return ids.empty() || (ids.size() == 1 && ids.front() >= 0)
               ? success()
               : emitError() << "a mesh without axes has at most one device id";
  }
  SmallVector<int64_t> sorted(ids);
  llvm::sort(sorted);
  bool isPermutation = ids.empty() || llvm::equal(sorted, llvm::seq<int64_t>(0, *devices));
  return isPermutation ? success()
                       : emitError() << "device ids of a mesh of " << *devices
                                     << " devices must be a permutation of 0 to " << *devices - 1;
}

std::optional<MeshAxisAttr> MeshAttr::axis(StringRef name) const {
  auto *found = llvm::find_if(getAxes(), [&](MeshAxisAttr axis) { return axis.getName() == name; });
  return found == getAxes().end() ? std::nullopt : std::optional(*found);
}

int64_t MeshAttr::deviceCount() const { return *productOf(getAxes()); }

//===-- axes ----------------------------------------------------------------------------------===//

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t before = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(before) || parser.parseRParen() ||
      parser.parseInteger(size)) {
    return {};
  }
  return parser.getChecked<SubAxisInfoAttr>(parser.getContext(), before, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

LogicalResult SubAxisInfoAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t before,
                                      int64_t size) {
  return before >= 1 && size > 1 ? success()
                                 : emitError() << "a sub-axis is (" << before << ")" << size
                                               << ", expected a pre-size >= 1 and a size >= 2";
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SubAxisInfoAttr part;
  if (parser.parseString(&name)) {
    return {};
  }
  if (succeeded(parser.parseOptionalColon())) {
    part = dyn_cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
    if (!part) {
      return {};
    }
  }
  return get(parser.getContext(), name, part);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (getSubAxisInfo()) {
    printer << ':';
    getSubAxisInfo().print(printer);
  }
}

//===-- shardings -----------------------------------------------------------------------------===//

// Parses `p0` or `p12`; nothing if there is no priority.
static FailureOr<std::optional<uint64_t>> parsePriority(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (failed(parser.parseOptionalKeyword(&text))) {
    return std::optional<uint64_t>();
  }
  uint64_t priority = 0;
  StringRef digits = text;
  bool isOne = digits.consume_front("p") && (digits == "0" || !digits.starts_with("0")) &&
               !digits.getAsInteger(10, priority) && priority <= INT64_MAX;
  if (!isOne) {
    parser.emitError(loc, "expected a priority such as `p1`, got `") << text << "`";
    return failure();
  }
  return std::optional<uint64_t>(priority);
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  auto parsePart = [&]() -> ParseResult {
    if (!isClosed) {
      return parser.emitError(parser.getCurrentLocation(), "expected `}` after `?`");
    }
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    axes.push_back(dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, Type())));
    return success(axes.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parsePart)) {
    return {};
  }
  FailureOr<std::optional<uint64_t>> priority = parsePriority(parser);
  return failed(priority) ? Attribute() : get(parser.getContext(), axes, isClosed, *priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printParts(printer, getAxes());
  if (!getIsClosed()) {
    printer << (getAxes().empty() ? "?" : ", ?");
  }
  printer << '}';
  if (getPriority()) {
    printer << 'p' << *getPriority();
  }
}

static ParseResult parseUnreduced(AsmParser &parser, SmallVector<AxisRefAttr> &axes,
                                  ReductionKind &reduction) {
  if (succeeded(parser.parseOptionalEqual())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (succeeded(parser.parseOptionalKeyword(&name))) {
      std::optional<ReductionKind> kind = symbolizeReductionKind(name);
      if (!kind) {
        return parser.emitError(loc, "expected `sum`, `max` or `min`, got `") << name << "`";
      }
      reduction = *kind;
    }
  }
  return parseParts(parser, Delimiter::Braces, axes);
}

// Parses a mesh's name, or an inline mesh: `mesh<["x"=2]>`.
static ParseResult parseMeshOrName(AsmParser &parser, Attribute &mesh) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    mesh = MeshAttr::parse(parser, Type());
    return success(mesh != nullptr);
  }
  StringAttr name;
  if (parser.parseSymbolName(name)) {
    return failure();
  }
  mesh = FlatSymbolRefAttr::get(name);
  return success();
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind reduction = ReductionKind::sum;
  if (parser.parseLess() || parseMeshOrName(parser, mesh) || parser.parseComma() ||
      parseParts(parser, Delimiter::Square, dimensions)) {
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    if (replicated.empty() && succeeded(parser.parseOptionalKeyword("replicated"))) {
      if (parser.parseEqual() || parseParts(parser, Delimiter::Braces, replicated)) {
        return {};
      }
    } else if (!unreduced.empty() || parser.parseKeyword("unreduced") ||
               parseUnreduced(parser, unreduced, reduction)) {
      return {};
    }
  }
  return parser.parseGreater() ? Attribute()
                               : get(parser.getContext(), mesh, dimensions, replicated, unreduced,
                                     unreduced.empty() ? ReductionKind::sum : reduction);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << MeshAttr::getMnemonic();
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  printParts(printer, getDimensions());
  printer << ']';
  if (!getReplicated().empty()) {
    printer << ", replicated={";
    printParts(printer, getReplicated());
    printer << '}';
  }
  if (!getUnreduced().empty()) {
    bool isSum = getReduction() == ReductionKind::sum;
    printer << ", unreduced=" << (isSum ? "" : stringifyReductionKind(getReduction())) << '{';
    printParts(printer, getUnreduced());
    printer << '}';
  }
  printer << '>';
}

Attribute ShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<ShardingAttr> shardings;
  if (parser.parseLess() || parseParts(parser, Delimiter::Square, shardings) ||
      parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), shardings);
}

void ShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printParts(printer, getShardings());
  printer << "]>";
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name)) {
      return failure();
    }
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  return parser.parseCommaSeparatedList(Delimiter::Braces, parseName)
             ? Attribute()
             : get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getAxes(), printer);
  printer << '}';
}

//===-- rules ---------------------------------------------------------------------------------===//

// Number of factors with a one-letter name. The factors of a rule are named i, j, …, z, z_1, z_2, …
static constexpr int64_t factorLetters = 'z' - 'i' + 1;

static std::string factorName(int64_t factor) {
  return factor < factorLetters ? std::string(1, static_cast<char>('i' + factor))
                                : "z_" + std::to_string(factor - factorLetters + 1);
}

// Removes a factor name from the beginning of the text and returns the number of the factor.
// Returns nothing if the text does not begin with a factor name.
static std::optional<int64_t> takeFactor(StringRef &text) {
  int64_t number = 0;
  if (text.consume_front("z_")) {
    bool isNumber = !text.starts_with("0") && !text.consumeInteger(10, number) && number >= 1 &&
                    number <= INT64_MAX - factorLetters;
    return isNumber ? std::optional(number + factorLetters - 1) : std::nullopt;
  }
  if (text.empty() || text.front() < 'i' || text.front() > 'z') {
    return std::nullopt;
  }
  number = text.front() - 'i';
  text = text.drop_front();
  return number;
}

static ParseResult parseFactors(AsmParser &parser, SmallVector<int64_t> &factors) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text)) {
    return failure();
  }
  while (!text.empty()) {
    std::optional<int64_t> factor = takeFactor(text);
    if (!factor) {
      return parser.emitError(loc, "expected the names of factors, `i` to `z`, `z_1` …");
    }
    factors.push_back(*factor);
  }
  return success();
}

static ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors)) {
    return failure();
  }
  if (factors.size() != 1) {
    return parser.emitError(loc, "expected the name of one factor");
  }
  factor = factors.front();
  return success();
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  return parseFactors(parser, factors) ? Attribute() : get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  llvm::for_each(getFactors(), [&](int64_t factor) { printer << factorName(factor); });
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dimensions;
  return parseParts(parser, Delimiter::Square, dimensions) ? Attribute()
                                                           : get(parser.getContext(), dimensions);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printParts(printer, getDimensions());
  printer << ']';
}

// Parses `{i=8, j=16}`, in the order of the factors.
static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(Delimiter::OptionalBraces, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t factor = 0;
    if (parseFactor(parser, factor)) {
      return failure();
    }
    if (factor != static_cast<int64_t>(sizes.size())) {
      return parser.emitError(loc, "expected the size of factor `")
             << factorName(static_cast<int64_t>(sizes.size())) << "`";
    }
    return failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back()));
  });
}

namespace {
// The factors of a rule by their role.
struct NamedFactors {
  StringRef name;
  SmallVector<int64_t> factors = {};
};
} // namespace

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes;
  NamedFactors named[] = {
      {"reduction"}, {"need_replication"}, {"permutation"}, {"blocked_propagation"}};
  bool isCustom = false;
  if (parser.parseLess() || parseParts(parser, Delimiter::Paren, operands) || parser.parseArrow() ||
      parseParts(parser, Delimiter::Paren, results) || parseSizes(parser, sizes)) {
    return {};
  }
  for (NamedFactors &each : named) {
    if (failed(parser.parseOptionalKeyword(each.name))) {
      continue;
    }
    auto parseOne = [&] { return parseFactor(parser, each.factors.emplace_back()); };
    if (parser.parseEqual() || parser.parseCommaSeparatedList(Delimiter::Braces, parseOne)) {
      return {};
    }
  }
  if (succeeded(parser.parseOptionalComma())) {
    isCustom = true;
    if (parser.parseKeyword("custom")) {
      return {};
    }
  }
  return parser.parseGreater()
             ? Attribute()
             : get(parser.getContext(), sizes, operands, results, named[0].factors,
                   named[1].factors, named[2].factors, named[3].factors, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << "<(";
  printParts(printer, getOperands());
  printer << ")->(";
  printParts(printer, getResults());
  printer << ')';
  if (!getSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(llvm::enumerate(getSizes()), printer, [&](auto each) {
      printer << factorName(static_cast<int64_t>(each.index())) << '=' << each.value();
    });
    printer << '}';
  }
  auto printNamed = [&](StringRef name, ArrayRef<int64_t> factors) {
    if (!factors.empty()) {
      printer << ' ' << name << "={";
      llvm::interleaveComma(factors, printer, [&](int64_t each) { printer << factorName(each); });
      printer << '}';
    }
  };
  printNamed("reduction", getReduction());
  printNamed("need_replication", getNeedReplication());
  printNamed("permutation", getPermutation());
  printNamed("blocked_propagation", getBlockedPropagation());
  printer << (getIsCustom() ? ", custom>" : ">");
}

//===-- parameters of collectives
//---------------------------------------------------------------===//

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  return parseParts(parser, Delimiter::Braces, axes) ? Attribute() : get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printParts(printer, getAxes());
  printer << '}';
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  return parseParts(parser, Delimiter::Square, lists) ? Attribute()
                                                      : get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printParts(printer, getLists());
  printer << ']';
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0, target = 0;
  if (parseParts(parser, Delimiter::Braces, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() || parser.parseInteger(target)) {
    return {};
  }
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printParts(printer, getAxes());
  printer << "}: " << getSource() << "->" << getTarget();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> parameters;
  return parseParts(parser, Delimiter::Square, parameters) ? Attribute()
                                                           : get(parser.getContext(), parameters);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printParts(printer, getParameters());
  printer << ']';
}

} // namespace drumlin::sdy
