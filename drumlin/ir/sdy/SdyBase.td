// The `sdy` dialect: how programs shard tensors over several devices.
// Source: https://openxla.org/shardy/sdy_dialect.
#ifndef DRUMLIN_SDY_BASE
#define DRUMLIN_SDY_BASE

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::drumlin::sdy";
  let summary = "shardings of tensors over several devices";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
  }];
}

#endif // DRUMLIN_SDY_BASE
