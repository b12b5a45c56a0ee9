// The page of a league: for each task a table that sorts, the learning curves, and the weights of any two variants side
// by side on one sequence.
#pragma once

#include "tutorials/league/results/rows.h"
#include "tutorials/report/report.h"

namespace heed::league {

const char* introduction();  // what was compared, and how to read it

// reasons: why a variant (by id) does not do better at translation.
report::Report page_of(const std::vector<Results>& results, const std::string& title,
                       const std::map<std::string, std::string>& reasons = {});

}  // namespace heed::league
