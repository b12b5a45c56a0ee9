// The memory of a decoder for T earlier words, in bytes per layer: by formula, and as the memories of the library count
// it after T words have been appended one by one.
//
//   heads       every head has its own keys and values        4 T H 2 K
//   groups      G heads of keys and values for H of queries   4 T G 2 K       grouped-query attention
//   one group   one for all                                   4 T 2 K         multi-query attention
//   ring        the last W words only                         4 (W + 1) H 2 K: the new word sees W others
//   latent      one row of r numbers, widened when read       4 T r           as in DeepSeek-V2
//   state       of linear attention: no words at all          4 H (K (K + 2) + 2 K + 1): sums, and the last word
//
// H heads, G groups, K width of a head. f32: 4 bytes a number.
#pragma once

#include "nn/attention/memories/latent.h"
#include "tutorials/28_efficient/ways.h"

namespace efficient {

struct CacheSizes {
  int64_t words = 512, heads = 8, groups = 2, width = 32, window = 64, latent = 64;
};
struct Kept {
  std::string name;
  double formula = 0, measured = 0, per_word = 0;  // per_word: bytes that one more word adds
};

// After T words, each projected and appended as in decoding.
inline std::unique_ptr<nn::AttentionMemory> filled(const CacheSizes& c, int64_t groups, const std::string& scope,
                                                   const std::string& evaluator, int64_t words) {
  heed::Generator rng(1);
  nn::MultiHeadAttention layer(
      {.model = c.heads * c.width,
       .heads = c.heads,
       .scope = nn::stage_from(nn::Kind::scope, scope),
       .kv_heads = groups,
       .evaluator = evaluator.empty() ? nn::EvaluatorOptions{} : nn::stage_from(nn::Kind::evaluator, evaluator)},
      rng);
  auto memory = layer.memory();
  const Tensor x = heed::nn::init::normal({1, words, c.heads * c.width}, rng);
  for (int64_t t = 0; t < words; ++t) layer.extend(Variable(x.slice(1, t, t + 1).contiguous()), *memory);
  return memory;
}
inline double latent_bytes(const CacheSizes& c, int64_t words) {
  heed::Generator rng(1);
  const Tensor up = heed::nn::init::normal({c.latent, c.heads * c.width}, rng);
  nn::LatentMemory memory{Variable(up), Variable(up), c.heads};
  for (int64_t t = 0; t < words; ++t) {
    Tensor row = heed::nn::init::normal({1, 1, 1, c.latent}, rng);
    memory.append({Variable(row), {}});
  }
  return static_cast<double>(memory.bytes());
}

inline std::vector<Kept> all_caches(const CacheSizes& c) {
  auto bytes = [&](int64_t groups, const std::string& scope, const std::string& evaluator, int64_t words) {
    return static_cast<double>(filled(c, groups, scope, evaluator, words)->bytes());
  };
  auto T = static_cast<double>(c.words), H = static_cast<double>(c.heads), G = static_cast<double>(c.groups),
       K = static_cast<double>(c.width), W = static_cast<double>(c.window), r = static_cast<double>(c.latent);
  const std::string window = "causal&window:" + std::to_string(c.window);
  std::vector<Kept> all;
  auto add = [&](const std::string& name, double formula, const std::function<double(int64_t)>& measure) {
    double here = measure(c.words);
    all.push_back({name, formula, here, here - measure(c.words - 1)});
  };
  add("heads", 4 * T * H * 2 * K, [&](int64_t n) { return bytes(c.heads, "causal", "", n); });
  add("groups", 4 * T * G * 2 * K, [&](int64_t n) { return bytes(c.groups, "causal", "", n); });
  add("one group", 4 * T * 2 * K, [&](int64_t n) { return bytes(1, "causal", "", n); });
  add("latent", 4 * T * r, [&](int64_t n) { return latent_bytes(c, n); });
  add("ring", 4 * (W + 1) * H * 2 * K, [&](int64_t n) { return bytes(c.heads, window, "", n); });
  add("state", 4 * H * (K * (K + 2) + 2 * K + 1), [&](int64_t n) { return bytes(c.heads, "causal", "linear", n); });
  std::vector<std::string> names = nn::stage_names(nn::Kind::evaluator);
  if (std::ranges::find(names, "paged") != names.end()) {  // as heads, in whole blocks of 16 words
    const double block = 16;
    add("paged", 4 * std::ceil(T / block) * block * H * 2 * K,
        [&](int64_t n) { return bytes(c.heads, "causal", "paged:16", n); });
  }
  return all;
}

}  // namespace efficient
