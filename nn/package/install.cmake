# cmake --install: libraries, the headers that a user includes, the CMake package, the licence, the heed program, and
# what shows values in a debugger.
#
#   #include <heed/heed.h>   finds   <prefix>/include/heed/heed.h        as it finds include/heed/heed.h in this tree
#   #include "nn/layers.h"   finds   <prefix>/include/heed/nn/layers.h   as it finds nn/layers.h in this tree
#
# No installed header names a vector type or asks for a processor feature, so a user's program need not be compiled with
# the flags of the library (-march=native and the like stay private to it): both agree on every type. The headers that
# do are listed here and stay behind; tests/packaging compiles each of the others without them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
set(internal_headers tensor/kernels/dropout_words.h tensor/kernels/elementwise_detail.h tensor/kernels/gemm_kernel.h
    tensor/kernels/gemm_rectangle.h tensor/kernels/indexed_sums.h tensor/kernels/machine.h tensor/kernels/simd.h tensor/kernels/sums.h
    tensor/kernels/tiled_attention_rows.h
    tensor/kernels/tiled_attention_tiles.h tensor/kernels/tiled_attention_visits.h tensor/kernels/vec_math.h
    nn/optim/pass.h
    nn/attention/scores/additive_score_rows.h nn/recurrent/gate_rows.h nn/recurrent/gru_rule.h
    nn/recurrent/one_step.h nn/recurrent/sequence_engine.h nn/recurrent/sequence_steps.h)
list(TRANSFORM internal_headers REPLACE "[.]h$" "[.]h")
list(JOIN internal_headers "|" internal_headers)
install(DIRECTORY tensor autograd nn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed FILES_MATCHING PATTERN "*.h"
        REGEX "/(${internal_headers})$" EXCLUDE PATTERN cases EXCLUDE PATTERN package EXCLUDE)
install(DIRECTORY include/heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES nn/package/debugger/heed_debugger.py DESTINATION ${CMAKE_INSTALL_DATADIR}/heed)
install(TARGETS heed_tensor heed_autograd heed_nn EXPORT heedTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION ${package_folder})
if(TARGET heed_text)
  install(TARGETS heed_text EXPORT heedTextTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT heedTextTargets NAMESPACE heed:: DESTINATION ${package_folder})
endif()
if(TARGET heed_app)  # where only libraries were built there is none to install
  install(TARGETS heed_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
configure_package_config_file(nn/package/heedConfig.cmake.in ${PROJECT_BINARY_DIR}/heedConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heedConfig.cmake ${PROJECT_BINARY_DIR}/heedConfigVersion.cmake
        nn/package/heed_utf8proc.cmake nn/package/heed_pcre2.cmake DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
