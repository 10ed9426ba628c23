// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on batch normalization.

// The feature dimension must be a dimension of the operand.
func.func @batch_norm_training_c1(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c1)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 1.0 : f32, feature_index = 3 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// All values must have the same kind of element.
func.func @batch_norm_training_c2(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>, %d: tensor<3xf64>) {
  // expected-error@+1 {{(batch_norm_training_c2)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %d, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Each feature needs a scale.
func.func @batch_norm_training_c3(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c3)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %w, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Each feature needs an offset.
func.func @batch_norm_training_c4(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c4)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %w) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Each feature needs a mean.
func.func @batch_norm_training_c5(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c5)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>)
  return
}

// -----

// Each feature needs a variance.
func.func @batch_norm_training_c6(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c6)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

// The output must have the operand's shape.
func.func @batch_norm_training_c7(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_training_c7)}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// The feature dimension must be a dimension of the operand.
func.func @batch_norm_inference_c1(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c1)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 1.0 : f32, feature_index = -1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// All values must have the same kind of element.
func.func @batch_norm_inference_c2(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>, %d: tensor<3xf64>) {
  // expected-error@+1 {{(batch_norm_inference_c2)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %d, %v, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// Each feature needs a scale.
func.func @batch_norm_inference_c3(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c3)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %w, %v, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// Each feature needs an offset.
func.func @batch_norm_inference_c4(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c4)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %w, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// Each feature needs a mean.
func.func @batch_norm_inference_c5(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c5)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %w, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// Each feature needs a variance.
func.func @batch_norm_inference_c6(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c6)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %w) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// The result must have the operand's shape.
func.func @batch_norm_inference_c7(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_inference_c7)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// The feature dimension must be a dimension of the operand.
func.func @batch_norm_grad_c1(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_grad_c1)}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) {epsilon = 1.0 : f32, feature_index = 3 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// All values must have the same kind of element.
func.func @batch_norm_grad_c2(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>, %d: tensor<3xf64>) {
  // expected-error@+1 {{(batch_norm_grad_c2)}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %d, %v, %v, %x) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// The gradient must have the operand's shape.
func.func @batch_norm_grad_c3(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_grad_c3)}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Gradients must have the scale's shape.
func.func @batch_norm_grad_c4(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_grad_c4)}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

// Each feature needs a scale.
func.func @batch_norm_grad_c5(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{(batch_norm_grad_c5)}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %w, %w, %w, %x) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
