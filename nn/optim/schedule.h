// Learning-rate schedules: functions of the step, counted from 1.
#pragma once

#include <cstdint>

namespace heed::nn {

// Linear from 0 to `peak` over `warmup` steps, then half a cosine down to `floor` at step `total`; `floor` from there
// on.
//   (Loshchilov and Hutter, ICLR 2017, eq. 5, without restarts; warm-up as in Goyal et al. 2017)
struct WarmupCosine {
  double peak = 1e-3;
  int64_t warmup = 0;
  int64_t total = 1;
  double floor = 0;
  double operator()(int64_t step) const;
};

}  // namespace heed::nn
