#include "drumlin/runtime/calls/FfiCall.h"

#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/OthersCode.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <deque>
#include <memory>

namespace drumlin {

using ffi::ByteSpan;
using ffi::CallFrame;
using ffi::Handler;
using ffi::Stage;

// Returns the type's number in XLA's enumeration PrimitiveType (xla_data.proto), or 0 if the
// enumeration lacks the type.
static ffi::DataType dataTypeOf(std::optional<ElementType> type) {
  if (!type) {
    return ffi::tokenType;
  }
  switch (*type) {
  case ElementType::I1:
    return 1;
  case ElementType::SI2:
    return 26;
  case ElementType::SI4:
    return 21;
  case ElementType::SI8:
    return 2;
  case ElementType::SI16:
    return 3;
  case ElementType::SI32:
    return 4;
  case ElementType::SI64:
    return 5;
  case ElementType::UI2:
    return 27;
  case ElementType::UI4:
    return 22;
  case ElementType::UI8:
    return 6;
  case ElementType::UI16:
    return 7;
  case ElementType::UI32:
    return 8;
  case ElementType::UI64:
    return 9;
  case ElementType::F16:
    return 10;
  case ElementType::F32:
    return 11;
  case ElementType::F64:
    return 12;
  case ElementType::BF16:
    return 16;
  case ElementType::C64:
    return 15;
  case ElementType::C128:
    return 18;
  case ElementType::F4E2M1FN:
    return 32;
  case ElementType::F8E3M4:
    return 29;
  case ElementType::F8E4M3:
    return 28;
  case ElementType::F8E4M3FN:
    return 20;
  case ElementType::F8E4M3FNUZ:
    return 25;
  case ElementType::F8E4M3B11FNUZ:
    return 23;
  case ElementType::F8E5M2:
    return 19;
  case ElementType::F8E5M2FNUZ:
    return 24;
  case ElementType::F8E8M0FNU:
    return 33;
  case ElementType::F6E2M3FN:
  case ElementType::F6E3M2FN:
    return 0;
  }
  return 0;
}

static constexpr size_t callFrameSize =
    offsetof(CallFrame, attributes) + sizeof(CallFrame::attributes);
static constexpr size_t metadataSize = offsetof(ffi::Metadata, traits) + sizeof(uint32_t);

namespace {
// Attributes in the form that handlers read, at stable addresses.
class AttributeFrame {
public:
  explicit AttributeFrame(const std::vector<HostAttribute> &from) : top(&add(from)) {}

  const ffi::Attributes &attributes() const { return *top; }

private:
  struct List {
    std::vector<ffi::AttributeType> types;
    std::vector<ByteSpan> names;
    std::vector<ByteSpan *> namePointers;
    std::vector<void *> values;
    ffi::Attributes attributes;
  };

  ffi::Attributes &add(const std::vector<HostAttribute> &from) {
    List &list = lists.emplace_back();
    list.names.reserve(from.size());
    for (const HostAttribute &each : from) {
      list.names.push_back({each.name.data(), each.name.size()});
      list.namePointers.push_back(&list.names.back());
      std::visit([&](const auto &value) { add(list, value); }, each.value);
    }
    list.attributes = {sizeof(ffi::Attributes),           nullptr,
                       static_cast<int64_t>(from.size()), list.types.data(),
                       list.namePointers.data(),          list.values.data()};
    return list.attributes;
  }

  static void *pointerTo(const std::vector<std::byte> &bytes) {
    return const_cast<std::byte *>(bytes.data());
  }
  void add(List &list, const HostAttribute::Scalar &scalar) {
    list.types.push_back(ffi::AttributeType::Scalar);
    list.values.push_back(
        &scalars.emplace_back(ffi::Scalar{dataTypeOf(scalar.type), pointerTo(scalar.bytes)}));
  }
  void add(List &list, const HostAttribute::Array &array) {
    list.types.push_back(ffi::AttributeType::Array);
    list.values.push_back(&arrays.emplace_back(ffi::Array{
        dataTypeOf(array.type), static_cast<size_t>(array.count), pointerTo(array.bytes)}));
  }
  void add(List &list, const std::string &text) {
    list.types.push_back(ffi::AttributeType::String);
    list.values.push_back(&texts.emplace_back(ByteSpan{text.data(), text.size()}));
  }
  void add(List &list, const std::vector<HostAttribute> &dictionary) {
    list.types.push_back(ffi::AttributeType::Dictionary);
    list.values.push_back(&add(dictionary));
  }

  std::deque<List> lists;
  std::deque<ffi::Scalar> scalars;
  std::deque<ffi::Array> arrays;
  std::deque<ByteSpan> texts;
  const ffi::Attributes *top;
};

// The operands or results of one call.
class ValueFrame {
public:
  ValueFrame(const std::vector<HostValue> &values, HostBuffers pointers) {
    buffers.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const HostValue &value = values[i];
      buffers.push_back({sizeof(ffi::Buffer), nullptr, dataTypeOf(value.type), pointers[i],
                         static_cast<int64_t>(value.shape.size()),
                         const_cast<int64_t *>(value.shape.data())});
      bufferPointers.push_back(&buffers.back());
    }
    types.resize(values.size(), ffi::ValueType::Buffer);
  }

  ffi::Values values() {
    return {sizeof(ffi::Values), nullptr, static_cast<int64_t>(buffers.size()), types.data(),
            bufferPointers.data()};
  }

private:
  std::vector<ffi::Buffer> buffers;
  std::vector<void *> bufferPointers;
  std::vector<ffi::ValueType> types;
};

class FfiCall : public PreparedCall {
public:
  FfiCall(const HostCall &call, const ffi::HandlerBundle &handlers)
      : call(call), handlers(handlers), attributes(this->call.attributes) {}

  Status instantiate() {
    if (Status status = askVersion(); !status) {
      return status;
    }
    ffi::ExecutionContext context;
    begin(context);
    return callHandler(handlers.instantiate, Stage::Instantiate, context, {}, {});
  }

  Status run(HostBuffers operandPointers, HostBuffers resultPointers,
             const HostRun &run) const override {
    ffi::ExecutionContext context;
    begin(context);
    context.run = &run;
    const HostCall &made = run.sized ? *run.sized : call;
    ValueFrame operands(made.operands, operandPointers), results(made.results, resultPointers);
    struct {
      Handler *handler;
      Stage stage;
    } stages[] = {{handlers.prepare, Stage::Prepare},
                  {handlers.initialize, Stage::Initialize},
                  {handlers.execute, Stage::Execute}};
    for (auto [handler, stage] : stages) {
      if (Status status = callHandler(handler, stage, context, operands.values(), results.values());
          !status) {
        return status;
      }
    }
    return Done();
  }

private:
  // The instance's state is set only once, before the call is shared between threads.
  void begin(ffi::ExecutionContext &context) const {
    context.instance = &instance;
    context.handlerMinorVersion = minor;
  }

  CallFrame frame(Stage stage, ffi::ExecutionContext &context) const {
    ffi::Values none = {sizeof(ffi::Values), nullptr, 0, nullptr, nullptr};
    return {callFrameSize,           nullptr, &ffiApi(), &context, stage, none, none,
            attributes.attributes(), nullptr};
  }

  Status failed(std::unique_ptr<ffi::Error> error) const {
    return diagnose(errors::HostCallFailed, "`@" + call.target + "`: " + error->message);
  }

  // Asks the handler for its metadata, by a call in which the handler does nothing else.
  Status askVersion() {
    ffi::Metadata metadata = {metadataSize, {sizeof(ffi::ApiVersion), nullptr, -1, -1}, 0, {0}};
    ffi::MetadataExtension extension = {
        {sizeof(ffi::MetadataExtension), ffi::Extension::MetadataType, nullptr}, &metadata};
    ffi::ExecutionContext context;
    begin(context);
    CallFrame asked = frame(Stage::Execute, context);
    asked.extensions = &extension.base;
    if (std::unique_ptr<ffi::Error> error(handlers.execute(&asked)); error) {
      return failed(std::move(error));
    }
    ffi::ApiVersion &version = metadata.version;
    if (version.major != ffi::majorVersion || version.minor > ffi::minorVersion ||
        version.minor < ffi::oldestMinorVersion) {
      auto text = [](int minor) {
        return std::to_string(ffi::majorVersion) + "." + std::to_string(minor);
      };
      return diagnose(errors::HostCodeInvalid,
                      "`@" + call.target + "` was compiled for version " +
                          std::to_string(version.major) + "." + std::to_string(version.minor) +
                          " of XLA's interface, the runtime has " + text(ffi::oldestMinorVersion) +
                          " to " + text(ffi::minorVersion));
    }
    minor = metadata.version.minor;
    return Done();
  }

  Status callHandler(Handler *handler, Stage stage, ffi::ExecutionContext &context,
                     ffi::Values operands, ffi::Values results) const {
    if (!handler) {
      return Done();
    }
    CallFrame made = frame(stage, context);
    if (operands.structSize != 0) {
      made.operands = operands;
      made.results = results;
    }
    return callOthersCode(call, [&]() -> Status {
      std::unique_ptr<ffi::Error> error(handler(&made));
      if (made.future) {
        std::unique_ptr<ffi::Future> future(made.future);
        error.reset(future->wait());
      }
      return error ? failed(std::move(error)) : Done();
    });
  }

  HostCall call;
  ffi::HandlerBundle handlers;
  AttributeFrame attributes;
  mutable ffi::State instance;
  int minor = ffi::minorVersion;
};
} // namespace

Result<std::unique_ptr<PreparedCall>> prepareFfiCall(const HostCall &call,
                                                     const ffi::HandlerBundle &handlers) {
  auto made = std::make_unique<FfiCall>(call, handlers);
  if (Status status = made->instantiate(); !status) {
    return status.error();
  }
  return std::unique_ptr<PreparedCall>(std::move(made));
}

} // namespace drumlin
