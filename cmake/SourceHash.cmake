# cmake -DOUTPUT=file.cpp -DSOURCES=a;b;c -P SourceHash.cmake: defines the hash of the code generator's sources, so that a
# kernel compiled by another version is never taken from a cache.
set(all "")
foreach(source ${SOURCES})
  file(SHA256 ${source} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUTPUT} "#include \"drumlin/codegen/cpu/ObjectEmitter.h\"\n\nnamespace drumlin::codegen {\nconst char *const codegenVersion = \"${hash}\";\n}\n")
