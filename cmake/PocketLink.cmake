# Links MLIR and LLVM statically, so that what we ship needs neither.
#
# The wheels were built against libLLVM.so: every exported MLIR target names
# "LLVM" among its libraries. That name is replaced by the static components.
set(LLVM_LINK_LLVM_DYLIB OFF)
# Archives: only what is referenced is pulled in, so a long list costs link
# time and no size.
set(POCKET_LLVM_STATIC
  LLVMPasses LLVMCore LLVMSupport LLVMTargetParser LLVMBitWriter LLVMBitReader LLVMIRReader
  LLVMAsmParser LLVMFrontendOpenMP LLVMFrontendOffloading LLVMTransformUtils
  LLVMDebugInfoDWARF LLVMBinaryFormat LLVMTarget LLVMMC LLVMAnalysis LLVMRemarks LLVMTelemetry LLVMSupportLSP)
foreach(_target IN LISTS MLIR_EXPORTED_TARGETS)
  if(NOT TARGET ${_target})
    continue()
  endif()
  foreach(_property INTERFACE_LINK_LIBRARIES MLIR_AGGREGATE_DEP_LIBS_IMPORTED)
    get_target_property(_libraries ${_target} ${_property})
    if(_libraries AND "LLVM" IN_LIST _libraries)
      list(TRANSFORM _libraries REPLACE "^LLVM$" "PocketLLVMStatic")
      set_target_properties(${_target} PROPERTIES ${_property} "${_libraries}")
    endif()
  endforeach()
endforeach()
add_library(PocketLLVMStatic INTERFACE IMPORTED GLOBAL)
target_link_libraries(PocketLLVMStatic INTERFACE ${POCKET_LLVM_STATIC})
