#include "drumlin/listing/program/ProgramListing.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/listing/JsonText.h"
#include "drumlin/listing/program/AttributeText.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace drumlin::listing {

template <typename Printed> static std::string printed(Printed &&value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

static Shape shapeOf(Type type) {
  Shape shape;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto tuple = dyn_cast<TupleType>(type)) {
    shape.isTuple = true;
    llvm::transform(tuple.getTypes(), std::back_inserter(shape.elements), shapeOf);
    return shape;
  }
  if (!tensor) {
    shape.element = printed(type);
    return shape;
  }
  shape.element = printed(tensor.getElementType());
  for (int64_t size : tensor.getShape()) {
    shape.dimensions.push_back(ShapedType::isDynamic(size) ? -1 : size);
  }
  if (tensor.getEncoding()) {
    shape.layout = attributeText(tensor.getEncoding());
  }
  return shape;
}

static std::string typesText(TypeRange types) {
  if (types.size() == 1) {
    return printed(types.front());
  }
  std::string text;
  for (Type type : types) {
    text += (text.empty() ? "" : ", ") + printed(type);
  }
  return "(" + text + ")";
}

static Attribute attributeOf(NamedAttribute attribute) {
  std::string name = attribute.getName().str();
  if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
    if (isJsonBlock(text.getValue())) {
      return {name, text.str(), true};
    }
  }
  return {name, attributeText(attribute.getValue())};
}

// Returns the operation, such as `stablehlo.add`, of a region that only applies this operation to
// the region's two arguments and returns the result. Returns an empty text for other regions.
static std::string appliedOperation(Region &region) {
  if (!region.hasOneBlock() || region.getNumArguments() != 2) {
    return {};
  }
  Block &block = region.front();
  bool areScalars = llvm::all_of(block.getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  });
  if (!areScalars || !llvm::hasNItems(block, 2)) {
    return {};
  }
  Operation &op = block.front();
  bool applies = op.getNumOperands() == 2 && op.getOperand(0) == block.getArgument(0) &&
                 op.getOperand(1) == block.getArgument(1) && op.getNumRegions() == 0 &&
                 llvm::equal(block.back().getOperands(), op.getResults());
  return applies && op.getAttrs().empty() ? op.getName().getStringRef().str() : std::string();
}

static std::string regionName(Operation *op, unsigned number) {
  llvm::StringRef name = op->getName().stripDialect();
  if (name == "while") {
    return number == 0 ? "condition" : "body";
  }
  if (name == "if") {
    return number == 0 ? "true" : "false";
  }
  return op->getNumRegions() == 1 ? "body" : "branch" + std::to_string(number);
}

class ProgramLister {
public:
  ProgramLister(ModuleOp from, std::string_view fileName, const NotesOf &notesOf)
      : from(from), notesOf(notesOf), state(from),
        ownFile(llvm::StringRef(fileName).substr(fileName.find_last_of('/') + 1).str() + ":") {}

  Module list() {
    module.keyword = "module";
    module.sigil = "@";
    module.name = from.getName().value_or("").str();
    for (NamedAttribute attribute : from->getAttrs()) {
      // A plan's list of the original operations is metadata, because it is as long as the program.
      bool isTable = attribute.getName() == "plan.operations";
      if (attribute.getName() != SymbolTable::getSymbolAttrName()) {
        (isTable ? module.metadata : module.attributes).push_back(attributeOf(attribute));
      }
    }
    // Creates all computations first, as calls may precede their callees.
    for (Operation &op : *from.getBody()) {
      if (op.getNumRegions() == 0) {
        module.attributes.push_back({printed(op), ""});
        continue;
      }
      auto symbol = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      Computation &made = *module.computations.emplace_back(std::make_unique<Computation>());
      made.fullName = made.name = symbol ? symbol.str() : "";
      computations[made.name] = &made;
    }
    size_t next = 0;
    for (Operation &op : *from.getBody()) {
      if (op.getNumRegions() != 0) {
        listTop(op, *module.computations[next++]);
      }
    }
    linkUsers(module);
    return std::move(module);
  }

private:
  void listTop(Operation &op, Computation &made) {
    made.isEntry = made.name == "main";
    auto visibility = op.getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName());
    made.keyword = op.getName().stripDialect().str();
    made.keyword += visibility && visibility == "private" ? " private" : "";
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function) {
      made.resultType = typesText(function.getResultTypes());
    }
    for (NamedAttribute attribute : op.getAttrs()) {
      llvm::StringRef name = attribute.getName();
      bool isSignature = name == SymbolTable::getSymbolAttrName() || name == "function_type" ||
                         name == SymbolTable::getVisibilityAttrName() || name == "arg_attrs";
      if (!isSignature) {
        made.attributes.push_back(attributeOf(attribute));
      }
    }
    listRegion(op.getRegion(0), made);
    if (!function) {
      return;
    }
    for (unsigned i = 0; i < made.instructions.size() && i < function.getNumArguments(); ++i) {
      for (NamedAttribute attribute : function.getArgAttrs(i)) {
        made.instructions[i]->attributes.push_back(attributeOf(attribute));
      }
    }
  }

  void listRegion(Region &region, Computation &made) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        Instruction &parameter = add(made, argument, argument.getType(), argument.getLoc());
        parameter.opcode = "parameter";
        parameter.argument = std::to_string(argument.getArgNumber());
        instructions[argument] = &parameter;
      }
      for (Operation &op : block) {
        listOperation(op, made);
      }
    }
  }

  Instruction &add(Computation &computation, Value value, TypeRange types, Location loc) {
    Instruction &made = *computation.instructions.emplace_back(std::make_unique<Instruction>());
    if (value) {
      std::string name;
      llvm::raw_string_ostream stream(name);
      value.printAsOperand(stream, state);
      made.name = name.substr(1, name.find('#') - 1);
      made.fullName = made.name;
      made.type = typesText(types);
    }
    made.results = types.size();
    if (types.size() == 1) {
      made.shape = shapeOf(types.front());
    } else {
      made.shape.isTuple = true;
      llvm::transform(types, std::back_inserter(made.shape.elements), shapeOf);
    }
    made.source = sourceNumber(loc);
    made.metadata.push_back({"loc", locationText(loc)});
    return made;
  }

  void listOperation(Operation &op, Computation &computation) {
    Value first = op.getNumResults() > 0 ? op.getResult(0) : Value();
    Instruction &made = add(computation, first, op.getResultTypes(), op.getLoc());
    made.opcode = op.getName().getStringRef().str();
    if (notesOf) {
      made.notes = notesOf(&op);
    }
    for (Value result : op.getResults()) {
      instructions[result] = &made;
    }
    for (Value operand : op.getOperands()) {
      auto result = dyn_cast<OpResult>(operand);
      bool isOneOfSeveral = result && result.getOwner()->getNumResults() > 1;
      if (Instruction *producer = instructions.lookup(operand)) {
        made.operands.push_back(
            {producer, isOneOfSeveral ? int64_t(result.getResultNumber()) : -1});
      }
    }
    for (NamedAttribute attribute : op.getAttrs()) {
      auto elements = dyn_cast<ElementsAttr>(attribute.getValue());
      if (op.hasTrait<OpTrait::ConstantLike>() && elements && attribute.getName() == "value") {
        made.argument = elementsText(elements);
      } else if (attribute.getName() != "operandSegmentSizes") {
        made.attributes.push_back(attributeOf(attribute));
      }
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
        if (Computation *called = computations.lookup(symbol.getValue())) {
          made.calls.push_back(called);
        }
      }
    }
    for (Region &region : op.getRegions()) {
      if (std::string applied = appliedOperation(region); !applied.empty()) {
        made.attributes.push_back({"applies", applied});
        continue;
      }
      Computation &inner = *made.regions.emplace_back(std::make_unique<Computation>());
      inner.name = inner.fullName = regionName(&op, region.getRegionNumber());
      inner.isRegion = true;
      listRegion(region, inner);
    }
  }

  // Returns the number of a location's source; 0 if the location only refers to the program's own
  // text.
  size_t sourceNumber(Location loc) {
    auto [found, isNew] = sourceOfLocation.try_emplace(loc, 0);
    if (!isNew) {
      return found->second;
    }
    Source source;
    loc->walk([&](Location nested) {
      auto name = dyn_cast<NameLoc>(nested);
      source.scope = name ? name.getName().str() : "";
      return name ? WalkResult::interrupt() : WalkResult::advance();
    });
    source.place = plan::sourceOf(loc);
    if (llvm::StringRef(source.place).starts_with(ownFile)) {
      source.place.clear();
    }
    if (source == Source()) {
      return 0;
    }
    size_t &number = sourceNumbers[source.scope + "\n" + source.place];
    if (number == 0) {
      module.sources.push_back(std::move(source));
      number = module.sources.size();
    }
    return sourceOfLocation[loc] = number;
  }

  std::string locationText(Location loc) {
    std::string &text = locationTexts[loc];
    text = text.empty() ? printed(LocationAttr(loc)) : text;
    return text;
  }

  ModuleOp from;
  const NotesOf &notesOf;
  AsmState state;
  std::string ownFile;
  Module module;
  llvm::StringMap<Computation *> computations;
  llvm::DenseMap<Value, Instruction *> instructions;
  llvm::DenseMap<Location, size_t> sourceOfLocation;
  llvm::DenseMap<Location, std::string> locationTexts;
  llvm::StringMap<size_t> sourceNumbers;
};

Module listProgram(ModuleOp module, std::string_view fileName, const NotesOf &notesOf) {
  return ProgramLister(module, fileName, notesOf).list();
}

} // namespace drumlin::listing
