# What --version prints: closure/version.inc, a string. It is written again after each commit and, with Ninja, whenever a
# source has changed: then closure.awk (programs.cmake) has written new.cmake again.
#
# After a commit Git has written to its log of HEAD. A repository may keep none: then a commit changes HEAD, the branch or
# the index. The build may depend only on files that there are: one that is missing, or none at all, would be out of date
# for ever.
set(of_commits "")
if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git symbolic-ref -q HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE branch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  foreach(name logs/HEAD HEAD index ${branch})
    execute_process(COMMAND git rev-parse --git-path ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(path)
      file(REAL_PATH "${path}" path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND of_commits "${path}")
    endif()
  endforeach()
endif()
set(changed heed CMakeLists.txt)
if(CMAKE_GENERATOR MATCHES "Ninja")
  list(APPEND changed ${closure}/new.cmake)
endif()
# The last command: if there is the first file, the log, it is the only one.
string(CONCAT depend "[ ! -e \"$1\" ] || set -- \"$1\"; { printf 'closure/version.inc:'; "
       "for f; do [ ! -e \"$f\" ] || printf ' %s' \"$(printf %s \"$f\" | sed 's/ /\\\\ /g')\"; done; echo; } >\"$0\"")
add_custom_command(OUTPUT ${closure}/version.inc DEPENDS ${changed} DEPFILE ${closure}/version.d
  COMMAND sh -c "bash heed --version | sed 's/.*/\"&\"/' >\"$0\"" ${closure}/version.new
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${closure}/version.new ${closure}/version.inc
  COMMAND sh -c "${depend}" ${closure}/version.d ${of_commits} ${PROJECT_SOURCE_DIR}/CMakeLists.txt
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "which version this is")
