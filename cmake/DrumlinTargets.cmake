# How every target of the project is made. A folder's CMakeLists.txt calls these and nothing else.

set(DRUMLIN_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter -Wimplicit-fallthrough
                     -Wnon-virtual-dtor -Wno-gnu-line-marker)

# What makes a fault of ours harder to use (SECURITY.md, "How it is built"; test/dev/test_hardening.py reads it from what is built).
# Sanitizers bring checks of their own, and the C library's need a build with optimization. By those, memcpy() takes no null pointers, also
# where it copies nothing, as from an empty vector: nothing must be concluded from that.
if(NOT DRUMLIN_SANITIZE)
  set(DRUMLIN_HARDENING -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero -fcf-protection=full
                        -fno-delete-null-pointer-checks $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  set(DRUMLIN_HARDENED_LINK LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

function(drumlin_target_defaults name)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${DRUMLIN_WARNINGS} $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
                         -ffunction-sections -fdata-sections -ffp-contract=off ${DRUMLIN_HARDENING})
  # What is linked knows its own hash (drumlin/support/BuildId.h).
  target_link_options(${name} PRIVATE LINKER:--build-id=sha1 ${DRUMLIN_HARDENED_LINK})
  if(DRUMLIN_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${DRUMLIN_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=vptr)
    target_link_options(${name} PUBLIC -fsanitize=${DRUMLIN_SANITIZE} -fno-sanitize=vptr)
  endif()
endfunction()

# drumlin_library(name [MLIR|UNWINDS] SOURCES a.cpp ... DEPENDS lib ...): a static library of one folder.
# MLIR: the folder includes LLVM or MLIR headers (and then shares the precompiled ones).
# UNWINDS: runs in processes that go on without memory. Nothing in it throws but code of others that is called, and what asks for
# memory in vain; frames are unwound then, up to the function that was called from outside.
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
  endif()
endfunction()

# drumlin_unit_test(name [MLIR] [SLOW [TIMED]] SOURCES ... DEPENDS ...): one GoogleTest binary of one folder.
function(drumlin_unit_test name)
  cmake_parse_arguments(ARG "MLIR;SLOW;TIMED" "" "SOURCES;DEPENDS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  drumlin_target_defaults(${name})
  target_compile_options(${name} PRIVATE -Wno-gnu-zero-variadic-macro-arguments)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  if(ARG_MLIR)
    drumlin_use_mlir(${name})
    target_precompile_headers(${name} REUSE_FROM DrumlinTestsPrecompiled)
  endif()
  # Each test writes the results of its cases into a file of its own: two of one binary may run at once.
  set(results --gtest_output=xml:${CMAKE_BINARY_DIR}/test-results)
  add_test(NAME ${name} COMMAND ${name} --gtest_filter=-Slow* ${results}/${name}.xml)
  # A kernel cache of the tests' own: they neither read nor fill the user's.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT DRUMLIN_CACHE=${CMAKE_BINARY_DIR}/test-cache)
  # SLOW: suites whose names begin with `Slow` are a test of their own, which `--fast` leaves out.
  if(ARG_SLOW)
    add_test(NAME ${name}Slow COMMAND ${name} --gtest_filter=Slow* ${results}/${name}Slow.xml)
    set_tests_properties(${name}Slow PROPERTIES LABELS slow
                         ENVIRONMENT DRUMLIN_CACHE=${CMAKE_BINARY_DIR}/test-cache)
    # TIMED: what is slow measures this machine, and runs alone.
    if(ARG_TIMED)
      set_tests_properties(${name}Slow PROPERTIES RUN_SERIAL TRUE)
    endif()
  endif()
endfunction()
