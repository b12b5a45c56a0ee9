# Finds the sources that a program needs: those that implement the headers it includes, then those that implement the
# headers which these include, and so on.
#
#   awk -f tutorials/closure.awk FILES PROGRAMS ANSWER [UNITS]
#
#   FILES     the path of every header and source, relative to the top of the tree (x.cpp.in stands for x.cpp)
#   PROGRAMS  lines of a program's name and sources of its own; several lines may have the same name
#   ANSWER    written, in CMake's language: set(closure_NAME SOURCE...) for each program, set(closure_programs NAME...)
#   UNITS     lines of sources that are compiled together: a program that needs one of them needs all
#
# x.cpp implements x.h. A source that has no header of its own implements headers that it includes:
#   - those of its folder with which its name begins or ends (lstm_gates.cpp: lstm.h); if there is none,
#   - all those of its folder, directly or through headers of this folder (make_scope.cpp: fixed.h, scope.h), and a kernel
#     or a fast path also those of the folders above (kernels/dropout.cpp: elementwise.h).
# The rules may find too many sources, which costs time. If they find too few, the linker reports what is undefined.
function stem(path) { sub(/.*\//, "", path); sub(/[.][a-z]+$/, "", path); return path }
function folder(path) { sub(/[^\/]*$/, "", path); return path }
function starts(text, with) { return substr(text, 1, length(with)) == with }
function ends(text, with) { return length(text) >= length(with) && substr(text, length(text) - length(with) + 1) == with }

# Records that the source implements the header and the headers of its folder that this one includes.
function reach(header, source,    i) {
  if (folder(header) != folder(source) || (source, header) in reached) return
  reached[source, header] = 1
  behind[header] = behind[header] " " source
  for (i = 1; i <= count[header]; ++i) reach(included[header, i], source)
}

function place(source,    i, header, of_name) {
  for (i = 1; i <= count[source]; ++i) {
    header = included[source, i]
    if (folder(header) == folder(source) && (starts(stem(source), stem(header)) || ends(stem(source), stem(header)))) {
      behind[header] = behind[header] " " source
      of_name = 1
    }
  }
  for (i = 1; i <= count[source] && !of_name; ++i) {
    header = included[source, i]
    if (folder(header) == folder(source)) reach(header, source)
    else if (starts(source, folder(header)) && source ~ /\/(kernels|fast)\//) behind[header] = behind[header] " " source
  }
}

function visit(path,    i, n, sources) {
  if (path in seen || !(path in count)) return
  seen[path] = 1
  if (path ~ /[.]cpp$/) needed = needed " " path
  for (i = 1; i <= count[path]; ++i) visit(included[path, i])
  n = split(behind[path], sources, " ")
  for (i = 1; i <= n; ++i) visit(sources[i])
  n = split(unit[path], sources, " ")
  for (i = 1; i <= n; ++i) visit(sources[i])
}

BEGIN {
  while ((getline path < ARGV[1]) > 0) {
    name = path
    sub(/[.]in$/, "", name)
    count[name] = 0
    while ((getline line < path) > 0)
      if (line ~ /^#include "/) { split(line, part, "\""); included[name, ++count[name]] = part[2] }
    close(path)
    files[++last] = name
  }
  for (f = 1; f <= last; ++f) {
    source = files[f]
    if (source !~ /[.]cpp$/ || source ~ /^(tests|tutorials\/(app|[0-9]))/) continue  # these belong to programs
    header = source
    sub(/cpp$/, "h", header)
    if (header in count) behind[header] = behind[header] " " source
    else place(source)
  }
  for (f = 1; f <= last; ++f)  # a program's source that others use has a header of its own
    if (files[f] ~ /^tutorials\/(app|[0-9]).*[.]cpp$/) {
      header = files[f]
      sub(/cpp$/, "h", header)
      if (header in count) behind[header] = behind[header] " " files[f]
    }
  while ((getline line < ARGV[2]) > 0) {
    n = split(line, word, " ")
    if (!(word[1] in own)) names = names " " word[1]
    for (w = 2; w <= n; ++w) own[word[1]] = own[word[1]] " " word[w]
  }
  while (ARGC > 4 && (getline line < ARGV[4]) > 0) {
    n = split(line, word, " ")
    for (w = 1; w <= n; ++w) unit[word[w]] = line
  }
  n = split(names, name_of, " ")
  for (i = 1; i <= n; ++i) {
    split("", seen)
    needed = ""
    m = split(own[name_of[i]], root, " ")
    for (w = 1; w <= m; ++w) visit(root[w])
    print "set(closure_" name_of[i] needed ")" >ARGV[3]
  }
  print "set(closure_programs" names ")" >ARGV[3]
}
