# LLVM, MLIR and lld 22, linked statically.
#
# The distribution's exported MLIR targets list the shared libLLVM in INTERFACE_LINK_LIBRARIES. A program
# linked with the unchanged targets would load this second copy of LLVM beside the static one, so the property is rewritten.

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

# drumlin_operation_headers(all dialect prefix source base): a header for the class of each operation that a TableGen file defines, as
# `def PREFIXAddOp : ...<"add"`, with the class's name (AddOp.h), so that a file depends only on the operations that it uses. Each includes
# `base`; the header `all` includes each.
function(drumlin_operation_headers all dialect prefix source base)
  set(LLVM_TARGET_DEFINITIONS ${source})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  # Which headers there are depends on the definitions.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(REGEX MATCHALL "\ndef ${prefix}[A-Za-z0-9]+Op[^\"]*\"[^\"]+\"" definitions "${text}")
  foreach(definition ${definitions})
    string(REGEX MATCH "def ${prefix}([A-Za-z0-9]+).*\"(.*)\"" _ "${definition}")
    set(class ${CMAKE_MATCH_1})
    mlir_tablegen(${class}.h.inc -gen-op-decls -op-include-regex=^${dialect}.${CMAKE_MATCH_2}$$) # Ninja reads `$$` as `$`
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${class}.h CONTENT
         "#pragma once\n#include \"${base}\"\n#define GET_OP_CLASSES\n#include \"${folder}/${class}.h.inc\"\n")
    string(APPEND includes "#include \"${folder}/${class}.h\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${all} CONTENT "#pragma once\n${includes}")
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()

# One precompiled header for every folder that includes MLIR. None contains a header of ours, whose change would rebuild everything.
set(mlir_headers
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/BuiltinAttributes.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h> <llvm/ADT/StringExtras.h>
  <llvm/IR/IRBuilder.h> <llvm/Support/JSON.h> <mlir/Bytecode/BytecodeOpInterface.h> <mlir/IR/SymbolTable.h> <mlir/IR/TypeUtilities.h>)
drumlin_precompile(DrumlinPrecompiledMlir OPTIONS -fno-exceptions HEADERS ${mlir_headers})
# Programs, tests and the libraries that parse command lines also include headers of the driver and of the runtime, which
# need these.
set(driver_headers <chrono> <condition_variable> <filesystem> <thread>)
# The variant `Unwinds`, compiled with exceptions, is for code that parses command lines, since the library for this
# throws. The variant `Programs` is for executables.
drumlin_precompile(DrumlinPrecompiledMlirUnwinds HEADERS ${mlir_headers} ${driver_headers})
drumlin_precompile(DrumlinPrecompiledMlirPrograms HEADERS ${mlir_headers} ${driver_headers})
drumlin_as_of_programs(DrumlinPrecompiledMlirPrograms)
set(precompiled DrumlinPrecompiledMlir DrumlinPrecompiledMlirUnwinds DrumlinPrecompiledMlirPrograms)
# Unit tests have the same precompiled headers plus GoogleTest's.
if(DRUMLIN_TESTS)
  drumlin_precompile(DrumlinPrecompiledMlirTests LIBRARIES GTest::gtest HEADERS <gtest/gtest.h> ${mlir_headers} ${driver_headers})
  drumlin_as_of_tests(DrumlinPrecompiledMlirTests)
  list(APPEND precompiled DrumlinPrecompiledMlirTests)
endif()
foreach(name ${precompiled})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  add_dependencies(${name} DrumlinIndexingTablegen DrumlinPlanTablegen DrumlinStablehloTablegen)
endforeach()

# drumlin_use_mlir(name [precompiled]): lets the target `name` include MLIR's headers. It takes the precompiled headers
# of the target `precompiled`, by default those for its kind of target.
function(drumlin_use_mlir name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  get_target_property(type ${name} TYPE)
  if(ARGC GREATER 1)
    drumlin_take_precompiled(${name} ${ARGV1})
  elseif(type STREQUAL "STATIC_LIBRARY")
    drumlin_take_precompiled(${name} DrumlinPrecompiledMlir)
  elseif(type STREQUAL "EXECUTABLE")
    drumlin_take_precompiled(${name} DrumlinPrecompiledMlirPrograms)
  else()
    drumlin_take_precompiled(${name} DrumlinPrecompiledMlirUnwinds)
  endif()
endfunction()

# The distribution's LLVM lists Polly among its extensions but ships Polly in a separate package. Drumlin doesn't use
# Polly, so it isn't linked.
foreach(target LLVMExtensions LLVMLTO LLVMPasses)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    list(FILTER libraries EXCLUDE REGEX "^Polly")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()
