// Operator overloads for formulas on float tensors: each operator adds an elementwise operation.
#pragma once

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include <limits>

namespace drumlin::formula {

// The insertion point and location of new operations.
struct Place {
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

// A tensor of booleans.
class Truth {
public:
  Truth(Place &place, mlir::Value value) : place(&place), held(value) {}
  mlir::Value value() const { return held; }

  friend Truth operator&&(Truth a, Truth b) { return a.with<stablehlo::AndOp>(b); }
  friend Truth operator||(Truth a, Truth b) { return a.with<stablehlo::OrOp>(b); }
  friend Truth operator!(Truth a) {
    return {*a.place,
            stablehlo::NotOp::create(a.place->builder, a.place->loc, a.held.getType(), a.held)};
  }

private:
  template <typename Op> Truth with(Truth other) const {
    return {*place, Op::create(place->builder, place->loc, held.getType(), held, other.held)};
  }

  Place *place;
  mlir::Value held;
};

// A tensor of floats. A number in a formula becomes a splat of that number.
class Real {
public:
  Real(Place &place, mlir::Value value) : place(&place), held(value) {}
  mlir::Value value() const { return held; }
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(held.getType()); }

  Real same(double number) const {
    auto element = llvm::cast<mlir::FloatType>(type().getElementType());
    return {*place, stablehlo::ConstantOp::create(
                        place->builder, place->loc,
                        mlir::DenseElementsAttr::get(
                            type(), place->builder.getFloatAttr(element, number)))};
  }
  // Returns the values rounded to another float type.
  Real as(mlir::Type element) const {
    return {*place,
            stablehlo::ConvertOp::create(place->builder, place->loc, type().clone(element), held)};
  }

  template <typename Op> Real apply() const {
    return {*place, Op::create(place->builder, place->loc, type(), held)};
  }
  template <typename Op> Real with(Real other) const {
    return {*place, Op::create(place->builder, place->loc, type(), held, other.held)};
  }
  Truth compare(stablehlo::ComparisonDirection direction, Real other) const {
    mlir::MLIRContext *context = place->builder.getContext();
    return {*place, stablehlo::CompareOp::create(
                        place->builder, place->loc, type().clone(place->builder.getI1Type()), held,
                        other.held, stablehlo::ComparisonDirectionAttr::get(context, direction),
                        stablehlo::ComparisonTypeAttr())};
  }
  Place &at() const { return *place; }

private:
  Place *place;
  mlir::Value held;
};

inline Real operator+(Real a, Real b) { return a.with<stablehlo::AddOp>(b); }
inline Real operator-(Real a, Real b) { return a.with<stablehlo::SubtractOp>(b); }
inline Real operator*(Real a, Real b) { return a.with<stablehlo::MulOp>(b); }
inline Real operator/(Real a, Real b) { return a.with<stablehlo::DivOp>(b); }
inline Real operator-(Real a) { return a.apply<stablehlo::NegOp>(); }
inline Real operator+(Real a, double b) { return a + a.same(b); }
inline Real operator-(Real a, double b) { return a - a.same(b); }
inline Real operator*(Real a, double b) { return a * a.same(b); }
inline Real operator/(Real a, double b) { return a / a.same(b); }
inline Real operator+(double a, Real b) { return b.same(a) + b; }
inline Real operator-(double a, Real b) { return b.same(a) - b; }
inline Real operator*(double a, Real b) { return b.same(a) * b; }
inline Real operator/(double a, Real b) { return b.same(a) / b; }

inline Truth operator==(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::EQ, b); }
inline Truth operator!=(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::NE, b); }
inline Truth operator<(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::LT, b); }
inline Truth operator<=(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::LE, b); }
inline Truth operator>(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::GT, b); }
inline Truth operator>=(Real a, Real b) { return a.compare(stablehlo::ComparisonDirection::GE, b); }
inline Truth operator==(Real a, double b) { return a == a.same(b); }
inline Truth operator<(Real a, double b) { return a < a.same(b); }
inline Truth operator<=(Real a, double b) { return a <= a.same(b); }
inline Truth operator>(Real a, double b) { return a > a.same(b); }
inline Truth operator>=(Real a, double b) { return a >= a.same(b); }

inline Real select(Truth when, Real then, Real otherwise) {
  Place &at = then.at();
  return {at, stablehlo::SelectOp::create(at.builder, at.loc, then.type(), when.value(),
                                          then.value(), otherwise.value())};
}
inline Real select(Truth when, double then, Real otherwise) {
  return select(when, otherwise.same(then), otherwise);
}
inline Real select(Truth when, Real then, double otherwise) {
  return select(when, then, then.same(otherwise));
}

constexpr double infinity = std::numeric_limits<double>::infinity();

inline Real abs(Real a) { return a.apply<stablehlo::AbsOp>(); }
inline Real sqrt(Real a) { return a.apply<stablehlo::SqrtOp>(); }
inline Real exp(Real a) { return a.apply<stablehlo::ExpOp>(); }
inline Real expm1(Real a) { return a.apply<stablehlo::Expm1Op>(); }
inline Real log(Real a) { return a.apply<stablehlo::LogOp>(); }
inline Real log1p(Real a) { return a.apply<stablehlo::Log1pOp>(); }
inline Real sin(Real a) { return a.apply<stablehlo::SineOp>(); }
inline Real cos(Real a) { return a.apply<stablehlo::CosineOp>(); }
inline Real tan(Real a) { return a.apply<stablehlo::TanOp>(); }
inline Real cbrt(Real a) { return a.apply<stablehlo::CbrtOp>(); }
inline Real sinh(Real a) { return a.apply<chlo::SinhOp>(); }
inline Real cosh(Real a) { return a.apply<chlo::CoshOp>(); }
inline Real asin(Real a) { return a.apply<chlo::AsinOp>(); }
inline Real acos(Real a) { return a.apply<chlo::AcosOp>(); }
inline Real atan2(Real y, Real x) { return y.with<stablehlo::Atan2Op>(x); }
inline Real pow(Real a, Real b) { return a.with<stablehlo::PowOp>(b); }
inline Real max(Real a, Real b) { return a.with<stablehlo::MaxOp>(b); }
inline Real min(Real a, Real b) { return a.with<stablehlo::MinOp>(b); }
inline Truth isInfinite(Real a) { return abs(a) == infinity; }
inline Truth isNaN(Real a) { return a != a; }

// Returns the bits of f64 values as integers.
inline mlir::Value bitsOf(Real a) {
  Place &at = a.at();
  return stablehlo::BitcastConvertOp::create(at.builder, at.loc,
                                             a.type().clone(at.builder.getI64Type()), a.value());
}
inline Real ofBits(Place &at, mlir::Value bits) {
  auto type = llvm::cast<mlir::RankedTensorType>(bits.getType()).clone(at.builder.getF64Type());
  return {at, stablehlo::BitcastConvertOp::create(at.builder, at.loc, type, bits)};
}
inline mlir::Value maskedBits(Real a, uint64_t mask) {
  Place &at = a.at();
  mlir::Value bits = bitsOf(a);
  auto type = llvm::cast<mlir::RankedTensorType>(bits.getType());
  mlir::Value kept = stablehlo::ConstantOp::create(
      at.builder, at.loc, mlir::DenseElementsAttr::get(type, llvm::APInt(64, mask)));
  return stablehlo::AndOp::create(at.builder, at.loc, type, bits, kept);
}
// Returns the magnitude of `a` with the sign of `b`, both f64.
inline Real copySign(Real a, Real b) {
  constexpr uint64_t sign = uint64_t{1} << 63;
  mlir::Value magnitude = maskedBits(a, ~sign), signs = maskedBits(b, sign);
  Place &at = a.at();
  return ofBits(at, stablehlo::OrOp::create(at.builder, at.loc, signs.getType(), magnitude, signs));
}

} // namespace drumlin::formula
