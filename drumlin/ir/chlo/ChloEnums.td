// The enumerations of the `chlo` dialect.
#ifndef DRUMLIN_CHLO_ENUMS
#define DRUMLIN_CHLO_ENUMS

include "mlir/IR/EnumAttr.td"

class Chlo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::drumlin::chlo";
  let genSpecializedAttr = 0;
}

// The same enumeration as in StableHLO, for attributes of this dialect.
def Chlo_ComparisonDirection
    : Chlo_Enum<"ComparisonDirection", "which comparison",
                [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
                 I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;

def Chlo_ComparisonType
    : Chlo_Enum<"ComparisonType", "how elements are ordered",
                [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
                 I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
                 I32EnumAttrCase<"UNSIGNED", 4>]>;

def Chlo_Precision
    : Chlo_Enum<"Precision", "the precision of a matrix product",
                [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
                 I32EnumAttrCase<"HIGHEST", 2>]>;

#endif // DRUMLIN_CHLO_ENUMS
