// The plan dialect, and helpers to define its attributes.
#ifndef DRUMLIN_PLAN_DIALECT
#define DRUMLIN_PLAN_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::drumlin::plan";
  let summary = "kernels, copies, buffers: the optimized program";
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
}

// The kind of a kernel determines how the kernel traverses its iteration space. The StableHLO in its region determines what the kernel
// computes.
def Plan_KernelKind : I32EnumAttr<"KernelKind", "how a kernel traverses its iteration space", [
    I32EnumAttrCase<"loop", 0>, I32EnumAttrCase<"gemm", 1>, I32EnumAttrCase<"sort", 2>,
    I32EnumAttrCase<"scatter", 3>, I32EnumAttrCase<"window", 4>, I32EnumAttrCase<"triangular", 5>,
    I32EnumAttrCase<"fft", 6>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

class Plan_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Plan_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // DRUMLIN_PLAN_DIALECT
