# A common mistake of an exercise, made of its solution.
#
#   awk -f tutorials/common/edit.awk -v number=2 K_name.mistakes K_name.cpp
#
#   * You divide by all B T positions: divide by the number of targets that are not padding
#   - / std::max(words, 1.0)                 this text, which the solution has once, ..
#   + / static_cast<double>(targets.count()) .. becomes that
#
#   * The gap is still open: the mean runs over all positions, padding included
#   open                                     what the learner begins with; open 2: of the second gap only
#
# A mistake has any number of edits, which are made one after the other. Several lines of - or + are one text; spaces at
# the beginning of lines do not count. Two lines may take the place of the - lines: "body softmax" replaces what is between
# the braces of that function, and "gap 2" all that fills the second gap ("gap": every gap).
function trimmed(line) { sub(/^[ \t]+/, "", line); return line }
function fail(sentence) {
  printf "%s, mistake %d: %s\n", ARGV[1], number, sentence >"/dev/stderr"
  failed = 1
  exit 1
}
FNR == NR {  # the edits of this mistake
  if (/^\* /) { ++mistake; kind = ""; next }
  if (mistake != number || /^$/ || /^#/) { kind = ""; next }
  text = trimmed(substr($0, 2))
  if (/^(open|gap)/) { kind = "gap"; ++edits; gap[edits] = $2 + 0; opened[edits] = $1 == "open"; next }
  if (/^body /) { kind = "body"; body[++edits] = $2; next }
  if (/^-/) {
    if (kind == "-") from[edits] = from[edits] "\n" text
    else { ++edits; from[edits] = text; kind = "-" }
  } else if (/^[+]/) {
    if (kind == "") { fail("+ follows -, body or gap"); }
    to[edits] = edits in to ? to[edits] "\n" text : text
    if (kind == "-") kind = "+"
  } else fail("a line begins with *, -, +, body, gap or open; got \"" $0 "\"")
  next
}
{ solution = solution trimmed($0) "\n" }
# The solution with gap n (0: every gap) filled by the text or, if `open`, by what the learner begins with.
function filled_by(n, text, open,    line, count, i, inside, all, at) {
  count = split(solution, line, "\n")
  for (i = 1; i < count; ++i) {
    if (line[i] ~ /^\/\/ ---- the .*gap/) ++at
    if (line[i] ~ /^\/\/ ---- end of /) inside = 0
    if (open && (n == 0 || n == at) && line[i] ~ /^\/\/ [|]/) sub(/^\/\/ [|] ?/, "", line[i])
    if (!inside) all = all line[i] "\n"
    if (line[i] ~ /^\/\/ ---- filled/ && (n == 0 || n == at)) { inside = 1; if (!open) all = all text "\n" }
  }
  if (n > at) fail("the solution has " at + 0 " gaps")
  return all
}
# The solution with another body of that function.
function with_body(name, text,    at, i, depth, c) {
  at = match(solution, "[^\n]* " name "[(][^;{]*[)]( const)? [{]")
  if (!at) fail("the solution has no function " name)
  at += RLENGTH
  for (i = at; depth >= 0; ++i) {
    c = substr(solution, i, 1)
    depth += (c == "{") - (c == "}")
  }
  return substr(solution, 1, at - 1) "\n" text "\n" substr(solution, i - 1)
}
END {
  if (failed) exit 1
  if (number > mistake) { if (number > 0) fail("there are " mistake + 0); exit 1 }
  if (edits == 0) fail("it has no edit")
  for (e = 1; e <= edits; ++e) {
    if (e in gap) { solution = filled_by(gap[e], to[e], opened[e]); continue }
    while (match(solution, /\/\/ [|][^\n]*\n/))  # what only the learner has
      solution = substr(solution, 1, RSTART - 1) substr(solution, RSTART + RLENGTH)
    if (e in body) { solution = with_body(body[e], to[e]); continue }
    at = index(solution, from[e])
    if (at == 0) fail("the solution does not have: " from[e])
    rest = substr(solution, at + length(from[e]))
    if (index(rest, from[e]) > 0) fail("the solution has more than once: " from[e])
    solution = substr(solution, 1, at - 1) to[e] rest
  }
  printf "%s", solution
}
