# Writes a unit of tests: sources that are compiled together.
#
#   awk -f tests/unit.awk UNIT SOURCE...
#
# Tests of one folder have many names in common, so each source is in a namespace of its own. The headers come before, so
# that the #include lines within the sources have nothing more to do. A source that declares names of heed itself
# (namespace heed {) cannot be part of a unit.
BEGIN { unit = ARGV[1]; ARGV[1] = "" }
/^#include/ && !($0 in seen) { seen[$0] = 1; print >unit }
FNR == 1 { sources[++count] = FILENAME }
END {
  for (i = 1; i <= count; ++i) printf "namespace test_%d {\n#include \"%s\"\n}\n", i, sources[i] >unit
}
