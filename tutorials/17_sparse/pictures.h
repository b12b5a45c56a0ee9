// What a captioner of lesson 16 reads before each word: how many weights are exactly 0, and what the others are.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "tutorials/16_hard_and_soft/training.h"
#include "tutorials/common/show.h"

namespace sparse {

using hard_soft::Captioner;
namespace data = heed::data;

struct Reading {
  double zeros = 0;    // in % of all weights: exactly 0
  double patches = 0;  // with a weight above 0, per word
  double sum = 0;      // of the weights of one word
};
inline Reading reading_of(Captioner& m, const data::PictureTask& task, const std::vector<data::Picture>& pictures) {
  std::vector<int64_t> members(pictures.size());
  std::iota(members.begin(), members.end(), 0);
  heed::nn::set_training(m, false);
  hard_soft::Said said = hard_soft::caption(m, data::picture_batch(task, pictures, members).patches);
  heed::nn::set_training(m, true);
  Reading r;
  double words = 0, all = 0;
  for (size_t t = 0; t < said.weights.size(); ++t)
    for (size_t b = 0; b < pictures.size(); ++b) {
      if (t >= said.words[b].size()) continue;
      ++words;
      for (double w : said.weights[t].select(0, static_cast<int64_t>(b)).contiguous().to_vector()) {
        r.zeros += w == 0, r.patches += w > 0, r.sum += w;
        ++all;
      }
    }
  return {100 * r.zeros / all, r.patches / words, r.sum / words};
}

}  // namespace sparse
