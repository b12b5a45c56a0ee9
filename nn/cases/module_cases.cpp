#include "nn/cases/cases.h"

namespace heed {
namespace {

using Family = std::vector<CaseRow> (*)();
const std::vector<Family> kFamilies = {layer_cases,  recurrent_cases,  attention_cases,   structure_cases,
                                       memory_cases, other_keys_cases, transformer_cases, sentence_cases,
                                       mixer_cases,  efficient_cases};  // one function per file

}  // namespace

std::vector<CaseRow> module_cases() {
  std::vector<CaseRow> rows;
  for (Family family : kFamilies)
    for (CaseRow& row : family()) rows.push_back(std::move(row));
  return rows;
}

std::vector<CaseRow> all_cases() {
  std::vector<CaseRow> rows = operation_cases();
  for (CaseRow& row : module_cases()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
