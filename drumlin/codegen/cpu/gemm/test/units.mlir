// RUN: sed s/LEFT/bf16/g\;s/SUM/f32/g %s > %t.bf16.mlir
// RUN: sed s/LEFT/i8/g\;s/SUM/i32/g %s > %t.i8.mlir
// RUN: drumlin compile %t.bf16.mlir -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=PAIRS
// RUN: drumlin compile %t.bf16.mlir -o %t.so --no-cache --target-cpu amx
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=TILES
// RUN: drumlin compile %t.bf16.mlir -o %t.so --no-cache --target-cpu avx512 --numerics strict
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=STRICT
// RUN: drumlin compile %t.i8.mlir -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=QUADS
// RUN: drumlin compile %t.i8.mlir -o %t.so --no-cache --target-cpu amx
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=TILES8

// The multiply instructions are those of the target for the operands' type. Under strict numerics, none of them flushes subnormals.

// PAIRS: vdpbf16ps
// TILES: tdpbf16ps
// TILES: tilerelease
// STRICT-NOT: {{vdpbf16ps|tdpbf16ps}}
// STRICT: vfmadd231ps
// QUADS: vpdpbusd
// TILES8: tdpbssd
func.func @main(%x: tensor<128x512xLEFT>, %y: tensor<512x128xLEFT>) -> tensor<128x128xSUM> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<128x512xLEFT>, tensor<512x128xLEFT>) -> tensor<128x128xSUM>
  return %0 : tensor<128x128xSUM>
}
