# What the learner gets of a solution, and what --solution shows of it.
#
#   awk -f tutorials/common/cut.awk [-v show=1] tutorials/NN_name/exercises/K_name.cpp
#
#     // ---- the gap: the mean over all positions, padding included ----
#     // | return mean(losses);                          the learner begins with this
#     // ---- filled: the mean over the words ----       the learner's copy ends here ..
#     return sum(kept) / words;
#     // ---- end of the gap ----                        .. and goes on here
#
# "// | " may be before any line that only the learner has. show=1: the solution, without these lines and the gap's mark.
/^ *\/\/ ---- filled/ && !show { filled = 1 }
/^ *\/\/ ---- end of / { filled = 0 }
/^ *\/\/ ---- the .*gap/ && show { next }
/^ *\/\/ [|]/ {
  if (show) next
  sub(/\/\/ [|] ?/, "")
  sub(/^ +$/, "")
}
!filled
