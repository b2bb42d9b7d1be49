# Finds MLIR and LLVM where pip put them. The wheels unpack to
# <site-packages>/{mlir,llvm}; these are namespace packages, so every sys.path
# entry is searched (which also serves isolated wheel builds).
if(NOT DEFINED MLIR_DIR OR NOT DEFINED LLVM_DIR)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
      "import sys,os
for package in ('mlir','llvm'):
    for path in sys.path:
        d=os.path.join(path,package,'lib','cmake',package)
        if os.path.isdir(d): print(d); break
    else: sys.exit('no '+package)"
    OUTPUT_VARIABLE _directories RESULT_VARIABLE _result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT _result EQUAL 0)
    message(FATAL_ERROR "MLIR is not installed: pip install the build requirements of pyproject.toml, "
                        "or set MLIR_DIR and LLVM_DIR")
  endif()
  string(REPLACE "\n" ";" _directories "${_directories}")
  list(GET _directories 0 _mlir)
  list(GET _directories 1 _llvm)
  set(MLIR_DIR "${_mlir}" CACHE PATH "" FORCE)
  set(LLVM_DIR "${_llvm}" CACHE PATH "" FORCE)
endif()
find_package(MLIR REQUIRED CONFIG)    # finds LLVM through LLVM_DIR
set(LLVM_ENABLE_WARNINGS ON)          # the wheels' LLVMConfig turns warnings off, for our code too
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
