# Removes from textual LLVM IR the attributes that bind a function to the processor for which it was compiled, and the module
# flags that could conflict with those of the module into which it is linked. Usage: cmake -DINPUT=a.ll -DOUTPUT=b.ll -P StripTarget.cmake
file(READ ${INPUT} text)
foreach(attribute target-cpu target-features tune-cpu min-legal-vector-width no-builtins no-trapping-math
                  stack-protector-buffer-size frame-pointer)
  string(REGEX REPLACE " \"${attribute}\"(=\"[^\"]*\")?" "" text "${text}")
endforeach()
string(REGEX REPLACE "\n!llvm\\.(module\\.flags|ident|errno\\.tbaa)[^\n]*" "" text "${text}")
# The host's compiler marks its symbols for the main program; in an image they are local.
string(REPLACE " dso_local" "" text "${text}")
string(REPLACE " uwtable" "" text "${text}")
file(WRITE ${OUTPUT} "${text}")
