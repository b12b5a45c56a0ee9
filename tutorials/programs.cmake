# Lessons and the heed program.
#
# A program links only the objects that it needs, and not whole libraries: closure.awk finds them. So ./heed translate
# compiles two thirds of the sources and lesson 01 a sixth of them.
heed_dependency(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz)
# md4c: by its header and library, because Debian's md4cConfig.cmake also asks for a package that nothing here uses and
# stops CMake where it is missing.
add_library(heed_md4c INTERFACE)
find_path(HEED_MD4C_INCLUDE md4c.h)
find_library(HEED_MD4C_LIBRARY md4c)
if(HEED_MD4C_INCLUDE AND HEED_MD4C_LIBRARY)
  target_include_directories(heed_md4c INTERFACE ${HEED_MD4C_INCLUDE})
  target_link_libraries(heed_md4c INTERFACE ${HEED_MD4C_LIBRARY})
else()
  heed_download(md4c https://github.com/mity/md4c/archive/refs/tags/release-0.4.8.tar.gz)
  target_include_directories(heed_md4c INTERFACE $<TARGET_PROPERTY:md4c,SOURCE_DIR>)  # its header is beside its source
  target_link_libraries(heed_md4c INTERFACE md4c)
endif()
file(GLOB common_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tutorials/common/*.cpp tutorials/report/*.cpp
     tutorials/course/*.cpp tutorials/course/drawings/*.cpp tutorials/museum/*.cpp tutorials/league/results/*.cpp)
# The scripts and style sheets of the pages become strings in the library: a page is one file. Those of the report have
# their bare name, those of the course course/NAME and play/NAME.
file(GLOB page_files CONFIGURE_DEPENDS tutorials/report/page/*.js tutorials/report/page/*.css tutorials/course/page/*.js
     tutorials/course/page/*.css tutorials/course/play/*.js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_files})
foreach(path ${page_files})
  get_filename_component(name ${path} NAME)
  if(path MATCHES "/course/page/")
    set(name course/${name})
  elseif(path MATCHES "/course/play/")
    set(name play/${name})
  endif()
  file(READ ${path} text)
  string(APPEND HEED_PAGE_FILES "      {\"${name}\", R\"heed_page(${text})heed_page\"},\n")
endforeach()
configure_file(tutorials/report/page_files.cpp.in ${PROJECT_BINARY_DIR}/tutorials/report/page_files.cpp @ONLY)
set(closure ${PROJECT_BINARY_DIR}/closure)
include(tutorials/version.cmake)
set_source_files_properties(tutorials/common/version.cpp PROPERTIES OBJECT_DEPENDS ${closure}/version.inc
                            INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR})
# A target of its own: as a source of heed_common it would wait for the libraries that heed_common is linked with.
add_custom_target(heed_version DEPENDS ${closure}/version.inc)
add_library(heed_common STATIC ${PROJECT_BINARY_DIR}/tutorials/report/page_files.cpp)
heed_sources(heed_common ${common_sources})
add_dependencies(heed_common heed_version)
target_link_libraries(heed_common PUBLIC heed::text PRIVATE heed_flags CLI11::CLI11 heed_md4c)
set_source_files_properties(tutorials/league/results/rows.cpp PROPERTIES COMPILE_DEFINITIONS HEED_VERSION="${PROJECT_VERSION}")
set_source_files_properties(tutorials/course/source_root.cpp PROPERTIES COMPILE_DEFINITIONS HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# CLI11 takes the compiler 12 s at -O3 and is called once a run.
set_source_files_properties(tutorials/common/parse_options.cpp PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
heed_optimise(heed_common CALLS)
set_property(GLOBAL PROPERTY heed_object_tutorials/report/page_files.cpp
  ${PROJECT_BINARY_DIR}/CMakeFiles/heed_common.dir/tutorials/report/page_files.cpp${CMAKE_CXX_OUTPUT_EXTENSION})

# The sub-commands; what a training run is made of serves lesson 30, too.
file(GLOB app_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tutorials/app/*.cpp tutorials/league/*.cpp)
list(REMOVE_ITEM app_sources tutorials/app/main.cpp tutorials/app/command.cpp)
add_library(heed_commands STATIC)
heed_sources(heed_commands ${app_sources})
target_link_libraries(heed_commands PUBLIC heed_common heed_cases heed::distributed PRIVATE heed_flags)
target_compile_definitions(heed_commands PRIVATE HEED_VERSION="${PROJECT_VERSION}")
heed_optimise(heed_commands CALLS)

# heed_program(name sources...): an executable of these sources and of what they need.
set(programs "")
macro(heed_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE heed_program_flags)
  if("${name}" STREQUAL "01_tensors")  # its own loops are what it measures
    heed_optimise(${name} LOOPS)
  else()
    heed_optimise(${name} CALLS)
  endif()
  string(REPLACE ";" " " own "${ARGN}")
  string(REPLACE "EXCLUDE_FROM_ALL " "" own "${own}")
  string(APPEND programs "${name} ${own}\n")
endmacro()
add_library(heed_program_flags INTERFACE)
target_include_directories(heed_program_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(heed_program_flags INTERFACE heed_flags ${fmt_target} heed::utf8proc $<TARGET_NAME_IF_EXISTS:heed::pcre2> heed_md4c
                      Threads::Threads)

heed_program(heed_app tutorials/app/main.cpp)
set_target_properties(heed_app PROPERTIES OUTPUT_NAME heed)
foreach(source ${app_sources})
  file(STRINGS ${source} hit REGEX "^int [a-z]+_main\\(int argc" LIMIT_COUNT 1)
  if(hit)
    get_filename_component(name ${source} NAME_WE)
    heed_program(heed_${name} EXCLUDE_FROM_ALL tutorials/app/command.cpp)
    target_compile_definitions(heed_${name} PRIVATE HEED_COMMAND=${name}_main HEED_NAME="${name}")
    string(APPEND programs "heed_app ${source}\nheed_${name} ${source}\n")
    list(APPEND command_programs heed_${name})
  endif()
endforeach()

# The translator of the page that computes (tutorials/playground), natively: it trains the weights that the page embeds.
heed_program(heed_playground EXCLUDE_FROM_ALL tutorials/playground/tool.cpp tutorials/playground/engine.cpp
             tutorials/playground/explain.cpp)

file(GLOB lessons RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tutorials/[0-9][0-9]_*/main.cpp)
add_custom_target(lessons)
foreach(main ${lessons})
  get_filename_component(folder ${main} DIRECTORY)
  get_filename_component(lesson ${folder} NAME)
  file(GLOB lesson_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.cpp)
  heed_program(${lesson} ${lesson_sources})
  add_dependencies(lessons ${lesson})
endforeach()

# tutorials/NN_name/exercises/K_name.cpp is a solution -> bin/exercises/solution.NN_name.K_name. Without what fills its
# gap (cut.awk) it is what the learner begins with -> exercise.NN_name.K_name; and what the learner makes of that is
# work/NN_name/K_name.cpp -> work.NN_name.K_name. All have the checks of exercises/K_name_check.cpp. None is built
# unless asked for.
file(GLOB exercises RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tutorials/[0-9][0-9]_*/exercises/*.cpp
     work/[0-9][0-9]_*/*.cpp)
add_custom_target(exercises)
set(cut ${PROJECT_SOURCE_DIR}/tutorials/common/cut.awk)
function(heed_gap result source)  # the learner's beginning of a solution
  string(REPLACE "tutorials/" "${PROJECT_BINARY_DIR}/gaps/" gap ${source})
  set(${result} ${gap} PARENT_SCOPE)
endfunction()
# heed_exercise(kind NN_name K_name source): one of the three programs.
macro(heed_exercise kind lesson name source)
  set(exercise ${kind}.${lesson}.${name})
  set(check tutorials/${lesson}/exercises/${name}_check.cpp)
  set(whole "")
  if("${kind}" STREQUAL "work")
    file(STRINGS ${source} whole REGEX "^int main\\(" LIMIT_COUNT 1)  # compiled without the checks
  endif()
  heed_program(${exercise} EXCLUDE_FROM_ALL ${source})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${check} AND NOT whole)
    if(NOT TARGET check.${lesson}.${name})
      add_library(check.${lesson}.${name} OBJECT EXCLUDE_FROM_ALL ${check})
      target_link_libraries(check.${lesson}.${name} PRIVATE heed_program_flags)
      heed_optimise(check.${lesson}.${name} CALLS)
    endif()
    target_sources(${exercise} PRIVATE $<TARGET_OBJECTS:check.${lesson}.${name}>)
    string(APPEND programs "${exercise} ${check}\n")
  endif()
  set_target_properties(${exercise} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/exercises)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-unused;-Wno-unused-parameter")  # an open gap uses little
endmacro()
foreach(source ${exercises})
  if(source MATCHES "_check[.]cpp$")  # the checks of an exercise, a part of it
  elseif(source MATCHES "^work/([0-9][0-9]_[a-z0-9_]+)/([0-9]+_[a-z0-9_]+)[.]cpp$")
    heed_exercise(work ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${source})
  elseif(source MATCHES "^tutorials/([0-9][0-9]_[a-z0-9_]+)/exercises/([0-9]+_[a-z0-9_]+)[.]cpp$")
    set(lesson ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    heed_gap(gap ${source})
    get_filename_component(folder ${gap} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${gap} DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${cut} VERBATIM
      COMMAND sh -c "awk -f \"$0\" \"$1\" >\"$2\"" ${cut} ${PROJECT_SOURCE_DIR}/${source} ${gap})
    heed_exercise(exercise ${lesson} ${name} ${gap})
    heed_exercise(solution ${lesson} ${name} ${source})
    add_dependencies(exercises exercise.${lesson}.${name} solution.${lesson}.${name})
  endif()
endforeach()

# ./heed translate --mine and ./heed generate --mine: models with functions of the learner's in them (tutorials/app/mine). heed_mine has the
# parts that HEED_MINE names, with the learner's files in work/; the tests have all parts, with the solutions and with the
# files whose gaps are open.
set(HEED_MINE "" CACHE STRING "Parts of heed_mine, separated by commas; ./heed sets it")
if(CMAKE_GENERATOR MATCHES "Ninja")
  file(GLOB mine_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tutorials/app/mine/*.cpp
       tutorials/app/mine/parts/*.cpp)
  list(REMOVE_ITEM mine_sources tutorials/app/mine/main.cpp)
  add_library(heed_mine_parts STATIC EXCLUDE_FROM_ALL)
  heed_sources(heed_mine_parts ${mine_sources})
  target_link_libraries(heed_mine_parts PUBLIC heed_common PRIVATE heed_flags)
  heed_optimise(heed_mine_parts CALLS)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tutorials/app/mine/parts.inc)
  file(STRINGS tutorials/app/mine/parts.inc mine_rows REGEX "^{")
  string(REGEX REPLACE "[{}\",]" "" mine_rows "${mine_rows}")
  string(REPLACE "," ";" mine_chosen "${HEED_MINE}")
  foreach(program heed_mine heed_mine_solutions heed_mine_gaps)
    set(mine_files "")
    set(mine_part_sources "")
    foreach(row ${mine_rows})
      separate_arguments(row)
      list(GET row 0 part)
      list(GET row 1 lesson)
      list(GET row 2 exercise)
      if(program STREQUAL "heed_mine")
        set(file work/${lesson}/${exercise}.cpp)
        list(FIND mine_chosen ${part} wanted)
        if(wanted EQUAL -1 OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
          continue()
        endif()
      elseif(program STREQUAL "heed_mine_solutions")
        set(file tutorials/${lesson}/exercises/${exercise}.cpp)
      else()
        heed_gap(file tutorials/${lesson}/exercises/${exercise}.cpp)
      endif()
      list(APPEND mine_files ${file})  # of an exercise with several parts more than once
      string(APPEND mine_part_sources " tutorials/app/mine/parts/${part}.cpp")
    endforeach()
    list(REMOVE_DUPLICATES mine_files)
    heed_program(${program} EXCLUDE_FROM_ALL tutorials/app/mine/main.cpp ${mine_files})
    string(APPEND programs "${program}${mine_part_sources}\n")
  endforeach()
endif()

# What each program needs: sources, and then the objects that hold these. closure.awk is run here, and by the build again
# whenever a source or header has changed; if its answer has changed, too, the build runs CMake again. Only Ninja lets a program name single objects of a library;
# with other generators a program links the libraries.
if(NOT CMAKE_GENERATOR MATCHES "Ninja")
  target_link_libraries(heed_program_flags INTERFACE heed_commands)
  return()
endif()
file(GLOB_RECURSE files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tensor/*.h autograd/*.h nn/*.h distributed/*.h
     tutorials/*.h tensor/*.cpp autograd/*.cpp nn/*.cpp distributed/*.cpp tutorials/*.cpp)
set(files ${files} ${exercises} tutorials/report/page_files.cpp.in)
list(REMOVE_DUPLICATES files)
list(JOIN files "\n" lines)
file(CONFIGURE OUTPUT ${closure}/files.txt CONTENT "${lines}\n" @ONLY)
file(CONFIGURE OUTPUT ${closure}/programs.txt CONTENT "${programs}" @ONLY)
get_property(units GLOBAL PROPERTY heed_units)
file(CONFIGURE OUTPUT ${closure}/units.txt CONTENT "${units}" @ONLY)
set(ask awk -f tutorials/closure.awk ${closure}/files.txt ${closure}/programs.txt ${closure}/new.cmake ${closure}/units.txt)
execute_process(COMMAND ${ask} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE ${closure}/new.cmake ${closure}/closure.cmake ONLY_IF_DIFFERENT)
list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE paths)
string(REPLACE " " "\\ " paths "${paths}")
string(REPLACE ";" " " paths "${paths}")
file(CONFIGURE OUTPUT ${closure}/files.d CONTENT "closure/closure.cmake: ${paths}\n" @ONLY)
add_custom_command(OUTPUT ${closure}/closure.cmake BYPRODUCTS ${closure}/new.cmake DEPFILE ${closure}/closure.d  # files may go, so no DEPENDS
  COMMAND ${ask}
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${closure}/new.cmake ${closure}/closure.cmake
  COMMAND ${CMAKE_COMMAND} -E copy ${closure}/files.d ${closure}/closure.d
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "what each program needs")
add_custom_target(closure DEPENDS ${closure}/closure.cmake)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${closure}/closure.cmake)
include(${closure}/closure.cmake)
foreach(program ${closure_programs})
  set(needed "")
  foreach(source ${closure_${program}})
    get_property(object GLOBAL PROPERTY heed_object_${source})
    list(APPEND needed ${object})
  endforeach()
  list(REMOVE_DUPLICATES needed)
  target_sources(${program} PRIVATE ${needed})
  if(with_mpi STREQUAL "mpi" AND closure_${program} MATCHES "distributed/")
    target_link_libraries(${program} PRIVATE MPI::MPI_CXX)
  endif()
  list(APPEND objects ${needed})
endforeach()
list(REMOVE_DUPLICATES objects)
set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
