# LLVM, MLIR and lld 22, linked statically.
#
# The distribution's exported MLIR targets name the shared libLLVM in INTERFACE_LINK_LIBRARIES. A process that
# links them as they are loads a second copy of LLVM beside the static one, so the property is rewritten.

find_program(LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --cmakedir OUTPUT_VARIABLE DRUMLIN_LLVM_CMAKE
                OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(LLVM 22.1 REQUIRED CONFIG HINTS ${DRUMLIN_LLVM_CMAKE})
find_package(MLIR REQUIRED CONFIG HINTS ${DRUMLIN_LLVM_CMAKE}/../mlir)
find_package(LLD REQUIRED CONFIG HINTS ${DRUMLIN_LLVM_CMAKE}/../lld)

function(drumlin_replace_shared_llvm)
  foreach(target ${ARGN})
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if(libraries)
      list(TRANSFORM libraries REPLACE "^LLVM$" "LLVMSupport")
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
    endif()
  endforeach()
endfunction()
drumlin_replace_shared_llvm(${MLIR_EXPORTED_TARGETS} lldELF lldCommon)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddMLIR)

# One precompiled header for every folder that includes MLIR. Two in three of these include StableHLO's operations, whose
# generated classes take over a second to read. `./dev lint` finds the files that use them without including them.
file(WRITE ${CMAKE_BINARY_DIR}/Precompiled.cpp.in "// The precompiled MLIR headers' own unit.\n")
configure_file(${CMAKE_BINARY_DIR}/Precompiled.cpp.in ${CMAKE_BINARY_DIR}/Precompiled.cpp COPYONLY)
add_library(DrumlinPrecompiled STATIC ${CMAKE_BINARY_DIR}/Precompiled.cpp)
drumlin_target_defaults(DrumlinPrecompiled)
target_compile_options(DrumlinPrecompiled PRIVATE -fno-exceptions -fpch-instantiate-templates -Xclang -fno-pch-timestamp)
add_dependencies(DrumlinPrecompiled DrumlinIndexingTablegen DrumlinStablehloTablegen)
target_include_directories(DrumlinPrecompiled SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
set(precompiled
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/BuiltinAttributes.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h> <llvm/ADT/StringExtras.h>
  <llvm/IR/IRBuilder.h> <llvm/Support/JSON.h> ${CMAKE_SOURCE_DIR}/drumlin/ir/stablehlo/StablehloOps.h)
target_precompile_headers(DrumlinPrecompiled PRIVATE ${precompiled})

# The same, and GoogleTest's, for unit tests, which are programs and throw.
if(DRUMLIN_TESTS)
  find_package(GTest REQUIRED)
  add_library(DrumlinTestsPrecompiled OBJECT ${CMAKE_BINARY_DIR}/Precompiled.cpp)
  drumlin_target_defaults(DrumlinTestsPrecompiled)
  set_target_properties(DrumlinTestsPrecompiled PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(DrumlinTestsPrecompiled PRIVATE -fPIE -fpch-instantiate-templates -Xclang -fno-pch-timestamp)
  add_dependencies(DrumlinTestsPrecompiled DrumlinIndexingTablegen DrumlinStablehloTablegen)
  target_include_directories(DrumlinTestsPrecompiled SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(DrumlinTestsPrecompiled PRIVATE GTest::gtest)
  target_precompile_headers(DrumlinTestsPrecompiled PRIVATE <gtest/gtest.h> ${precompiled})
endif()

function(drumlin_use_mlir name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_precompile_headers(${name} REUSE_FROM DrumlinPrecompiled)
  endif()
endfunction()

# The distribution's LLVM names Polly among its extensions but ships it in another package; nothing here runs it.
foreach(target LLVMExtensions LLVMLTO LLVMPasses)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    list(FILTER libraries EXCLUDE REGEX "^Polly")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()
