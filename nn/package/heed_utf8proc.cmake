# heed::utf8proc, from the header and the library: most systems give utf8proc no CMake package. Nothing where it is not
# installed. Used by the build and, installed beside it, by heedConfig.cmake.
if(NOT TARGET heed::utf8proc)
  find_path(HEED_UTF8PROC_INCLUDE_DIR utf8proc.h)
  find_library(HEED_UTF8PROC_LIBRARY utf8proc)
  mark_as_advanced(HEED_UTF8PROC_INCLUDE_DIR HEED_UTF8PROC_LIBRARY)
  if(HEED_UTF8PROC_INCLUDE_DIR AND HEED_UTF8PROC_LIBRARY)
    add_library(heed::utf8proc UNKNOWN IMPORTED)
    set_target_properties(heed::utf8proc PROPERTIES IMPORTED_LOCATION "${HEED_UTF8PROC_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${HEED_UTF8PROC_INCLUDE_DIR}")
  endif()
endif()
