// The extension for shardings of programs' values: a program runs on one device, which has all
// elements of each value.
#include "drumlin/pjrt/PjrtProgram.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/pjrt/interface/ExtensionFunctions.h"

namespace drumlin::pjrt {

static Outcome handleExecutableParameterShardings(ExecutableParameterShardingsArgs &args) {
  args.numParameters = args.executable->argumentShardings.texts.size();
  args.shardings = args.executable->argumentShardings.texts.data();
  args.shardingSizes = args.executable->argumentShardings.sizes.data();
  return Done();
}

static Outcome handleExecutableOutputShardings(ExecutableOutputShardingsArgs &args) {
  args.numOutputs = args.executable->resultShardings.texts.size();
  args.shardings = args.executable->resultShardings.texts.data();
  args.shardingSizes = args.executable->resultShardings.sizes.data();
  return Done();
}

ExtensionBase *shardingsExtension(ExtensionBase *next) {
  static ShardingsExtension extension = {
      {sizeof(ShardingsExtension), ExtensionType::Shardings, next},
      answer<handleExecutableParameterShardings>,
      answer<handleExecutableOutputShardings>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt
