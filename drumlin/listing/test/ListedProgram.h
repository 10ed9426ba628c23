// A program for the tests of listings: a scaled GEMM by a GPU library, as XLA prints it.
#pragma once

#include "drumlin/hlo/Parser.h"
#include "drumlin/listing/HloListing.h"

#include <gtest/gtest.h>

namespace drumlin::listing {

inline constexpr std::string_view scaledProduct = R"(HloModule jit_dense, is_scheduled=true

FileNames
1 "dense.py"

FunctionNames
1 "dense"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=4 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%max_f32 (a.1: f32[], b.1: f32[]) -> f32[] {
  %a.1 = f32[] parameter(0)
  %b.1 = f32[] parameter(1)
  ROOT %max.1 = f32[] maximum(%a.1, %b.1)
}

%wrapped_transpose_computation (param_0.3: f8e4m3fn[64,32]) -> f8e4m3fn[32,64] {
  %param_0.3 = f8e4m3fn[64,32]{1,0} parameter(0)
  ROOT %transpose.2.0 = f8e4m3fn[32,64]{1,0} transpose(%param_0.3), dimensions={1,0}
}

ENTRY %main.9 (Arg_0.1.0: f8e4m3fn[16,64], Arg_1.2.0: f8e4m3fn[64,32], bias.1: f32[32]) -> (f32[16,32], f32[]) {
  %Arg_1.2.0 = f8e4m3fn[64,32]{1,0} parameter(1), metadata={op_name="w"}
  %Arg_0.1.0 = f8e4m3fn[16,64]{1,0} parameter(0), metadata={op_name="x"}
  %bias.1 = f32[32]{0} parameter(2)
  %one = f32[] constant(1)
  %table = s32[20]{0} constant({5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, -19})
  %wrapped_transpose = f8e4m3fn[32,64]{1,0} fusion(%Arg_1.2.0), kind=kInput, calls=%wrapped_transpose_computation
  %cublas-gemm.1.0 = (f32[16,32]{1,0}, s8[33554432]{0}) custom-call(%Arg_0.1.0, %wrapped_transpose, %one, %one, %bias.1), custom_call_target="__cublas$lt$matmul$f8", metadata={op_name="jit(dense)/dot_general" stack_frame_id=1}, backend_config={"gemm_backend_config":{"alpha_real":1.0,"epilogue":"BIAS","dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"]},"selected_algorithm":"4"}}
  %get-tuple-element.1 = f32[16,32]{1,0} get-tuple-element(%cublas-gemm.1.0), index=0, metadata={op_name="jit(dense)/dot_general" stack_frame_id=1}
  %low = f32[] constant(-inf)
  %reduce.4 = f32[] reduce(%get-tuple-element.1, %low), dimensions={0,1}, to_apply=%max_f32
  ROOT %tuple.5.0 = (f32[16,32]{1,0}, f32[]) tuple(%get-tuple-element.1, %reduce.4)
}
)";

inline Module listed(std::string_view text, const HloListingOptions &options = {}) {
  Result<hlo::Module> module = hlo::parse(text, "m.hlo");
  EXPECT_TRUE(module) << module.error().str();
  return module ? listHlo(std::move(*module), options) : Module();
}

} // namespace drumlin::listing
