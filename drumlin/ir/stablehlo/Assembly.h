// Parsers and printers for `custom<…>` in assembly formats that several operation families and the
// `chlo` dialect share.
#pragma once

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/OpImplementation.h"

namespace drumlin::stablehlo {

//===-- types ---------------------------------------------------------------------------------===//

// Parse and print `type` if all operands and the result have the same type, else `(types) -> type`.
// The last element of `types` is the type of the result.
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

// Parse and print `tensor<…xcomplex<T>>` if the operands have the types of its real and imaginary
// parts, else a functional type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                     mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type lhs,
                        mlir::Type rhs, mlir::Type result);

// Parse and print `predicate-type, type` if both alternatives and the result have the same type,
// else a functional type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type pred,
                       mlir::Type onTrue, mlir::Type onFalse, mlir::Type result);

// Parse and print the types of the results, which equal the types of the operands.
mlir::ParseResult parsePairwiseTypes(mlir::OpAsmParser &parser,
                                     llvm::SmallVectorImpl<mlir::Type> &operands,
                                     llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange operands,
                        mlir::TypeRange results);

//===-- operands and attributes ---------------------------------------------------------------===//

// Parse and print `%a, %b,`. The last comma separates the operands from the attribute that follows.
// Without operands, the text is empty.
mlir::ParseResult
parseOperandsThenComma(mlir::OpAsmParser &parser,
                       llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printOperandsThenComma(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::OperandRange operands);

// Parse and print `[start:limit, start:limit:stride, …]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &start,
                                   mlir::DenseI64ArrayAttr &limit,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr start,
                      mlir::DenseI64ArrayAttr limit, mlir::DenseI64ArrayAttr strides);

// Parse and print `e8m10`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser, mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

// Parse and print a list of numbers: `[1, 2, 3]`.
mlir::ParseResult parseNumbers(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &numbers);
void printNumbers(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> numbers);

// Parse and print a list of numbers that is a parameter of an attribute.
mlir::ParseResult parseNumberList(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &numbers);
void printNumberList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> numbers);

// Parse and print `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvolutionDimensionNumbers(mlir::AsmParser &parser,
                                                   ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensionNumbers(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr numbers);

// Whether the short form can represent the dimension numbers, that is, whether the dimensions of
// each tensor are the numbers from 0 to its rank - 1, each exactly once.
bool hasConvolutionShorthand(ConvDimensionNumbersAttr numbers);

} // namespace drumlin::stablehlo
