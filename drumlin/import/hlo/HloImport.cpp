#include "drumlin/import/hlo/HloImport.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportShardings.h"
#include "drumlin/ir/plan/ElidedConstants.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

//===-- layouts of arguments and results ------------------------------------------------------===//

// Returns a shape's dimension order in the form of `mhlo.layout_mode`, such as `{0,1}`; empty if it
// is row-major. Ignores tiles and memory spaces, which XLA chose for another machine.
static std::string layoutMode(const Shape &shape) {
  if (!shape.layout || shape.layout->minorToMajor.size() != shape.dimensions.size()) {
    return {};
  }
  const List<int64_t> &order = shape.layout->minorToMajor;
  if (llvm::is_sorted(order, std::greater<>())) {
    return {};
  }
  return "{" +
         llvm::join(llvm::map_range(order, [](int64_t d) { return std::to_string(d); }), ",") + "}";
}

static void addLayoutModes(const Shape &shape, std::vector<std::string> &modes) {
  if (shape.kind != Shape::Kind::Tuple) {
    modes.push_back(layoutMode(shape));
    return;
  }
  for (const Shape &element : shape.elements) {
    addLayoutModes(element, modes);
  }
}

// Adds the layout modes of a shape or a list of shapes in the header.
static void addLayoutModes(const Value &value, std::vector<std::string> &modes) {
  if (value.shape()) {
    addLayoutModes(*value.shape(), modes);
  }
  for (const Value &item : value.items) {
    addLayoutModes(item, modes);
  }
}

namespace {
// The layout modes of the entry's arguments and results, one per leaf.
struct EntryLayouts {
  std::vector<std::string> arguments, results;
};
} // namespace

// Returns the layouts that the header states. If it states none, returns the layouts of the
// parameters and the root.
static EntryLayouts entryLayouts(const Module &module, const Computation &entry) {
  EntryLayouts layouts;
  const Value *header = findAttribute(module.attributes, "entry_computation_layout");
  const Value *signature = header && header->items.size() == 1 ? &header->items.front() : nullptr;
  if (signature && signature->kind == Value::Kind::Sequence && signature->items.size() == 3) {
    addLayoutModes(signature->items[0], layouts.arguments);
    addLayoutModes(signature->items[2], layouts.results);
    return layouts;
  }
  std::vector<const Instruction *> parameters;
  for (const auto &instruction : entry.instructions) {
    if (instruction->opcode == "parameter") {
      parameters.push_back(instruction.get());
    }
  }
  llvm::sort(parameters, [](const Instruction *a, const Instruction *b) {
    return a->parameterNumber() < b->parameterNumber();
  });
  for (const Instruction *parameter : parameters) {
    addLayoutModes(parameter->shape, layouts.arguments);
  }
  addLayoutModes(entry.root()->shape, layouts.results);
  return layouts;
}

//===-- the entry's attributes ----------------------------------------------------------------===//

namespace {
// Sets the attributes of `main` that follow from the module's header and parameters.
class EntryAttributes {
public:
  EntryAttributes(const Module &module, Conversion &conversion, func::FuncOp main)
      : module(module), entry(*module.entry()), conversion(conversion), main(main) {}

  void setLayouts();
  void setDonations();
  void setShardings();

private:
  // Returns the index of a parameter's element among all leaves. Reports an element that doesn't
  // exist or isn't an array.
  std::optional<unsigned> leafAt(int64_t parameter, const std::vector<int64_t> &path);
  std::optional<size_t> leafOf(const Shape *shape, const std::vector<int64_t> &path);
  void fail(const std::string &message) {
    conversion.fail(errors::ProgramInvalid, message, *entry.root());
  }
  StringAttr string(StringRef text) { return StringAttr::get(main.getContext(), text); }

  const Module &module;
  const Computation &entry;
  Conversion &conversion;
  func::FuncOp main;
};
} // namespace

void EntryAttributes::setLayouts() {
  EntryLayouts layouts = entryLayouts(module, entry);
  if (layouts.arguments.size() != main.getNumArguments() ||
      layouts.results.size() != main.getNumResults()) {
    return fail("`entry_computation_layout` doesn't have the entry's parameters and results");
  }
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (!layouts.arguments[i].empty()) {
      main.setArgAttr(i, layoutModeAttribute, string(layouts.arguments[i]));
    }
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (!layouts.results[i].empty()) {
      main.setResultAttr(i, layoutModeAttribute, string(layouts.results[i]));
    }
  }
}

std::optional<size_t> EntryAttributes::leafOf(const Shape *shape,
                                              const std::vector<int64_t> &path) {
  size_t leaf = 0;
  for (int64_t index : path) {
    if (index < 0 || std::cmp_greater_equal(index, shape->elements.size())) {
      return std::nullopt;
    }
    for (int64_t i = 0; i < index; ++i) {
      leaf += leafCount(shape->elements[static_cast<size_t>(i)]);
    }
    shape = &shape->elements[static_cast<size_t>(index)];
  }
  return shape->kind == Shape::Kind::Array ? std::optional(leaf) : std::nullopt;
}

std::optional<unsigned> EntryAttributes::leafAt(int64_t parameter,
                                                const std::vector<int64_t> &path) {
  size_t before = 0;
  std::optional<size_t> leaf;
  for (const auto &instruction : entry.instructions) {
    if (instruction->opcode != "parameter") {
      continue;
    }
    if (instruction->parameterNumber() == parameter) {
      leaf = leafOf(&instruction->shape, path);
    } else if (instruction->parameterNumber() < parameter) {
      before += leafCount(instruction->shape);
    }
  }
  if (!leaf) {
    fail("an alias or a donation names an element of parameter " + std::to_string(parameter) +
         " that isn't an array");
    return std::nullopt;
  }
  return static_cast<unsigned>(before + *leaf);
}

// Sets donations from two attributes of the header. `input_output_alias`, such as
// `{ {1}: (0, {}, may-alias) }`, maps an element of the result to the parameter's element whose
// memory it gets. `buffer_donor`, such as `{ (1, {}) }`, lists elements of parameters whose memory
// any result may get.
void EntryAttributes::setDonations() {
  static const Value none = Value::list('{', {});
  const Value *aliases = findAttribute(module.attributes, "input_output_alias");
  for (const Value &alias : (aliases ? aliases : &none)->items) {
    auto output = alias.items.size() == 2 ? alias.items[0].integers() : std::nullopt;
    const Value *source = output && alias.items[1].items.size() >= 2 ? &alias.items[1] : nullptr;
    auto parameter = source ? source->items[0].integer() : std::nullopt;
    auto path = source ? source->items[1].integers() : std::nullopt;
    auto result = output ? leafOf(&entry.root()->shape, *output) : std::nullopt;
    if (!parameter || !path || !result) {
      return fail("`input_output_alias` has `" + alias.str() +
                  "`, expected an element of the result and an element of a parameter");
    }
    if (std::optional<unsigned> argument = leafAt(*parameter, *path)) {
      main.setArgAttr(
          *argument, "tf.aliasing_output",
          IntegerAttr::get(IntegerType::get(main.getContext(), 32), static_cast<int64_t>(*result)));
    }
  }
  const Value *donors = findAttribute(module.attributes, "buffer_donor");
  for (const Value &donor : (donors ? donors : &none)->items) {
    auto parameter = donor.items.size() == 2 ? donor.items[0].integer() : std::nullopt;
    auto path = parameter ? donor.items[1].integers() : std::nullopt;
    if (!path) {
      return fail("`buffer_donor` has `" + donor.str() + "`, expected an element of a parameter");
    }
    if (std::optional<unsigned> argument = leafAt(*parameter, *path)) {
      main.setArgAttr(*argument, "jax.buffer_donor", BoolAttr::get(main.getContext(), true));
    }
  }
}

void EntryAttributes::setShardings() {
  for (const auto &instruction : entry.instructions) {
    const Value *sharding = instruction->find("sharding");
    if (instruction->opcode == "parameter" && sharding &&
        instruction->shape.kind == Shape::Kind::Array) {
      if (auto argument = leafAt(instruction->parameterNumber().value_or(0), {})) {
        main.setArgAttr(*argument, "mhlo.sharding", string(sharding->str()));
      }
    }
  }
}

// Sets the module attributes with the numbers of partitions and replicas.
static void setProcesses(const Module &from, ModuleOp to) {
  for (auto [name, attribute] : {std::pair("num_partitions", "mhlo.num_partitions"),
                                 {"replica_count", "mhlo.num_replicas"}}) {
    const Value *value = findAttribute(from.attributes, name);
    if (auto count = value ? value->integer() : std::nullopt) {
      to->setAttr(attribute, IntegerAttr::get(IntegerType::get(to.getContext(), 32), *count));
    }
  }
}

static Result<OwningOpRef<ModuleOp>> convert(Module &module, const ElidedFill &fill, StringRef text,
                                             StringRef fileName, MLIRContext &context) {
  Location location = FileLineColLoc::get(&context, fileName, 1, 1);
  OwningOpRef<ModuleOp> target(ModuleOp::create(location));
  if (!module.name.empty()) {
    target->setSymName(module.name);
  }
  Conversion conversion(module, text, fileName, *target, fill);
  if (std::optional<UnknownShape> unknown = inferShapes(module)) {
    conversion.fail(errors::ProgramInvalid, unknown->reason, *unknown->instruction,
                    "write the shape before the opcode, as in `f32[8,4] add(a, b)`");
    return *conversion.firstError();
  }
  checkShardings(conversion);
  func::FuncOp main = conversion.functionOf(*module.entry());
  conversion.writeBodies();
  if (!conversion.failed()) {
    EntryAttributes attributes(module, conversion, main);
    attributes.setLayouts();
    attributes.setDonations();
    attributes.setShardings();
    setProcesses(module, *target);
    if (!conversion.firstElided().empty()) {
      (*target)->setAttr(elidedAttribute, StringAttr::get(&context, conversion.firstElided()));
    }
  }
  if (const std::optional<Diagnostic> &error = conversion.firstError()) {
    return *error;
  }
  return target;
}

} // namespace drumlin::hlo

namespace drumlin {

Result<OwningOpRef<ModuleOp>> importHlo(StringRef text, StringRef fileName, MLIRContext &context,
                                        StringRef fillElided,
                                        std::optional<hlo::ProtoMessage> message) {
  Result<ElidedFill> fill = ElidedFill::of(fillElided);
  if (!fill) {
    return fill.error();
  }
  std::string printed;
  if (message || hlo::isProto(text)) {
    Result<hlo::Module> read =
        hlo::readProto(text, fileName.str(), message.value_or(hlo::ProtoMessage::Any));
    if (!read) {
      return read.error();
    }
    printed = hlo::print(*read);
    text = printed;
  }
  Result<hlo::Module> module = hlo::parse(text, fileName.str(), {.keepSpelling = false});
  if (!module) {
    return module.error();
  }
  return hlo::convert(*module, *fill, text, fileName, context);
}

} // namespace drumlin
