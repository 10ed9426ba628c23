// Sizes that are known only at run time, as attributes (docs/dynamic-shapes.md).
#ifndef DRUMLIN_SIZES_DIALECT
#define DRUMLIN_SIZES_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Sizes_Dialect : Dialect {
  let name = "sizes";
  let cppNamespace = "::drumlin::sizes";
  let summary = "sizes that are known only at run time";
  let useDefaultAttributePrinterParser = 1;
}

class Sizes_Attr<string name, string attrMnemonic> : AttrDef<Sizes_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Sizes_SizesAttr : Sizes_Attr<"Sizes", "of"> {
  let summary = "a tensor's sizes at run time, as expressions over symbols; the type itself has the nominal sizes";
  let parameters = (ins StringRefParameter<"separated by commas">:$text);
  let assemblyFormat = "`<` $text `>`";
  let extraClassDeclaration = "std::vector<::drumlin::SizeExpression> getSizes() const;";
}

def Sizes_SymbolAttr : Sizes_Attr<"Symbol", "symbol"> {
  let summary = "a size that is known only at run time: its name, its nominal value (for costs and schedules), its bounds";
  let parameters = (ins StringRefParameter<"a name">:$name, "int64_t":$nominal, "int64_t":$minimum, "int64_t":$maximum);
  let assemblyFormat = "`<` $name `,` `nominal` `=` $nominal `,` `from` `=` $minimum `,` `to` `=` $maximum `>`";
}

#endif // DRUMLIN_SIZES_DIALECT
