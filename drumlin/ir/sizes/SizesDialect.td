// Sizes that are known when the program runs, as attributes (docs/dynamic-shapes.md).
#ifndef DRUMLIN_SIZES_DIALECT
#define DRUMLIN_SIZES_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Sizes_Dialect : Dialect {
  let name = "sizes";
  let cppNamespace = "::drumlin::sizes";
  let summary = "sizes that are known when the program runs";
  let useDefaultAttributePrinterParser = 1;
}

class Sizes_Attr<string name, string attrMnemonic> : AttrDef<Sizes_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Sizes_SizesAttr : Sizes_Attr<"Sizes", "of"> {
  let summary = "a tensor's sizes when the program runs, as expressions over its symbols; the type's own are nominal";
  let parameters = (ins StringRefParameter<"with a comma between each two">:$text);
  let assemblyFormat = "`<` $text `>`";
  let extraClassDeclaration = "std::vector<::drumlin::SizeExpression> getSizes() const;";
}

def Sizes_SymbolAttr : Sizes_Attr<"Symbol", "symbol"> {
  let summary = "a size that is known when the program runs: its name, the value that costs and schedules are for, its bounds";
  let parameters = (ins StringRefParameter<"a name">:$name, "int64_t":$nominal, "int64_t":$minimum, "int64_t":$maximum);
  let assemblyFormat = "`<` $name `,` `nominal` `=` $nominal `,` `from` `=` $minimum `,` `to` `=` $maximum `>`";
}

#endif // DRUMLIN_SIZES_DIALECT
