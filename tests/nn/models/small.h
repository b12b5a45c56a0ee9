// Options of a small recurrent paper M.
#pragma once

#include <cstdint>

namespace heed::nn_test {

template <class M>
typename M::Options small_paper(int64_t source, int64_t target, int64_t embedding = 5, int64_t hidden = 6,
                                double dropout = 0) {
  typename M::Options o;
  o.source = {source, embedding}, o.target = {target, embedding};
  o.encoder.hidden = o.decoder.hidden = hidden, o.dropout = dropout;
  return o;
}

}  // namespace heed::nn_test
