// Layouts of buffers and of programs' values (xla/pjrt/c/pjrt_c_api_layouts_extension.h), as the
// texts that HLO writes: `{1,0}` is row-major.
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/Program.h"
#include "drumlin/pjrt/extensions/Extensions.h"

namespace drumlin::pjrt {

struct SerializedLayout {};

struct MemoryLayoutDestroyArgs {
  size_t structSize;
  ExtensionBase *extensions;
  MemoryLayout *layout;
};
struct MemoryLayoutSerializeArgs {
  size_t structSize;
  ExtensionBase *extensions;
  MemoryLayout *layout;
  const char *serializedBytes;
  size_t serializedBytesSize;
  SerializedLayout *serializedLayout;
  void (*serializedLayoutDeleter)(SerializedLayout *);
};
struct BufferMemoryLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Buffer *buffer;
  MemoryLayout *layout;
};
struct ClientGetDefaultLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Client *client;
  BufferType type;
  const int64_t *dims;
  size_t numDims;
  MemoryLayout *layout;
};
struct TopologyGetDefaultLayoutArgs {
  size_t structSize;
  ExtensionBase *extensions;
  TopologyDescription *topology;
  BufferType type;
  const int64_t *dims;
  size_t numDims;
  MemoryLayout *layout;
};
struct ExecutableGetOutputLayoutsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numOutputs;
  MemoryLayout **layouts;
};
struct ExecutableGetParameterLayoutsArgs {
  size_t structSize;
  ExtensionBase *extensions;
  Executable *executable;
  size_t numParameters;
  MemoryLayout **layouts;
};

struct LayoutsExtension {
  ExtensionBase base;
  Error *(*memoryLayoutDestroy)(MemoryLayoutDestroyArgs *);
  Error *(*memoryLayoutSerialize)(MemoryLayoutSerializeArgs *);
  Error *(*clientGetDefaultLayout)(ClientGetDefaultLayoutArgs *);
  Error *(*bufferMemoryLayout)(BufferMemoryLayoutArgs *);
  Error *(*topologyGetDefaultLayout)(TopologyGetDefaultLayoutArgs *);
  Error *(*executableGetOutputLayouts)(ExecutableGetOutputLayoutsArgs *);
  Error *(*executableGetParameterLayouts)(ExecutableGetParameterLayoutsArgs *);
};

static MemoryLayout *defaultLayout(size_t rank) {
  return new MemoryLayout{layoutText(rowMajorOrder(rank))};
}

static Outcome call(MemoryLayoutDestroyArgs &args) {
  delete args.layout;
  return Done();
}

static Outcome call(MemoryLayoutSerializeArgs &args) {
  giveText(args.layout->text, args.serializedBytes, args.serializedBytesSize);
  args.serializedLayout = nullptr;
  args.serializedLayoutDeleter = [](SerializedLayout *) {};
  return Done();
}

static Outcome call(BufferMemoryLayoutArgs &args) {
  args.layout = new MemoryLayout{args.buffer->type};
  return Done();
}

static Outcome call(ClientGetDefaultLayoutArgs &args) {
  args.layout = defaultLayout(args.numDims);
  return Done();
}

static Outcome call(TopologyGetDefaultLayoutArgs &args) {
  args.layout = defaultLayout(args.numDims);
  return Done();
}

static Outcome call(ExecutableGetOutputLayoutsArgs &args) {
  args.numOutputs = args.executable->resultLayouts.places.size();
  args.layouts = args.executable->resultLayouts.places.data();
  return Done();
}

static Outcome call(ExecutableGetParameterLayoutsArgs &args) {
  args.numParameters = args.executable->argumentLayouts.places.size();
  args.layouts = args.executable->argumentLayouts.places.data();
  return Done();
}

ExtensionBase *layoutsExtension(ExtensionBase *next) {
  static LayoutsExtension extension = {
      {sizeof(LayoutsExtension), ExtensionType::Layouts, next},
      answer<MemoryLayoutDestroyArgs>,
      answer<MemoryLayoutSerializeArgs>,
      answer<ClientGetDefaultLayoutArgs>,
      answer<BufferMemoryLayoutArgs>,
      answer<TopologyGetDefaultLayoutArgs>,
      answer<ExecutableGetOutputLayoutsArgs>,
      answer<ExecutableGetParameterLayoutsArgs>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt
