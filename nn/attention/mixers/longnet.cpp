#include "nn/attention/mixers/longnet.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "tensor/compare.h"

namespace heed::nn {

LongNetMixer::LongNetMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "longnet", rng), settings(options.settings.as<Settings>()) {}

Tensor LongNetMixer::counts(int64_t T) const {
  const int64_t H = options.heads;
  Tensor c = Tensor::zeros({1, H, T, T}, DType::f64);
  int64_t w = settings.segment, r = 1;
  for (int64_t i = 0; i < settings.branches; ++i, w = std::min(w * settings.ratio, T * settings.ratio)) {
    for (int64_t h = 0; h < H; ++h)
      for (int64_t begin = 0; begin < T; begin += w) {
        const int64_t end = std::min(begin + w, T);
        double* row = c.data<double>() + h * T * T;
        for (int64_t t = begin + h % r; t < end; t += r)
          for (int64_t s = begin + h % r; s < end; s += r) row[t * T + s] += 1;
      }
    r = std::min(r * settings.ratio, T + H);  // so large that a segment keeps one word at most
  }
  return c;
}

Attended LongNetMixer::read(const OwnHeads& h) const {
  const Tensor c = counts(h.x.size(1));
  const Tensor one = Tensor::ones({1}, DType::f64), some = greater(c, 0);
  Variable scores = h.scores() + Variable(log(maximum(c, one)).to(h.x.dtype()));
  return attend(scores, h.v, both(some, h.allowed));
}

}  // namespace heed::nn
