# Compiles the bitcode for several processors and checks that no symbol is undefined: kernels must need no math library.
# Usage: cmake -DLLC=... -DNM=... -DBITCODE=a.bc -DPROCESSORS=x86-64,znver5 -DDIRECTORY=... -P CheckSymbols.cmake
string(REPLACE "," ";" PROCESSORS "${PROCESSORS}")
foreach(processor ${PROCESSORS})
  set(object ${DIRECTORY}/check-${processor}.o)
  execute_process(COMMAND ${LLC} -O2 -filetype=obj -relocation-model=pic -mcpu=${processor} ${BITCODE} -o ${object}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${NM} --undefined-only --format=just-symbols ${object} OUTPUT_VARIABLE undefined
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "_GLOBAL_OFFSET_TABLE_\n" "" undefined "${undefined}")
  if(NOT undefined STREQUAL "")
    message(FATAL_ERROR "${BITCODE} for ${processor} needs: ${undefined}")
  endif()
endforeach()
