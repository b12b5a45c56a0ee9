# Reads the list of faults, checks that it fits the sources, and writes the sources of a build that holds faults.
#
#   awk -v tree=DIR [-v build=N -v to=DIR] -f tests/mutation/plant.awk faults.txt
#
# One build holds all faults that do not overlap: the variable heed_fault says which of them is planted. A fault that overlaps
# one of build 0 goes into build 1, 2, .., with all other faults that still fit. Prints one line per fault: build, number,
# line of the list, file, kind, who reports it and why it is equivalent, with \037 between them. The number depends only on
# the fault, so that a change of the list leaves the other files of a build as they are. A number with a ! has a build of
# its own.
function stop(text) {
  print "mutation: " text >"/dev/stderr"
  bad = 1
  exit
}

# --- the list ---
/^(#|$)/ { next }
/^[a-z0-9_\/]+[.][a-z]+$/ && state % 3 == 0 {
  if ($0 in listed) stop("a file that is listed twice: " $0)
  listed[file = $0] = 1
  next
}
/^[a-z0-9_]+(: .+)?$/ && state % 3 == 0 && file {
  state = 1
  line[++n] = FNR
  place[n] = file
  kind[n] = $0
  sub(/:.*/, "", kind[n])
  who[n] = substr($0, length(kind[n]) + 3)
  next
}
/^< / && state == 1 { state = 2; right[n] = substr($0, 3); next }
/^>>? / && state == 2 { state = 3; alone[n] = /^>> /; wrong[n] = substr($0, alone[n] ? 4 : 3); next }
/^= / && state == 3 { reason[n] = substr($0, 3); next }
{ stop("not a file, a kind and who reports it, < code, > fault or = reason, in this order: " $0) }

END {
  if (bad) exit 2
  if (state % 3) { print "mutation: the list ends within a fault: " kind[n] >"/dev/stderr"; exit 2 }
  for (i = 1; i < 256; ++i) order[sprintf("%c", i)] = i
  for (i = 1; i <= n; ++i) place_fault(i)
  if (bad) exit 2
  for (i = 1; i <= n; ++i)
    if (!alone[i]) while (overlap(i, in_build[i])) builds = (++in_build[i] > builds) ? in_build[i] : builds
  for (i = 1; i <= n; ++i)
    if (alone[i]) in_build[i] = ++builds
  if (to) write_build()
  else for (i = 1; i <= n; ++i)
    printf "%d\037%d%s\037%d\037%s\037%s\037%s\037%s\n", in_build[i], number[i], alone[i] ? "!" : "", line[i], place[i], kind[i], who[i], reason[i]
}

function complain(text) { print "mutation: " text >"/dev/stderr"; bad = 1 }
function place_fault(i,    code, text) {
  if (place[i] != loaded) load(place[i])
  text = texts[loaded]
  code = right[i]
  begin[i] = index(text, code)
  end[i] = begin[i] + length(code) - 1
  number[i] = hash(loaded "\n" code "\n" wrong[i])
  if (!begin[i] || index(substr(text, begin[i] + 1), code))
    return complain("the code must occur exactly once in " loaded ": " code)
  if (code == wrong[i] || number[i] in seen)
    return complain("a fault that is none, or that is listed twice, in " loaded ": " code)
  seen[number[i]] = 1
  on = "heed_fault == " number[i]
  put[i] = wrong[i]
  if (alone[i]) return
  if (!gsub(/FAULT/, "(" on ")", put[i]) && !switch_between(i))
    complain("no place for a condition; write it (FAULT), or >> for a build of its own, in " loaded ": " code)
}
function hash(text,    h, i) {
  for (i = 1; i <= length(text); ++i) h = (h * 31 + order[substr(text, i, 1)]) % 2147483647
  return h + 1
}
function load(path,    name, got, row) {
  loaded = path
  N = row = 0
  if (path in texts) delete texts[path]
  name = tree "/" path
  while ((got = (getline row <name)) > 0) {
    tokens(row, length(texts[path]))
    texts[path] = texts[path] row "\n"
  }
  close(name)
  if (got < 0) { print "mutation: there is no file " path >"/dev/stderr"; exit 2 }
}

# --- where a condition can stand ---
# tokens(text, before): appends those of a line to T, with the places where they begin and end in P and E.
function tokens(text, before,    at, rest) {
  for (at = 1; at <= length(text); at += RLENGTH) {
    rest = substr(text, at)
    if (match(rest, /^([ \t]+|\/\/.*|\/[*].*[*]\/)/)) continue
    if (!match(rest, /^("([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_][A-Za-z_0-9]*|[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?[A-Za-z0-9_']*)/))
      match(rest, /^(->|::|[+][+]|--|&&|[|][|]|[-+*\/%&|^=!<>]=|.)/)
    T[++N] = substr(rest, 1, RLENGTH)
    P[N] = before + at
    E[N] = before + at + RLENGTH - 1
  }
}
# Walks over tokens: depth of brackets is the last, least the smallest, parts the , and ; outside of them.
function walk(list, from, to,    i, t) {
  for (i = from; i <= to; ++i) {
    t = list[i]
    if (t ~ /^[({[]$/) ++depth
    else if (t ~ /^[])}]$/ && --depth < least) least = depth
    else if (depth == 0 && t ~ /^[,;]$/) parts = parts t
    if (!first) first = t
  }
}
function opener(i,    d) {  # the bracket that is open before token i
  for (; i > 0; --i) {
    if (T[i] ~ /^[])}]$/) ++d
    else if (T[i] ~ /^[({[]$/ && --d < 0) return i
  }
  return 0
}
function after_control(i) { return T[i] == ")" && T[opener(i - 1) - 1] ~ /^(if|for|while|switch|constexpr)$/ }
function statement_starts(i) {  # at token i + 1
  return (T[i] ~ /^([;{}]|else|do)$/ || after_control(i)) && T[opener(i)] !~ /^[[(]$/
}
function expression_starts(i) {  # at token i + 1, and nothing to its left belongs to it
  return T[i] ~ /^([({[,;]|=|[-+*\/%&|^]=|return|else|throw|do)$/ || after_control(i) || (T[i] == "}" && T[i + 1] ~ /^([A-Za-z_*(].*|[+][+]|--)$/)
}
# The smallest expression, or else the statement, that holds all that differs becomes a choice between two.
function switch_between(i,    text, own, k, lo, hi, p, s, a, b, j, same, was, now, statement, one, two) {
  text = texts[loaded]
  own = N
  tokens(wrong[i], 0)
  k = N - own
  for (j = 1; j <= k; ++j) W[j] = T[own + j]
  N = own
  for (lo = 1; P[lo] < begin[i]; ++lo) continue
  for (hi = lo - 1; hi < N && E[hi + 1] <= end[i]; ++hi) continue
  for (p = 0; p <= hi - lo && p < k && T[lo + p] == W[p + 1]; ++p) continue
  for (s = 0; s <= hi - lo - p && s < k - p && T[hi - s] == W[k - s]; ++s) continue
  a = lo + p
  b = hi - s
  for (;;) {
    if (a < 2 || b >= N) return 0
    # One expression or statement in both texts: its brackets close, and it ends where its neighbours begin.
    depth = least = 0
    first = parts = ""
    walk(T, a, b)
    one = first
    was = depth
    depth = 0
    first = ""
    walk(T, a, lo + p - 1)
    walk(W, p + 1, k - s)
    walk(T, hi - s + 1, b)
    two = first
    if (least < 0) --a
    else if (was > 0 || depth > 0) ++b
    else if (!expression_starts(a - 1)) --a
    else if (T[b + 1] !~ /^[])},;]$/) ++b
    else if (parts ~ /;/) return 0
    else if (statement_starts(a - 1) && T[b + 1] == ";") {
      statement = 1
      for (j = a; T[j + 1] == "::"; j += 2) continue
      if (one !~ /^(if|for|while|return|break|continue|[+][+]|--|[*])$/ && T[j + 1] !~ /^([.([;]|->|[+][+]|--|[-+*\/%&|^]?=)$/) return 0
      break
    } else if (parts || one == "" || two == "" || one ~ /^[.{]$/ || two ~ /^[.{]$/) { --a; ++b }
    else break
  }
  begin_a = P[a]
  end_b = E[b]
  was = a > b ? "" : substr(text, begin_a, end_b - begin_a + 1)
  now = begin_a > begin[i] ? substr(wrong[i], begin_a - begin[i] + 1) : substr(text, begin_a, begin[i] - begin_a) wrong[i]
  now = end_b < end[i] ? substr(now, 1, length(now) - (end[i] - end_b)) : now substr(text, end[i] + 1, end_b - end[i])
  same = substr(text, 1, begin_a - 1) now substr(text, end_b + 1)
  if (same != substr(text, 1, begin[i] - 1) wrong[i] substr(text, end[i] + 1)) return 0
  put[i] = statement ? "if (" on ") {" now ";} else {" was ";}" : "(" on " ? (" now ") : (" was "))"
  begin[i] = begin_a
  end[i] = statement ? E[b + 1] : end_b
  return 1
}

# --- the builds ---
function overlap(i, build,    j) {  # of a fault with those of a build that come before it
  for (j = 1; j < i; ++j)
    if (in_build[j] == build && !alone[j] && place[j] == place[i] && begin[j] <= end[i] && begin[i] <= end[j]) return 1
  return 0
}
function held(i,    j) {  # whether the build has the fault
  if (in_build[i] == build) return 1
  if (in_build[i]) return 0
  for (j = 1; j <= n; ++j)
    if (in_build[j] == build && place[j] == place[i] && begin[j] <= end[i] && begin[i] <= end[j]) return 0
  return 1
}
function write_build(    i, j, k, from, name) {
  for (i = 1; i <= n; i = j) {
    for (j = i; j <= n && place[j] == place[i]; ++j) rank[j] = j
    for (k = i; k < j; ++k)  # in the order of the text
      for (from = k; from > i && begin[rank[from]] < begin[rank[from - 1]]; --from) {
        name = rank[from]
        rank[from] = rank[from - 1]
        rank[from - 1] = name
      }
    name = to "/" place[i]
    # What a fault calls may not be included.
    printf "%sextern int heed_fault;\n#line 1\n", (place[i] ~ /^nn\//) ? "#include \"autograd/ops.h\"\n" : "" >name
    from = 1
    for (k = i; k < j; ++k)
      if (held(rank[k])) {
        printf "%s%s", substr(texts[place[i]], from, begin[rank[k]] - from), put[rank[k]] >name
        from = end[rank[k]] + 1
      }
    printf "%s", substr(texts[place[i]], from) >name
    close(name)
  }
}
