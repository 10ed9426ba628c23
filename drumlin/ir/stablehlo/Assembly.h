// Parts of the textual form that several families (and the `chlo` dialect) share, for `custom<…>`
// in assembly formats.
#pragma once

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/OpImplementation.h"

namespace drumlin::stablehlo {

//===-- types ---------------------------------------------------------------------------------===//

// `type` when all operands and the result share it, else `(types) -> type`. The last type is the
// result's.
mlir::ParseResult parseSharedType(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> types);
void printSharedType(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> types);

template <typename... Types>
mlir::ParseResult parseOperandAndResultTypes(mlir::OpAsmParser &parser, Types &...types) {
  return parseSharedType(parser, {&types...});
}
template <typename... Types>
void printOperandAndResultTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, Types... types) {
  printSharedType(printer, {mlir::Type(types)...});
}

// `tensor<…xcomplex<T>>` when both operands are its parts, else the functional form.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                     mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type lhs,
                        mlir::Type rhs, mlir::Type result);

// `predicate-type, type` when both values and the result share a type, else the functional form.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type pred,
                       mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

// The types of the results, which are those of the operands.
mlir::ParseResult parsePairwiseTypes(mlir::OpAsmParser &parser,
                                     llvm::SmallVectorImpl<mlir::Type> &operands,
                                     llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange operands,
                        mlir::TypeRange results);

//===-- operands and attributes ---------------------------------------------------------------===//

// `%a, %b,` with the comma that leads to the attribute behind them; nothing for no operand.
mlir::ParseResult
parseOperandsThenComma(mlir::OpAsmParser &parser,
                       llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printOperandsThenComma(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::OperandRange operands);

// `[start:limit, start:limit:stride, …]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &start,
                                   mlir::DenseI64ArrayAttr &limit,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr start,
                      mlir::DenseI64ArrayAttr limit, mlir::DenseI64ArrayAttr strides);

// `e8m10`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser, mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

// `[1, 2, 3]` of numbers.
mlir::ParseResult parseNumbers(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &numbers);
void printNumbers(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> numbers);

// The same for a parameter of an attribute.
mlir::ParseResult parseNumberList(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &numbers);
void printNumberList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> numbers);

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvolutionDimensionNumbers(mlir::AsmParser &parser,
                                                   ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensionNumbers(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr numbers);

// Whether the form above can hold these numbers: each list has each dimension from 0 to its length
// once.
bool hasConvolutionShorthand(ConvDimensionNumbersAttr numbers);

} // namespace drumlin::stablehlo
