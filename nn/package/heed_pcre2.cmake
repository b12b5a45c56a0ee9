# heed::pcre2, from the header and the library (8-bit code units): the regular expressions of published tokenizers.
# Nothing where it is not installed. Used by the build and, installed beside it, by heedConfig.cmake.
if(NOT TARGET heed::pcre2)
  find_path(HEED_PCRE2_INCLUDE_DIR pcre2.h)
  find_library(HEED_PCRE2_LIBRARY pcre2-8)
  mark_as_advanced(HEED_PCRE2_INCLUDE_DIR HEED_PCRE2_LIBRARY)
  if(HEED_PCRE2_INCLUDE_DIR AND HEED_PCRE2_LIBRARY)
    add_library(heed::pcre2 UNKNOWN IMPORTED)
    set_target_properties(heed::pcre2 PROPERTIES IMPORTED_LOCATION "${HEED_PCRE2_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${HEED_PCRE2_INCLUDE_DIR}")
  endif()
endif()
