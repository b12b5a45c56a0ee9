// Attention to several sources (section 3 of the paper).
//
//   flat          one softmax over the words of all sources, each with a key and a value matrix of its own:
//                   e_ns = v . tanh(W q + U_n k_ns),  w = softmax over n and s,  c = sum_ns w_ns V_n k_ns
//   hierarchical  each source by itself, c_n = sum_s w_ns k_ns, then attention over the N contexts:
//                   f_n = v' . tanh(W' q + U'_n c_n),  b = softmax_n(f),  c = sum_n b_n V_n c_n
//
// Flat attention compares words of different sources directly; hierarchical attention first decides what to read in
// each source and then which source to trust.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/other_keys_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

struct MultiSourceOptions {
  int64_t query;              // Q
  std::vector<int64_t> keys;  // K_n
  int64_t width;              // D, and A
  bool hierarchical = false;
};

struct SourceWords {
  Variable words;       // [B, S_n, K_n]: keys and values
  Tensor allowed = {};  // bool, broadcastable to [B, T, S_n]
};

struct MultiSourceAttended {
  Variable context;               // [B, T, D]
  std::vector<Variable> weights;  // [B, T, S_n]: of all sources together they sum to 1; hierarchical: times b_n
  Variable sources;               // b [B, T, N]; flat: the share of each source
};

struct MultiSourceAttention : Module {
  static constexpr About about{
      .names = {"E26a", "multi_source", "multi-source attention"},
      .formula =
          "flat: one softmax over the words of all sources;  hierarchical: c_n for each source, then softmax_n(v' . "
          "tanh(W' q + U'_n c_n))",
      .paper = {"Libovicky and Helcl, ACL 2017", 2017, 4},
      .idea =
          "A decoder can read the same sentence in two languages, or a text and a picture. In the flat form all words "
          "of all sources compete in one softmax. In the hierarchical form each source is read by itself, and a second "
          "attention weighs the sources.",
      .wrong = "Keys of different encoders are not comparable. Each source needs matrices of its own.",
      .shapes = "q [B, T, Q], sources [B, S_n, K_n] -> [B, T, D], weights [B, T, S_n]",
      .cost = "T sum_n S_n D additions; D (Q + 2 sum_n K_n) parameters, and as many again for hierarchical",
      .own = {"queries_may_be_permuted", "mask_is_minus_infinity", "one_source_is_ordinary_attention",
              "flat_is_one_softmax", "hierarchical_chooses_a_source"},
      .cases = "MultiSourceAttention",
      .more = "for several sources, in C++: models that translate have one",
  };

  using Options = MultiSourceOptions;
  MultiSourceAttention(const Options& o, Generator& rng)
      : options(o), query({.in = o.query, .out = o.width}, rng), v(uniform_parameter({o.width}, o.width, rng)) {
    for (int64_t width : o.keys) {
      key.emplace_back(Linear::Options{.in = width, .out = o.width, .bias = false}, rng);
      value.emplace_back(Linear::Options{.in = width, .out = o.width, .bias = false}, rng);
      if (o.hierarchical) source.emplace_back(Linear::Options{.in = width, .out = o.width, .bias = false}, rng);
    }
    if (!o.hierarchical) return;
    chooser.emplace_back(Linear::Options{.in = o.query, .out = o.width}, rng);
    chooser_v = uniform_parameter({o.width}, o.width, rng);
  }
  // q [B, T, Q], one entry for each source
  MultiSourceAttended operator()(const Variable& q, std::vector<SourceWords> sources) const {
    Call call(*this);
    for (SourceWords& s : sources) s.words = without_unread(s.words, s.allowed);
    MultiSourceAttended seen;
    std::vector<Variable> scores, values, shares;
    for (size_t n = 0; n < sources.size(); ++n) {
      Variable e = additive(query(q), key[n](sources[n].words), v);
      if (sources[n].allowed.defined())
        e = masked_fill(e, logical_not(sources[n].allowed.expand(e.shape())), -INFINITY);
      scores.push_back(e);
    }
    if (!options.hierarchical) {
      for (size_t n = 0; n < sources.size(); ++n) values.push_back(value[n](sources[n].words));
      Attended all = attend(concat(scores, -1), concat(values, 1));
      std::vector<int64_t> sizes;
      for (const SourceWords& s : sources) sizes.push_back(s.words.size(1));
      seen.weights = split(all.weights, sizes, -1);
      for (const Variable& w : seen.weights) shares.push_back(sum(w, {-1}, true));
      return {call.result("context", all.context), seen.weights, concat(shares, -1)};
    }
    Variable asked = chooser[0](q);
    for (size_t n = 0; n < sources.size(); ++n) {
      Attended one = attend(scores[n], sources[n].words);
      seen.weights.push_back(one.weights);
      Variable f = sum(tanh(asked + source[n](one.context)) * chooser_v, {-1}, true);  // [B, T, 1]
      Tensor empty = equal(sum(one.weights, {-1}, true).value(), 0);                   // nothing in it may be read
      shares.push_back(masked_fill(f, empty, -INFINITY));
      values.push_back(value[n](one.context));
    }
    seen.sources = softmax(concat(shares, -1), -1);
    for (size_t n = 0; n < sources.size(); ++n) {
      Variable b = slice(seen.sources, -1, static_cast<int64_t>(n), static_cast<int64_t>(n) + 1);
      seen.context = n == 0 ? b * values[0] : seen.context + b * values[n];
      seen.weights[n] = b * seen.weights[n];
    }
    call.result("context", seen.context);
    return seen;
  }
  void visit(Visitor& visitor) {
    visitor.child("query", query);
    visitor.parameter("v", v);
    auto list = [&](const std::string& name, std::vector<Linear>& maps) {
      for (size_t n = 0; n < maps.size(); ++n) visitor.child(name + "_" + std::to_string(n), maps[n]);
    };
    list("key", key), list("value", value), list("source", source), list("chooser", chooser);
    visitor.parameter("chooser_v", chooser_v);
  }
  Options options;
  Linear query;                            // W
  std::vector<Linear> key, value, source;  // U_n, V_n, U'_n
  std::vector<Linear> chooser;             // W', where hierarchical
  Variable v, chooser_v;                   // v, v' [D]

 private:
  static Variable additive(const Variable& q, const Variable& k, const Variable& v) {
    return sum(tanh(unsqueeze(q, 2) + unsqueeze(k, 1)) * v, {-1});
  }
};

}  // namespace heed::nn
