// Exercise 23.2: which row of Shaw's table?
//
//   row(t, s) = clip(s - t, -D, D) + D        t position of the query, s of the key; the table has 2 D + 1 rows
//
// Shaw, Uszkoreit and Vaswani, NAACL 2018, section 3.2.
#pragma once

#include <cstdint>

namespace mine {

int64_t row(int64_t t, int64_t s, int64_t D);

}  // namespace mine
