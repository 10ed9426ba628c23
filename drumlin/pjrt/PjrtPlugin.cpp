// The plugin's table of functions.
#include "drumlin/pjrt/PjrtPlugin.h"

#include "drumlin/pjrt/extensions/Extensions.h"

namespace drumlin::pjrt {

#define PJRT_MISSING(function, what)                                                               \
  Outcome handle##function(function##Args &) {                                                     \
    return fail(ErrorCode::Unimplemented, #function ": not implemented: " what);                   \
  }
#include "drumlin/pjrt/Missing.def"

Outcome handlePluginInitialize(PluginInitializeArgs &) { return Done(); }

// Returns the plugin's attributes: the newest StableHLO version that it knows. Frameworks send
// programs in this version or, if they only know older ones, in an older one.
Outcome handlePluginAttributes(PluginAttributesArgs &args) {
  static constexpr int64_t version[] = {1, 17, 0};
  static const NamedValue attributes[] = {[] {
    static constexpr std::string_view name = "stablehlo_current_version";
    NamedValue made = {};
    made.structSize = sizeof(NamedValue);
    made.name = name.data();
    made.nameSize = name.size();
    made.type = NamedValueType::Int64List;
    made.int64ArrayValue = version;
    made.valueSize = std::size(version);
    return made;
  }()};
  args.attributes = attributes;
  args.numAttributes = std::size(attributes);
  return Done();
}

ExtensionBase *extensions() {
  return layoutsExtension(
      ffiExtension(memoryDescriptionsExtension(profilerExtension(shardingsExtension(nullptr)))));
}

const Api *api() {
  static const Api table = {
      sizeof(Api),
      extensions(),
      {sizeof(ApiVersion), nullptr, majorVersion, minorVersion},
#define PJRT_FUNCTION(name, size, ...) answer<handle##name>,
#define PJRT_VOID_FUNCTION(name, size, ...) answerWithoutError<handle##name>,
#include "drumlin/pjrt/interface/Functions.def"
  };
  return &table;
}

} // namespace drumlin::pjrt
