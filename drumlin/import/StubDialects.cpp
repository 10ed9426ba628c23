#include "drumlin/import/StubDialects.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace drumlin {

// This namespace isn't anonymous, since MLIR identifies the C++ types in it by their names.
namespace stub {

// A dialect whose attributes are opaque text. `Name` makes each dialect a separate C++ type.
template <typename Name> class StubDialect : public Dialect {
public:
  explicit StubDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<StubDialect<Name>>()) {}
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral(Name::text); }

  // Parses the text between `#dialect.` and the end of its brackets, which are balanced.
  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return OpaqueAttr::get(StringAttr::get(getContext(), getDialectNamespace()),
                           parser.getFullSymbolSpec(), type ? type : NoneType::get(getContext()));
  }
};

struct Mhlo {
  static constexpr char text[] = "mhlo";
};
struct Jax {
  static constexpr char text[] = "jax";
};
struct Tf {
  static constexpr char text[] = "tf";
};

} // namespace stub

void registerStubDialects(DialectRegistry &registry) {
  using namespace stub;
  registry.insert<StubDialect<Mhlo>, StubDialect<Jax>, StubDialect<Tf>>();
}

} // namespace drumlin
