# Embeds the page's files in one C++ source: cmake -DFOLDER=… -DSCRIPTS=… -DOUTPUT=… -P
# EmbedPage.cmake
file(READ ${FOLDER}/page.css PAGE_STYLE)
set(PAGE_SCRIPTS "")
foreach(name ${SCRIPTS})
  file(READ ${FOLDER}/${name}.js part)
  string(APPEND PAGE_SCRIPTS "    R\"page(${part})page\",\n")
endforeach()
configure_file(${FOLDER}/PageFiles.cpp.in ${OUTPUT} @ONLY)
