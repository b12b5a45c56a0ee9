// The case table of modules, and the whole table.
//
// A module's row has the kind "module"; its leaves are the input and the parameters (f64). To add one: write a function
// that gives its rows in a file of its own here, and name it in module_cases.cpp.
#pragma once

#include "autograd/cases/cases.h"

namespace heed {

std::vector<CaseRow> module_cases();
std::vector<CaseRow> all_cases();  // operations, then modules

// The families, one file each.
std::vector<CaseRow> layer_cases();
std::vector<CaseRow> recurrent_cases();
std::vector<CaseRow> attention_cases();
std::vector<CaseRow> structure_cases();
std::vector<CaseRow> transformer_cases();
std::vector<CaseRow> sentence_cases();

}  // namespace heed
