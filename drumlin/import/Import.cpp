#include "drumlin/import/Import.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/import/ProgramCheck.h"
#include "drumlin/import/StubDialects.h"
#include "drumlin/import/Tuples.h"
#include "drumlin/import/bytecode/Artifact.h"
#include "drumlin/import/bytecode/BytecodeScan.h"
#include "drumlin/import/bytecode/StablehloBytecode.h"
#include "drumlin/import/hlo/HloImport.h"
#include "drumlin/import/text/TextScan.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/sdy/SdyDialect.h"
#include "drumlin/ir/sizes/SizesDialect.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/ir/stablehlo/ScatterWindows.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/ir/vhlo/VhloDialect.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/Threads.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <limits>
#include <pthread.h>
#include <tuple>

using namespace mlir;

namespace drumlin {

using ImportResult = Result<OwningOpRef<ModuleOp>>;

void registerDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                  sdy::SdyDialect, sizes::SizesDialect, vhlo::VhloDialect>();
  func::registerInlinerExtension(registry);
  registerStubDialects(registry);
  registerStablehloBytecode(registry);
}

//===-- running on a large stack --------------------------------------------------------------===//

// The parser needs a few stack frames per nested bracket. This stack size suffices for the maximum
// nesting that the scan allows. `fewBrackets` nested brackets fit on the stack of any thread.
static constexpr size_t parserStackBytes = size_t(256) << 20;
static constexpr uint64_t fewBrackets = 64;

// Runs a function on a new thread and waits for it. Returns false if no thread could be created.
static bool runOnLargeStack(llvm::function_ref<void()> function) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) {
    return false;
  }
  // The thread's argument can be a local variable, since this function waits for the thread.
  struct Call {
    llvm::function_ref<void()> function;
    bool endsWithoutMemory;
  } given = {function, EndsWithoutMemory::isHere()};
  auto call = [](void *argument) -> void * {
    const auto &[function, endsWithoutMemory] = *static_cast<Call *>(argument);
    EndsWithoutMemory ends(endsWithoutMemory);
    SignalStack stack;
    function();
    return nullptr;
  };
  pthread_t thread;
  bool started = pthread_attr_setstacksize(&attributes, parserStackBytes) == 0 &&
                 pthread_create(&thread, &attributes, call, &given) == 0;
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_join(thread, nullptr);
  }
  return started;
}

//===-- diagnostics ---------------------------------------------------------------------------===//

namespace {
// The MLIR error to report: the first in the text, since functions are verified in no fixed order.
struct FirstError {
  bool seen = false;
  std::string message;
  std::string location;
  // The byte offset in the text; nullopt if the text itself states locations.
  std::optional<size_t> offset;

  bool isBefore(const FirstError &other) const {
    constexpr size_t none = std::numeric_limits<size_t>::max();
    size_t mine = offset.value_or(none), theirs = other.offset.value_or(none);
    return std::tie(mine, location, message) < std::tie(theirs, other.location, other.message);
  }
};
} // namespace

// Returns the byte offset of a line and column in the text, counted as by `locationOf`.
static std::optional<size_t> offsetOf(StringRef text, Location loc, StringRef name) {
  auto position = dyn_cast<FileLineColLoc>(loc);
  if (!position || position.getFilename() != name) {
    return std::nullopt;
  }
  size_t offset = 0;
  for (unsigned line = 1; line < position.getLine(); ++line) {
    size_t end = text.find('\n', offset);
    if (end == StringRef::npos) {
      return std::nullopt;
    }
    offset = end + 1;
  }
  return offset + position.getColumn() - 1;
}

// Converts MLIR's style `'stablehlo.add' op expects …` to ours: `` `stablehlo.add` expects …``.
static std::string inOurWords(std::string message) {
  size_t end = message.rfind("' op ");
  if (message.starts_with("'") && end != std::string::npos) {
    message = "`" + message.substr(1, end - 1) + "` " + message.substr(end + 5);
  }
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) {
    message.pop_back();
  }
  return message;
}

static FirstError collect(mlir::Diagnostic &diagnostic, StringRef text, StringRef name) {
  FirstError error;
  error.seen = true;
  error.message = inOurWords(diagnostic.str());
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    // Leaves out MLIR's note that prints the whole operation.
    if (!StringRef(note.str()).starts_with("see current operation")) {
      error.message += "; " + inOurWords(note.str());
    }
  }
  error.location = str(diagnostic.getLocation());
  error.offset = offsetOf(text, diagnostic.getLocation(), name);
  return error;
}

// Returns the error to report for a parse error. If the text has an unsupported name before the
// error or on the same line, returns an error for this name instead. Whole lines are compared,
// since MLIR reports an unknown type at the preceding token and an unknown operation at the token
// after its name.
static Diagnostic explainParseError(const FirstError &error, const TextScan &scan, StringRef text,
                                    StringRef name) {
  if (error.offset && !scan.unsupported.empty()) {
    const UnsupportedPlace &place = scan.unsupported.front();
    if (place.offset <= std::min(text.find('\n', *error.offset), text.size())) {
      return diagnose(place.code, place.message, locationOf(text, name, place.offset));
    }
  }
  return diagnose(errors::SyntaxInvalid, error.seen ? error.message : "the text isn't a program",
                  error.location.empty() ? name.str() : error.location);
}

// Adds the file's folder to an error's location, since locations in the module don't have it.
static Diagnostic withFolder(Diagnostic error, StringRef fileName, StringRef name) {
  StringRef rest = error.location;
  if (rest.consume_front(fileName) && (rest.empty() || rest.starts_with(":"))) {
    error.location = (name + rest).str();
  }
  return error;
}

//===-- import --------------------------------------------------------------------------------===//

// Removes shardings from a program for one device, where they have no effect. Fails for programs
// for several devices, whose shardings are supported only in file conversions.
static Status takeOffShardings(ModuleOp module) {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  if (!partitions || partitions.getValue().isOne()) {
    module->walk([](Operation *op) {
      if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (isa<sdy::MeshOp, sdy::ShardingGroupOp>(op)) {
        op->erase();
      }
    });
  }
  Status status = Done{};
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa_and_nonnull<sdy::SdyDialect>(op->getDialect())) {
      return WalkResult::advance();
    }
    status = diagnose(errors::UnsupportedOperation,
                      "operation `" + op->getName().getStringRef().str() + "` isn't supported",
                      str(op->getLoc()), "write the program for one device");
    return WalkResult::interrupt();
  });
  return status;
}

namespace {
// The properties of a program that are known before parsing.
struct Source {
  TextScan text;                          // scan result of MLIR text
  std::optional<BytecodeHeader> bytecode; // header of bytecode
  bool isHlo = false;                     // if true, `text` and `bytecode` have no information

  bool mayHaveBytes() const { return isHlo || (bytecode ? bytecode->hasBytes : text.hasBytes); }
  bool isShallow() const {
    return !isHlo && (bytecode ? bytecode->depth : text.depth) <= fewBrackets;
  }
};
} // namespace

namespace {
// A program's bytes together with MLIR's view of them. Elements of bytecode resources are not
// copied. They keep the file alive by sharing ownership of this object.
struct OwnedSource {
  explicit OwnedSource(std::unique_ptr<llvm::MemoryBuffer> buffer) : buffer(std::move(buffer)) {}
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::SourceMgr manager;
};
} // namespace

// Scans a program before parsing. Replaces the buffer if bytecode needs alignment or text has
// booleans to pack.
static Result<Source> scanBuffer(std::unique_ptr<llvm::MemoryBuffer> &buffer, StringRef name,
                                 const KnownNames &known, const ImportLimits &limits) {
  StringRef content = buffer->getBuffer();
  if (content.trim().empty()) {
    return diagnose(errors::EntryMissing, "the program is empty", name.str(),
                    "pass StableHLO or HLO, as text or as bytes");
  }
  if (hlo::isHloText(content) || hlo::isProto(content)) {
    return Source{{}, std::nullopt, /*isHlo=*/true};
  }
  if (!isBytecode(content)) {
    Result<TextScan> scan = scanText(content, name, known, limits);
    if (!scan) {
      return scan.error();
    }
    if (!scan->booleans.empty()) {
      auto packed = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(content.size(), name);
      llvm::copy(content, packed->getBufferStart());
      packBooleans(packed->getBufferStart(), scan->booleans);
      buffer = std::move(packed);
    }
    return Source{std::move(*scan), std::nullopt};
  }
  Result<BytecodeHeader> header = scanBytecode(content, name, known, limits);
  if (!header) {
    return header.error();
  }
  if (reinterpret_cast<uintptr_t>(content.data()) % header->alignment != 0) {
    auto aligned = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
        content.size(), name, llvm::Align(header->alignment));
    llvm::copy(content, aligned->getBufferStart());
    buffer = std::move(aligned);
  }
  return Source{{}, std::move(*header)};
}

// Fails if the program has an unsupported type, operation or sharding. Runs before the program is
// verified.
static Status checkRunnable(ModuleOp module, const ImportLimits &limits) {
  Status status = checkSupported(module, limits);
  return status ? takeOffShardings(module) : status;
}

// Returns a key that occurs twice in a dictionary, which MLIR's bytecode reader doesn't check.
static std::optional<StringRef> repeatedKey(ModuleOp module) {
  std::optional<StringRef> found;
  AttrTypeWalker walker;
  walker.addWalk([&](DictionaryAttr dictionary) {
    ArrayRef<NamedAttribute> attributes = dictionary.getValue(); // sorted
    for (size_t i = 1; i < attributes.size(); ++i) {
      if (attributes[i].getName() == attributes[i - 1].getName()) {
        found = attributes[i].getName().strref();
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  module->walk([&](Operation *op) {
    bool isFound = walker.walk<WalkOrder::PreOrder>(op->getAttrDictionary()).wasInterrupted() ||
                   walker.walk<WalkOrder::PreOrder>(op->getLoc()).wasInterrupted();
    return isFound ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

// The code of DenseIntOrFPElementsAttr in MLIR bytecode's `builtin` dialect. Its fields are a type
// and the bytes of the elements.
static constexpr uint64_t denseElementsCode = 18;

// Reads large elements without copying them (HeldElements.h); leaves `entry` null for all other
// attributes, which MLIR then reads.
static LogicalResult readHeld(DialectBytecodeReader &reader, StringRef dialect, Attribute &entry) {
  HeldElements *held = HeldElements::of(reader.getContext());
  uint64_t code = 0;
  if (dialect != "builtin" || failed(reader.readVarInt(code)) || code != denseElementsCode) {
    return success();
  }
  Type type;
  ArrayRef<char> bytes;
  if (failed(reader.readType(type)) || failed(reader.readBlob(bytes))) {
    return failure();
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && HeldElements::canHold(tensor, bytes.size())) {
    entry = held->holdInPlace(tensor, bytes);
  }
  return success();
}

// Converts held elements outside of constants, such as in attributes of custom calls, to MLIR's own
// attribute, since held elements are only expected in constants.
static void holdOfConstantsAlone(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](DenseResourceElementsAttr elements) -> std::optional<Attribute> {
    const HeldConstant *held = heldConstant(elements);
    return held ? std::optional<Attribute>(
                      attributeFromTensor(held->elements, elements.getContext()))
                : std::nullopt;
  });
  module->walk([&](Operation *op) {
    if (!isa<stablehlo::ConstantOp>(op)) {
      replacer.replaceElementsIn(op);
    }
  });
}

// Parses MLIR text or bytecode without verifying it. `error`: the parser's error, set by the
// caller's diagnostic handler.
static ImportResult parseProgram(const std::shared_ptr<llvm::SourceMgr> &sources,
                                 const Source &source, StringRef name, MLIRContext &context,
                                 const FirstError &error) {
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (HeldElements *held = HeldElements::of(&context); held && held->readsInPlace) {
    config.getBytecodeReaderConfig().attachAttributeCallback(
        AttrTypeBytecodeReader<Attribute>::fromCallable(readHeld));
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module) {
    StringRef text = sources->getMemoryBuffer(sources->getMainFileID())->getBuffer();
    return source.bytecode ? explainBytecodeError(error.message, *source.bytecode, name)
                           : explainParseError(error, source.text, text, name);
  }
  if (std::optional<StringRef> key = source.bytecode ? repeatedKey(*module) : std::nullopt) {
    return diagnose(errors::BytecodeInvalid,
                    "a dictionary of the bytecode has the key `" + key->str() + "` twice",
                    name.str());
  }
  if (std::optional<Diagnostic> diagnostic =
          readArtifact(*module, source.bytecode ? &*source.bytecode : nullptr, name)) {
    return std::move(*diagnostic);
  }
  if (HeldElements *held = HeldElements::of(&context); held && held->readsInPlace) {
    holdOfConstantsAlone(*module);
  }
  return module;
}

// `message`: the message type if the bytes are known to be an HLO proto; nullopt to detect the
// format.
static ImportResult importBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name,
                                 MLIRContext &context, const ImportLimits &limits,
                                 std::optional<hlo::ProtoMessage> message = std::nullopt) {
  context.loadAllAvailableDialects();
  KnownNames known;
  known.operation = [&](std::string_view operation) {
    return RegisteredOperationName::lookup(operation, &context).has_value();
  };
  known.dialect = [&](std::string_view dialect) {
    return context.getLoadedDialect(dialect) != nullptr;
  };
  Result<Source> source = message ? Result<Source>(Source{{}, std::nullopt, /*isHlo=*/true})
                                  : scanBuffer(buffer, name, known, limits);
  if (!source) {
    return source.error();
  }
  StringRef text = buffer->getBuffer();

  // Drops the folder: images contain locations, but must not depend on the program's folder.
  StringRef fileName = llvm::sys::path::filename(name);
  auto owned = std::make_shared<OwnedSource>(std::move(buffer));
  std::shared_ptr<llvm::SourceMgr> sources(owned, &owned->manager);
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(llvm::MemoryBufferRef(text, fileName),
                                       /*RequiresNullTerminator=*/!source->bytecode),
      llvm::SMLoc());
  HeldElements *held = HeldElements::of(&context);
  bool holds = held && limits.holdsConstants && !source->isHlo;
  if (holds) {
    held->keep(owned);
    held->readsInPlace = true;
    held->readsMapped = owned->buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
    held->wasRead(text.data(), text.size()); // the scan has read all bytes
  }
  llvm::scope_exit stopHolding([&] {
    if (holds) {
      held->readsInPlace = false;
    }
  });
  FirstError error;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      FirstError next = collect(diagnostic, text, fileName);
      if (!error.seen || next.isBefore(error)) {
        error = std::move(next);
      }
    }
    return success();
  });
  std::optional<ImportResult> result;
  auto parse = [&] {
    ImportResult parsed = source->isHlo
                              ? importHlo(text, fileName, context, limits.fillElided, message)
                              : parseProgram(sources, *source, name, context, error);
    if (!parsed) {
      result = parsed.error();
      return;
    }
    OwningOpRef<ModuleOp> module = std::move(*parsed);
    if (source->mayHaveBytes()) {
      mendNames(*module);
    }
    // This check precedes verification, so that an unsupported program is never reported as
    // invalid.
    if (Status status = limits.convertedOnly ? Status(Done{}) : checkRunnable(*module, limits);
        !status) {
      result = status.error();
      return;
    }
    endFunctionsInReturn(*module);
    if (failed(verify(*module))) {
      result = diagnose(errors::ProgramInvalid, error.message,
                        error.location.empty() ? name.str() : error.location);
      return;
    }
    if (Status status = limits.convertedOnly ? Status(Done{}) : checkProgram(*module); !status) {
      result = status.error();
      return;
    }
    if (source->isHlo) {
      leaveOutWholeWindows(*module);
    }
    if (limits.nativeTypesOnly) {
      flattenTuples(*module);
    }
    result = std::move(module);
  };
  if (source->isShallow()) {
    parse();
  } else if (!runOnLargeStack(parse)) {
    return diagnose(errors::OutOfMemory, "can't create a thread to read the program", name.str());
  }
  if (!*result) {
    return withFolder(result->error(), fileName, name);
  }
  return std::move(*result);
}

ImportResult importText(std::string_view text, std::string_view name, MLIRContext &context,
                        const ImportLimits &limits) {
  if (limits.bytesStay && isBytecode(text)) {
    return importBuffer(
        llvm::MemoryBuffer::getMemBuffer(text, name, /*RequiresNullTerminator=*/false), name,
        context, limits);
  }
  // The parser needs a zero byte after the text, which a view doesn't guarantee.
  return importBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), name, context, limits);
}

ImportResult importHloProto(std::string_view bytes, hlo::ProtoMessage message,
                            std::string_view name, MLIRContext &context,
                            const ImportLimits &limits) {
  return importBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, name), name, context, limits,
                      message);
}

ImportResult importFile(const std::string &path, MLIRContext &context, const ImportLimits &limits) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    return diagnose(errors::FileNotReadable,
                    "can't read the program: " + buffer.getError().message(), path);
  }
  // The name is MLIR's name for standard input if the path is `-`.
  std::string name = (*buffer)->getBufferIdentifier().str();
  return importBuffer(std::move(*buffer), name, context, limits);
}

} // namespace drumlin
