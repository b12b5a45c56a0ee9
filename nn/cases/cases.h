// The case table of the modules, and the table of all cases.
//
// The row of a module has the kind "module"; its leaves are the input and the parameters (f64). To add a module, write
// a function that returns its rows, in a file of its own in this folder, and add it to module_cases.cpp.
#pragma once

#include "autograd/cases/cases.h"

namespace heed {

std::vector<CaseRow> module_cases();
std::vector<CaseRow> all_cases();  // operations, then modules

// The families, one file for each.
std::vector<CaseRow> layer_cases();
std::vector<CaseRow> recurrent_cases();
std::vector<CaseRow> attention_cases();
std::vector<CaseRow> structure_cases();
std::vector<CaseRow> memory_cases();
std::vector<CaseRow> other_keys_cases();
std::vector<CaseRow> transformer_cases();
std::vector<CaseRow> sentence_cases();
std::vector<CaseRow> mixer_cases();
std::vector<CaseRow> efficient_cases();

}  // namespace heed
