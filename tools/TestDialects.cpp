#include "TestDialects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;

namespace {
// A dialect that accepts any operation.
template <typename Name> class OpenDialect : public Dialect {
public:
  explicit OpenDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<OpenDialect<Name>>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return Name::text; }
};
struct Infer {
  static constexpr StringLiteral text = "hlo_test_infer";
};
struct Speculatability {
  static constexpr StringLiteral text = "hlo_test_speculatability";
};
struct Broadcast {
  static constexpr StringLiteral text = "hlo_test_broadcast";
};
struct Interpreter {
  static constexpr StringLiteral text = "interpreter";
};
} // namespace

void drumlin::registerTestDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, quant::QuantDialect, shape::ShapeDialect,
                  sparse_tensor::SparseTensorDialect, tensor::TensorDialect, OpenDialect<Infer>,
                  OpenDialect<Speculatability>, OpenDialect<Broadcast>, OpenDialect<Interpreter>>();
}
