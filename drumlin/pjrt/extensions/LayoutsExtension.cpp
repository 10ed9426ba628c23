// The extension for layouts of buffers and of programs' values
// (xla/pjrt/c/pjrt_c_api_layouts_extension.h), as HLO text: `{1,0}` is row-major.
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/PjrtProgram.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/pjrt/interface/ExtensionFunctions.h"

namespace drumlin::pjrt {

struct SerializedLayout {};

static MemoryLayout *defaultLayout(size_t rank) {
  return new MemoryLayout{layoutText(rowMajorOrder(rank))};
}

static Outcome handleMemoryLayoutDestroy(MemoryLayoutDestroyArgs &args) {
  delete args.layout;
  return Done();
}

static Outcome handleMemoryLayoutSerialize(MemoryLayoutSerializeArgs &args) {
  giveText(args.layout->text, args.serializedBytes, args.serializedBytesSize);
  args.serializedLayout = nullptr;
  args.serializedLayoutDeleter = [](SerializedLayout *) {};
  return Done();
}

static Outcome handleBufferMemoryLayout(BufferMemoryLayoutArgs &args) {
  args.layout = new MemoryLayout{args.buffer->type};
  return Done();
}

static Outcome handleClientGetDefaultLayout(ClientGetDefaultLayoutArgs &args) {
  args.layout = defaultLayout(args.numDims);
  return Done();
}

static Outcome handleTopologyGetDefaultLayout(TopologyGetDefaultLayoutArgs &args) {
  args.layout = defaultLayout(args.numDims);
  return Done();
}

static Outcome handleExecutableGetOutputLayouts(ExecutableGetOutputLayoutsArgs &args) {
  args.numOutputs = args.executable->resultLayouts.places.size();
  args.layouts = args.executable->resultLayouts.places.data();
  return Done();
}

static Outcome handleExecutableGetParameterLayouts(ExecutableGetParameterLayoutsArgs &args) {
  args.numParameters = args.executable->argumentLayouts.places.size();
  args.layouts = args.executable->argumentLayouts.places.data();
  return Done();
}

ExtensionBase *layoutsExtension(ExtensionBase *next) {
  static LayoutsExtension extension = {
      {sizeof(LayoutsExtension), ExtensionType::Layouts, next},
      answer<handleMemoryLayoutDestroy>,
      answer<handleMemoryLayoutSerialize>,
      answer<handleClientGetDefaultLayout>,
      answer<handleBufferMemoryLayout>,
      answer<handleTopologyGetDefaultLayout>,
      answer<handleExecutableGetOutputLayouts>,
      answer<handleExecutableGetParameterLayouts>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt
