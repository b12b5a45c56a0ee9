// The exhibits as a page: wrong and right side by side, or, blind, the wrong side and three suspects first.
#pragma once

#include <vector>

#include "tutorials/museum/museum.h"
#include "tutorials/report/report.h"

namespace heed::museum {

// `blind`: each exhibit hides its answer until the reader has chosen a suspect.
report::Report page_of(const std::vector<Exhibit>& exhibits, bool blind);

}  // namespace heed::museum
