// What the heads of a decoder do, measured on texts of two rounds: <s> w_1 .. w_L w_1 .. w_L.
//
//   loss        mean of -log p of the words that are known, those from the second of the second round on
//   place +d    mean weight of a head, asked by a word of the second round, on the place d words after where the same
//               word stood in the first round. An induction head in the textbook has its weight at +1, on the word
//               that came next (Olsson et al., 2022)
//   back d      mean weight on the word d places back
//
// A head is switched off by a factor of 0 for its output, before the output projection.
#pragma once

#include <cmath>

#include "tensor/reduce.h"
#include "tutorials/35_inside/model.h"

namespace inside {

constexpr int64_t kFurthest = 11;  // places that are looked at; rounds have at least 12 words

struct HeadPlaces {
  int64_t layer = 0, head = 0;
  std::vector<double> after = {}, back = {};  // [kFurthest + 1]: weight at +d, and d back
  double first = 0, even = 0;                 // on <s>, and what it would be if all places had the same weight
  int64_t best() const { return std::max_element(after.begin(), after.end()) - after.begin(); }
  int64_t best_back() const { return std::max_element(back.begin(), back.end()) - back.begin(); }
};

struct Rounds {  // the texts that are asked
  std::vector<Ids> texts;
  int64_t L = 0;
};
inline Rounds rounds_of(const Ids& words, int64_t begin, int64_t L, int64_t count, uint64_t seed) {
  Generator rng(seed, 1 << 22);
  Rounds out{.texts = {}, .L = L};
  for (int64_t i = 0; i < count; ++i) out.texts.push_back(repeated(words, begin, L, rng));
  return out;
}

using Off = std::vector<std::pair<int64_t, int64_t>>;  // layer and head

inline nn::published::Wanted without(const Model& model, const Off& off) {
  nn::published::Wanted wanted;
  const auto& blocks = model.decoder->options.blocks;
  if (!off.empty()) wanted.decoder.resize(model.decoder->options.depth());
  for (auto [layer, head] : off) {
    Variable& factor = wanted.decoder[static_cast<size_t>(layer)];
    if (!factor.defined()) factor = Variable(Tensor::ones({blocks.front().heads}));
    Tensor(factor.value()).set({head}, 0);
  }
  return wanted;
}

// hidden: the place of a word that no other may read, or -1. `from`: the first place whose next word counts; -1: L + 1,
// the first that is known.
inline double loss_of(const Model& model, const Rounds& r, const Off& off = {}, int64_t hidden = -1,
                      int64_t from = -1) {
  NoGrad guard;
  const Tensor ids = rows_of(r.texts);
  const int64_t B = ids.size(0), T = ids.size(1);
  nn::published::Inputs in{.ids = ids};
  if (hidden >= 0) {
    in.mask = Tensor::ones({B, T}, heed::DType::boolean);
    for (int64_t b = 0; b < B; ++b) in.mask.data<bool>()[b * T + hidden] = false;
  }
  const Variable logits = model.logits("next_word", model.read(in, without(model, off)));
  const Tensor log_p = log_softmax(logits, -1).value().contiguous();
  const int64_t V = log_p.size(2);
  double sum = 0, n = 0;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = from < 0 ? r.L + 1 : from; t + 1 < T; ++t, ++n)
      sum -= log_p.data<float>()[(b * T + t) * V + r.texts[static_cast<size_t>(b)][static_cast<size_t>(t) + 1]];
  return sum / n;
}

inline std::vector<HeadPlaces> places_of(const Model& model, const Rounds& r) {
  NoGrad guard;
  const nn::published::Answer seen = model.read({.ids = rows_of(r.texts)}, {.weights = true});
  std::vector<HeadPlaces> out;
  for (size_t layer = 0; layer < seen.decoder.attentions.size(); ++layer) {
    const Tensor w = seen.decoder.attentions[layer].value().to(heed::DType::f32).contiguous();  // [B, H, T, T]
    const int64_t B = w.size(0), H = w.size(1), T = w.size(2);
    for (int64_t h = 0; h < H; ++h) {
      HeadPlaces one{.layer = static_cast<int64_t>(layer), .head = h};
      const int64_t begin = std::max(r.L + 1, kFurthest), asked = T - begin;
      const double share = 1.0 / static_cast<double>(B * asked);
      for (int64_t d = 0; d <= std::max(kFurthest, r.L - 1); ++d) {
        double after = 0, back = 0;
        for (int64_t b = 0; b < B; ++b)
          for (int64_t t = begin; t < T; ++t) {
            const float* row = w.data<float>() + ((b * H + h) * T + t) * T;
            if (d < r.L) after += share * row[t - r.L + d];
            back += share * row[t - d];
            if (d == 0) one.first += share * row[0], one.even += share / static_cast<double>(t + 1);
          }
        one.after.push_back(after), one.back.push_back(back);
      }
      out.push_back(one);
    }
  }
  return out;
}

// After each layer, the mean probability that the head of words gives to the right next word: with the final norm
// first, as the model does, and without it.
struct Lens {
  std::vector<double> with_norm, without_norm;
};
inline Lens lens_of(const Model& model, const Rounds& r) {
  NoGrad guard;
  const nn::published::Answer seen = model.read({.ids = rows_of(r.texts)});
  const nn::published::Head& words = *model.head("next_word");
  const auto& hidden = seen.decoder.hidden;
  Lens out;
  auto right = [&](const Variable& x) {  // [B, T, D]
    const Tensor p = softmax(words(x), -1).value().contiguous();
    const int64_t B = p.size(0), T = p.size(1), V = p.size(2);
    double sum = 0, n = 0;
    for (int64_t b = 0; b < B; ++b)
      for (int64_t t = r.L + 1; t + 1 < T; ++t, ++n)
        sum += p.data<float>()[(b * T + t) * V + r.texts[static_cast<size_t>(b)][static_cast<size_t>(t) + 1]];
    return sum / n;
  };
  const Model& m = model;
  for (size_t layer = 0; layer + 1 < hidden.size(); ++layer) {  // the last one has its norm already
    out.with_norm.push_back(right((*m.decoder->final_norm)(hidden[layer])));
    out.without_norm.push_back(right(hidden[layer]));
  }
  out.with_norm.push_back(right(hidden.back()));
  out.without_norm.push_back(NAN);
  return out;
}

}  // namespace inside
