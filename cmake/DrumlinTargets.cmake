# Defines the options that all targets share, and the functions with which the folders'
# CMakeLists.txt make targets.

set(DRUMLIN_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter -Wimplicit-fallthrough
                     -Wnon-virtual-dtor -Wno-gnu-line-marker)

# Options that make a fault of ours harder to exploit (SECURITY.md, "How it is built"; test/dev/test_hardening.py checks the built files).
# Builds with sanitizers don't get these options, since sanitizers have checks of their own. Debug builds don't get _FORTIFY_SOURCE, since
# it needs optimization. The C library declares that memcpy() never gets a null pointer, but an empty vector passes one when it copies
# nothing: -fno-delete-null-pointer-checks keeps the compiler from concluding that such a pointer isn't null.
set(DRUMLIN_CONTROL_FLOW -fcf-protection=full)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(DRUMLIN_CONTROL_FLOW -mbranch-protection=standard)
endif()
if(NOT DRUMLIN_SANITIZE)
  set(DRUMLIN_HARDENING -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero ${DRUMLIN_CONTROL_FLOW}
                        -fno-delete-null-pointer-checks $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  set(DRUMLIN_HARDENED_LINK LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

# Options of the programs that run under ThreadSanitizer although the rest of the build has no sanitizers (drumlin/runtime/test).
set(DRUMLIN_THREAD_SANITIZER -fsanitize=thread -O1 -gline-tables-only)

# drumlin_join_units(name source ...): puts these sources of a target into groups (scripts/unity.py). The compiler reads each group in one
# run, and its headers only once.
function(drumlin_join_units name)
  set(sources ${ARGN})
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/unity.py ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  foreach(pair ${groups})
    string(REGEX MATCH "^([0-9]+)=(.*)$" pair ${pair})
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    # The groups depend on what the sources declare, so CMake runs again when a source changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_MATCH_2})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(drumlin_target_defaults name)
  if(DRUMLIN_UNITY)
    get_target_property(sources ${name} SOURCES)
    drumlin_join_units(${name} ${sources})
  endif()
  get_target_property(type ${name} TYPE)
  if(type MATCHES "EXECUTABLE|SHARED")
    set_property(GLOBAL APPEND PROPERTY DRUMLIN_PROGRAMS ${name})
  endif()
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${DRUMLIN_WARNINGS} $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
                         -ffunction-sections -fdata-sections -ffp-contract=off ${DRUMLIN_HARDENING})
  # Each program and shared library contains its build ID, a hash of itself
  # (drumlin/support/BuildId.h).
  target_link_options(${name} PRIVATE LINKER:--build-id=sha1 ${DRUMLIN_HARDENED_LINK})
  if(DRUMLIN_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${DRUMLIN_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=vptr)
    target_link_options(${name} PUBLIC -fsanitize=${DRUMLIN_SANITIZE} -fno-sanitize=vptr)
  endif()
endfunction()

# A precompiled header is identified by its contents, not by its time stamp, so that ccache can keep what was compiled with it.
set(DRUMLIN_PRECOMPILED "SHELL:-Xclang -fno-pch-timestamp")

# drumlin_take_precompiled(name from): compiles the C++ files of a target with the precompiled headers of the target `from`. Both targets
# must have the same compile options.
function(drumlin_take_precompiled name from)
  target_compile_options(${name} PRIVATE ${DRUMLIN_PRECOMPILED})
  target_precompile_headers(${name} REUSE_FROM ${from})
  get_target_property(others ${name} SOURCES)
  list(FILTER others INCLUDE REGEX "\\.(c|S)$")
  set_source_files_properties(${others} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# drumlin_as_of_programs(name): compiles the target for executables (-fPIE). Libraries are compiled for
# shared objects (-fPIC).
function(drumlin_as_of_programs name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
endfunction()

# drumlin_as_of_tests(name): compiles the target as for executables, but with little optimization, since unit tests are compiled more often
# than they run.
function(drumlin_as_of_tests name)
  drumlin_as_of_programs(${name})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# drumlin_precompile(name OPTIONS ... LIBRARIES ... HEADERS ...): parses headers once, for all targets that take them.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/Precompiled.cpp CONTENT "// The precompiled headers' own unit.\n")
function(drumlin_precompile name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LIBRARIES;HEADERS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/Precompiled.cpp)
  drumlin_target_defaults(${name})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS} ${DRUMLIN_PRECOMPILED} -fpch-instantiate-templates)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# The standard library's headers that most files without MLIR include, directly or through other headers.
set(DRUMLIN_STANDARD_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstring> <deque> <functional> <limits> <map> <memory>
    <mutex> <numeric> <optional> <set> <span> <sstream> <string> <thread> <tuple> <unordered_map> <variant> <vector>)
drumlin_precompile(DrumlinPrecompiledStandard OPTIONS -fno-exceptions HEADERS ${DRUMLIN_STANDARD_HEADERS})
drumlin_precompile(DrumlinPrecompiledUnwinds HEADERS ${DRUMLIN_STANDARD_HEADERS})
if(DRUMLIN_TESTS)
  find_package(GTest REQUIRED)
  drumlin_precompile(DrumlinPrecompiledTests LIBRARIES GTest::gtest HEADERS ${DRUMLIN_STANDARD_HEADERS} <gtest/gtest.h>)
  drumlin_as_of_tests(DrumlinPrecompiledTests)
endif()

# drumlin_library(name [MLIR|UNWINDS] SOURCES a.cpp ... DEPENDS lib ...): a static library of one folder.
# MLIR: the folder includes LLVM or MLIR headers, and uses their precompiled versions.
# UNWINDS: the library runs in processes that continue after memory runs out, so it is compiled with exceptions. Its own code throws
# nothing, but failed allocations and code of others that it calls do. An exception unwinds the library's frames, up to the function that was
# called from outside.
function(drumlin_library name)
  cmake_parse_arguments(ARG "MLIR;UNWINDS" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  drumlin_target_defaults(${name})
  if(NOT ARG_UNWINDS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_MLIR)
    drumlin_use_mlir(${name})
  elseif(ARG_UNWINDS)
    drumlin_take_precompiled(${name} DrumlinPrecompiledUnwinds)
  else()
    drumlin_take_precompiled(${name} DrumlinPrecompiledStandard)
  endif()
endfunction()

# drumlin_unit_test(name [MLIR] [SLOW] [TIMED suites] SOURCES ... DEPENDS ...): adds one GoogleTest binary of one
# folder.
function(drumlin_unit_test name)
  cmake_parse_arguments(ARG "MLIR;SLOW" "TIMED" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  drumlin_target_defaults(${name})
  set_property(GLOBAL APPEND PROPERTY DRUMLIN_UNIT_TESTS ${name})
  target_compile_options(${name} PRIVATE -Wno-gnu-zero-variadic-macro-arguments $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  if(ARG_MLIR)
    drumlin_use_mlir(${name} DrumlinPrecompiledMlirTests)
  else()
    drumlin_take_precompiled(${name} DrumlinPrecompiledTests)
  endif()
  # Suites whose names begin with `Slow` form a separate test.
  drumlin_add_test(${name} ${name} -Slow*)
  if(ARG_SLOW)
    drumlin_add_test(${name}Slow ${name} Slow*-${ARG_TIMED} SLOW)
  endif()
  # TIMED: suites that match this pattern measure the machine. They form a separate test, which runs
  # alone.
  if(ARG_TIMED)
    drumlin_add_test(${name}Timed ${name} ${ARG_TIMED} SLOW)
    set_tests_properties(${name}Timed PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# Adds the target `programs`, which builds everything but the unit tests. Tests of commands, of libraries and of Python need only this
# target (`./dev test NAME`). Must be called after all targets are added.
function(drumlin_programs)
  get_property(programs GLOBAL PROPERTY DRUMLIN_PROGRAMS)
  get_property(tests GLOBAL PROPERTY DRUMLIN_UNIT_TESTS)
  list(REMOVE_ITEM programs ${tests})
  list(FILTER programs EXCLUDE REGEX "ThreadSanitizer")
  foreach(name ${programs})
    get_target_property(is_excluded ${name} EXCLUDE_FROM_ALL)
    if(is_excluded)
      list(REMOVE_ITEM programs ${name})
    endif()
  endforeach()
  add_custom_target(programs DEPENDS ${programs})
endfunction()

# Runs the cases of part $DRUMLIN_PART of $DRUMLIN_PARTS; runs all cases if these variables aren't set. The number of the test shifts the
# parts, so that the first cases of all tests aren't in one part: most tests have few cases.
set(DRUMLIN_RUN_PART [=[GTEST_TOTAL_SHARDS=${DRUMLIN_PARTS:-1} \
GTEST_SHARD_INDEX=$(((${DRUMLIN_PART:-0} + $1) % ${DRUMLIN_PARTS:-1})) && export GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX && shift && exec "$@"]=])

# drumlin_add_test(name program filter [SLOW]): adds a test that runs those cases of a GoogleTest binary that match the filter.
# SLOW: `./dev test` runs only a part of these cases, and `--fast` none.
function(drumlin_add_test name program filter)
  set(run_part)
  if("SLOW" IN_LIST ARGN)
    get_property(count GLOBAL PROPERTY DRUMLIN_SLOW_TESTS)
    math(EXPR count "${count} + 1")
    set_property(GLOBAL PROPERTY DRUMLIN_SLOW_TESTS ${count})
    set(run_part sh -c "${DRUMLIN_RUN_PART}" part ${count})
  endif()
  # Each test writes its results into a separate file, since two tests of one binary may run at once.
  add_test(NAME ${name} COMMAND ${run_part} $<TARGET_FILE:${program}> --gtest_filter=${filter}
           --gtest_output=xml:${CMAKE_BINARY_DIR}/test-results/${name}.xml)
  if(run_part)
    set_tests_properties(${name} PROPERTIES LABELS slow)
  endif()
  # The tests have a kernel cache of their own. They neither read nor fill the user's cache.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT DRUMLIN_CACHE=${CMAKE_BINARY_DIR}/test-cache)
endfunction()
