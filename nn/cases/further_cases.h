// A part of memory_cases() (memory_cases.cpp).
#pragma once

#include "nn/cases/cases.h"

namespace heed {

std::vector<CaseRow> further_cases();

}  // namespace heed
