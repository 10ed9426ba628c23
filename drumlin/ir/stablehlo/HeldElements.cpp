#include "drumlin/ir/stablehlo/HeldElements.h"

#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace mlir;

namespace drumlin {

// Maximum size in bytes of constants that are stored as MLIR's own attributes, whose elements the
// context copies.
static constexpr size_t maxInternedBytes = size_t(64) << 10;

HeldElements *HeldElements::of(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<stablehlo::StablehloDialect>();
  return dialect ? const_cast<HeldElements *>(dialect->getRegisteredInterface<HeldElements>())
                 : nullptr;
}

bool HeldElements::canHold(RankedTensorType type, size_t bytes) {
  Type element = type.getElementType();
  bool isNumber = isa<FloatType>(element) || (element.isInteger() && !element.isInteger(64));
  std::optional<ElementType> held = isNumber ? tryElementTypeOf(element) : std::nullopt;
  return held && bytes > maxInternedBytes && type.hasStaticShape() && !type.getEncoding() &&
         fillsItsBytes(*held) && byteCount(*held, type.getShape()) == static_cast<int64_t>(bytes);
}

static ArrayRef<char> bytesOf(const Tensor &tensor) {
  return {reinterpret_cast<const char *>(tensor.data()), static_cast<size_t>(tensor.bytes())};
}

// Releases the pages of a mapped file that are completely within `count` bytes from `bytes` on. The
// next access reads these pages from the file again.
static void giveBack(const void *bytes, size_t count) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(bytes);
  uintptr_t end = (begin + count) / page * page;
  begin = (begin + page - 1) / page * page;
  if (begin < end) {
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }
}

static void giveBack(const HeldConstant &constant) {
  if (constant.memory == HeldConstant::Memory::MappedProgram) {
    giveBack(constant.elements.data(), static_cast<size_t>(constant.elements.bytes()));
  }
}

ElementsAttr HeldElements::hold(RankedTensorType type, HeldConstant constant) {
  ArrayRef<char> bytes = bytesOf(constant.elements);
  uint64_t hash = llvm::xxh3_64bits(
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  auto [begin, end] = byHash.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (at->second.getType() == type && at->second.getRawHandle().getBlob()->getData() == bytes) {
      return at->second;
    }
  }
  constant.hash = hash;
  DenseResourceElementsAttr attribute = add(type, std::move(constant));
  byHash.emplace(hash, attribute);
  return attribute;
}

DenseResourceElementsAttr HeldElements::add(RankedTensorType type, HeldConstant constant) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(getContext());
  // The manager makes the name unique among all resources.
  DenseResourceElementsHandle handle = manager.insert(
      "held" + std::to_string(constants.size()),
      UnmanagedAsmResourceBlob::allocateWithAlign(bytesOf(constant.elements), /*align=*/1));
  constants.push_back(std::move(constant));
  byResource[handle.getResource()] = &constants.back();
  return DenseResourceElementsAttr::get(type, handle);
}

ElementsAttr HeldElements::holdInPlace(RankedTensorType type, ArrayRef<char> bytes) {
  auto *data = reinterpret_cast<std::byte *>(const_cast<char *>(bytes.data()));
  Tensor elements(elementTypeOf(type.getElementType()), Shape(type.getShape()),
                  std::shared_ptr<std::byte>(data, [](std::byte *) {}));
  using Memory = HeldConstant::Memory;
  HeldConstant constant = {std::move(elements),
                           readsMapped ? Memory::MappedProgram : Memory::Program};
  ElementsAttr attribute = hold(type, constant);
  giveBack(constant);
  return attribute;
}

// Converts hexadecimal digits to the bytes of the elements. Returns false if a character isn't a
// digit.
static bool readDigits(const char *digits, Tensor &elements) {
  auto *to = elements.as<uint8_t>();
  unsigned wrong = 0;
  for (int64_t i = 0; i < elements.bytes(); ++i) {
    unsigned high = llvm::hexDigitValue(digits[2 * i]),
             low = llvm::hexDigitValue(digits[2 * i + 1]);
    wrong |= high | low;
    to[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return wrong < 16;
}

std::optional<HeldElements::Spelled> HeldElements::read(const char *text) const {
  static constexpr llvm::StringLiteral opening = "dense<\"0x", closing = "\"> : tensor<";
  if (!readsInPlace || std::strncmp(text, opening.data(), opening.size()) != 0) {
    return std::nullopt;
  }
  const char *digits = text + opening.size(), *end = std::strchr(digits, '"');
  if (!end || static_cast<size_t>(end - digits) <= 2 * maxInternedBytes ||
      std::strncmp(end, closing.data(), closing.size()) != 0) {
    return std::nullopt;
  }
  constexpr size_t longestType = 4096;
  const char *spelling = end + closing.size();
  StringRef type = StringRef(spelling, strnlen(spelling, longestType)).split('>').first;
  Shape shape;
  while (!type.empty() && llvm::isDigit(type.front())) {
    if (type.consumeInteger(10, shape.emplace_back()) || !type.consume_front("x")) {
      return std::nullopt;
    }
  }
  std::optional<ElementType> element = elementTypeFromName(type);
  auto bytes = static_cast<size_t>(end - digits) / 2;
  if (!element || (end - digits) % 2 != 0 ||
      !canHold(RankedTensorType::get(shape, toMlirType(*element, getContext())), bytes)) {
    return std::nullopt;
  }
  std::optional<Tensor> elements = Tensor::allocate(*element, shape);
  if (!elements || !readDigits(digits, *elements)) {
    return std::nullopt;
  }
  return Spelled{std::move(*elements), static_cast<size_t>(end - text)};
}

void HeldElements::wasRead(const char *text, size_t characters) const {
  if (readsMapped) {
    giveBack(text, characters);
  }
}

void HeldElements::freeUnused(ElementsAttr value, ModuleOp module) {
  auto *constant = const_cast<HeldConstant *>(find(value));
  if (!constant || !constant->isOwned() ||
      module
          ->walk([&](stablehlo::ConstantOp op) {
            return op.getValue() == value ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted()) {
    return;
  }
  if (constant->from) {
    auto &others = made[constant->from];
    others.erase(llvm::find(others, value));
  } else {
    auto [begin, end] = byHash.equal_range(constant->hash);
    byHash.erase(std::find_if(begin, end, [&](const auto &each) { return each.second == value; }));
  }
  cast<DenseResourceElementsAttr>(value).getRawHandle().getResource()->setBlob(
      UnmanagedAsmResourceBlob::allocateWithAlign({}, /*align=*/1));
  spare = std::move(constant->elements);
  constant->elements = Tensor();
}

Tensor HeldElements::allocate(ElementType type, Shape shape) {
  bool fits = spare && spare->type() == type && spare->elements() == elementCount(shape);
  return fits ? std::exchange(spare, std::nullopt)->withShape(std::move(shape))
              : Tensor(type, std::move(shape));
}

ElementsAttr HeldElements::layOut(const HeldConstant &from, const BlockedLayout &layout) {
  for (DenseResourceElementsAttr each : made.lookup(&from)) {
    if (find(each)->layout == layout) {
      return each;
    }
  }
  const Tensor &elements = from.elements;
  auto bytes = static_cast<int64_t>(storageBytes(elements.type()));
  Tensor laidOut = allocate(elements.type(), layout.physicalShape());
  if (!layout.isBlocked()) {
    permute(elements.data(), laidOut.data(), elements.shape(), layout.order, bytes);
  } else if (!copyToLayout(elements.data(), laidOut.data(), layout, bytes)) {
    laidOut = toPhysical(elements, layout); // terminates the process if memory is exhausted
  }
  giveBack(from);
  auto type = RankedTensorType::get(laidOut.shape(), toMlirType(laidOut.type(), getContext()));
  DenseResourceElementsAttr attribute =
      add(type, {std::move(laidOut), HeldConstant::Memory::Own, &from, layout});
  made[&from].push_back(attribute);
  return attribute;
}

const HeldConstant *HeldElements::find(Attribute attribute) const {
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attribute);
  return resource ? byResource.lookup(resource.getRawHandle().getResource()) : nullptr;
}

const HeldConstant *heldConstant(Attribute attribute) {
  HeldElements *held = attribute ? HeldElements::of(attribute.getContext()) : nullptr;
  return held ? held->find(attribute) : nullptr;
}

void freeUnusedElements(ElementsAttr value, ModuleOp module) {
  if (HeldElements *held = HeldElements::of(value.getContext())) {
    held->freeUnused(value, module);
  }
}

ElementsAttr layOutConstant(ElementsAttr value, const Tensor &elements,
                            const BlockedLayout &layout) {
  if (const HeldConstant *from = heldConstant(value)) {
    return HeldElements::of(value.getContext())->layOut(*from, layout);
  }
  MLIRContext *context = value.getContext();
  HeldElements *held = HeldElements::of(context);
  Tensor made =
      layout.isBlocked() ? toPhysical(elements, layout) : toPhysical(elements, layout.order);
  auto type = RankedTensorType::get(made.shape(), toMlirType(made.type(), context));
  return held && HeldElements::canHold(type, static_cast<size_t>(made.bytes())) &&
                 !hasEqualElements(made)
             ? held->hold(type, {std::move(made)})
             : attributeFromTensor(made, context);
}

} // namespace drumlin
