// What the abilities of variants show together: statements of papers, each beside the variants whose rows show it and
// those whose rows do not. Nothing is judged by hand: a statement names a task, a verdict and variants, and the rows
// decide.
#pragma once

#include "tutorials/league/results/abilities.h"

namespace heed::league {

struct Statement {
  std::string text, source, task;
  enum Wanted { can, cannot, beyond } wanted;  // beyond: also at twice the largest size of training
  std::vector<std::string> variants;           // of which the paper, or what it says of their kind, speaks
};
const std::vector<Statement>& statements();

struct Answer {
  const Statement* statement;
  std::vector<std::string> shown, not_shown;  // "delta_rule 98": % of the answers right, at the size that is asked for
};
std::vector<Answer> answers(const AbilityResults& results);  // of the statements of which there are rows

}  // namespace heed::league
