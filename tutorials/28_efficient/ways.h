// The ways to compute self-attention that are compared, each as one layer x [1, T, D] -> [1, T, D] with one head and
// the same projections. Every evaluator of the registry takes part (nn/attention/evaluators/all.cpp) that needs no
// training and differs from dense attention in what it computes or stores; beside them a window, and two layers that
// read fewer keys.
#pragma once

#include <functional>
#include <memory>

#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/mixers/linformer.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/attention/scopes/masks_by_place.h"
#include "nn/attention/structures/multi_head.h"
#include "tutorials/28_efficient/inputs.h"

namespace efficient {

namespace nn = heed::nn;

struct Sizes {
  int64_t width = 32, window = 64, rank = 64, chunk = 32;
};

using Layer = std::function<Tensor(const Tensor& x)>;  // [1, T, D] -> [1, T, D]
struct Way {
  std::string name;
  bool same_function;   // as dense, up to rounding?
  int64_t projections;  // number of projections, D^2 multiply-adds per word each
  std::function<Layer(const Words&)> make;
  std::function<Layer(const Words&)> exact = {};  // the layer that it approximates; empty: dense
};

// Multi-head attention with one head, where the projections are given and the output projection is the identity.
inline Layer attention(const Words& w, const nn::EvaluatorOptions& evaluator, const nn::ScopeOptions& scope = {}) {
  heed::Generator rng(1);
  const int64_t D = w.x.size(2);
  auto layer = std::make_shared<nn::MultiHeadAttention>(
      nn::MultiHeadOptions{.model = D, .heads = 1, .bias = false, .scope = scope, .evaluator = evaluator}, rng);
  layer->in_proj_weight.set_value(heed::concat({w.query, w.key, w.value}, 0));
  layer->out_proj.weight.set_value(Tensor::eye(D));
  return [layer](const Tensor& x) { return (*layer)(Variable(x)).output.value(); };
}

inline Layer linformer(const Words& w, int64_t rank) {
  heed::Generator rng(1);
  const int64_t D = w.x.size(2);
  auto mixer = std::make_shared<nn::LinformerMixer>(
      nn::chosen<nn::LinformerMixer>({.rank = rank, .max_source = 16384}, {.query = D, .key = D}), rng);
  nn::FourProjections& p = mixer->projections;
  p.q_proj.weight.set_value(w.query), p.k_proj.weight.set_value(w.key), p.v_proj.weight.set_value(w.value);
  p.out_proj.weight.set_value(Tensor::eye(D));
  for (nn::Linear* l : {&p.q_proj, &p.k_proj, &p.v_proj, &p.out_proj}) l->bias.set_value(Tensor::zeros({D}));
  return [mixer](const Tensor& x) { return (*mixer)(Variable(x), {}).output.value(); };
}

// Queries and keys share a projection; keys have length 1, so the queries are longer by sqrt(D), and the scores have
// the standard deviation beta again. Without directions there is one bucket: with one chunk, no word is left out.
inline Layer reformer(const Words& w, double beta, int64_t chunk, int64_t directions) {
  heed::Generator rng(1);
  const int64_t D = w.x.size(2);
  auto mixer = std::make_shared<nn::ReformerMixer>(
      nn::chosen<nn::ReformerMixer>({.chunk = chunk, .directions = directions, .rounds = directions > 0 ? 2 : 1},
                                    {.query = D, .key = D}),
      rng);
  mixer->qk_proj.weight.set_value(mul(w.key, beta * std::sqrt(static_cast<double>(D))));
  mixer->v_proj.weight.set_value(w.value), mixer->out_proj.weight.set_value(Tensor::eye(D));
  for (nn::Linear* l : {&mixer->qk_proj, &mixer->v_proj, &mixer->out_proj}) l->bias.set_value(Tensor::zeros({D}));
  return [mixer](const Tensor& x) { return (*mixer)(Variable(x), {}).output.value(); };
}

inline std::vector<Way> all_ways(const Sizes& s, double beta) {
  std::vector<Way> ways;
  heed::Generator rng(1);
  for (const std::string& name : nn::stage_names(nn::Kind::evaluator)) {
    if (name == "auto" || name == "differential") continue;  // one of the others; another formula
    if (name == "streaming" || name == "heavy_hitters" || name == "snapkv") continue;  // dense, except for the cache
    if (name == "hedgehog" || name == "hyper_attention")
      continue;  // learns its features; saves nothing in this library
    nn::EvaluatorOptions o{.name = name, .query = s.width, .key = s.width};
    const bool exact = nn::make_evaluator(nn::completed_stage(nn::Kind::evaluator, o), rng)->exact();
    const auto& settings = nn::stage_entry(nn::Kind::evaluator, name).settings;
    const bool bounded = std::ranges::any_of(settings, [](const nn::OptionField& x) { return x.name == "longest"; });
    ways.push_back({name, exact, 4, [name, bounded](const Words& w) {
                      nn::EvaluatorOptions chosen{.name = name};
                      if (bounded) chosen.settings["longest"] = static_cast<double>(w.x.size(1));
                      return attention(w, chosen);
                    }});
  }
  ways.push_back({"window", false, 4, [s](const Words& w) {
                    return attention(w, {.name = "tiled"}, nn::chosen<nn::WindowScope>({.window = s.window}));
                  }});
  ways.push_back({"linformer", false, 4, [s](const Words& w) { return linformer(w, s.rank); }});
  ways.push_back({"reformer", false, 3, [s, beta](const Words& w) { return reformer(w, beta, s.chunk, 8); },
                  [beta](const Words& w) { return reformer(w, beta, w.x.size(1), 0); }});
  return ways;
}

}  // namespace efficient
