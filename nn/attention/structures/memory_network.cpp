#include "nn/attention/structures/memory_network.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/padding.h"
#include "nn/pool.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// The number of sentences with words after each sentence: exists bool [B, M] -> i64 [B, M]
Tensor ages_of(const Tensor& exists) {
  int64_t B = exists.size(0), M = exists.size(1);
  std::vector<double> there = exists.to_vector();
  std::vector<int64_t> age(there.size(), 0);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t i = M - 2, after = 0; i >= 0; --i) {
      after += there[static_cast<size_t>(b * M + i + 1)] != 0;
      age[static_cast<size_t>(b * M + i)] = after;
    }
  return Tensor::from(age, {B, M});
}

}  // namespace

Attended memory_read(const Variable& u, const Variable& m, const Variable& c, const Tensor& allowed) {
  return attend(matmul(u, transpose(without_unread(m, allowed), 1, 2)), c, allowed);
}

MemoryNetwork::MemoryNetwork(const Options& o, Generator& rng) : options(o) {
  if (o.hops < 1 || o.sentences < 0)
    throw ValueError(
        fmt::format("MemoryNetwork: needs at least one hop and no negative number of sentences; got {} and {}", o.hops,
                    o.sentences));
  int64_t readers = o.layer_wise ? 2 : o.hops + 1;  // tables that read sentences; layer_wise has one for questions too
  for (int64_t i = 0; i < readers + o.layer_wise; ++i)
    tables.emplace_back(Embedding::Options{.vocabulary = o.vocabulary, .width = o.width, .padding = 0, .std = 0.1},
                        rng);
  for (int64_t i = 0; o.sentences > 0 && i < readers; ++i)
    ages.push_back(normal_parameter({o.sentences, o.width}, 0.1, rng));
  if (!o.layer_wise) return;
  between.emplace(Linear::Options{.in = o.width, .out = o.width, .bias = false}, rng);
  answer.emplace(Linear::Options{.in = o.width, .out = o.vocabulary, .bias = false}, rng);
}

Variable MemoryNetwork::sentences(size_t table, const Tensor& ids) const {
  Tensor rows = ids.reshape({-1, ids.size(-1)});
  Variable one = pool(options.bag ? "sum" : "position_encoding", tables[table](rows), not_equal(rows, 0));
  return ids.rank() == 2 ? one : reshape(one, {ids.size(0), ids.size(1), options.width});
}

MemoryAnswer MemoryNetwork::operator()(const Tensor& story, const Tensor& question) const {
  Call call(*this);
  if (!ages.empty() && story.size(1) > options.sentences)
    throw ValueError(fmt::format("MemoryNetwork: a story must have at most {} sentences; got {}; hint: .sentences",
                                 options.sentences, story.size(1)));
  Tensor exists = not_equal(amax(story, {-1}), 0), age = ages.empty() ? Tensor() : ages_of(exists);
  auto memory = [&](int64_t table) {
    Variable read = sentences(static_cast<size_t>(table), story);
    return age.defined() ? read + index_select(ages[static_cast<size_t>(table)], age) : read;
  };
  Variable u = unsqueeze(sentences(options.layer_wise ? 2 : 0, question), 1);  // [B, 1, D]
  Variable keys = memory(0), values;
  std::vector<Variable> weights;
  for (int64_t k = 0; k < options.hops; ++k) {
    if (!options.layer_wise && k > 0) keys = values;  // adjacent tying
    if (!options.layer_wise || k == 0) values = memory(options.layer_wise ? 1 : k + 1);
    Attended seen = memory_read(u, keys, values, exists.unsqueeze(1));
    u = (between ? (*between)(u) : u) + seen.context;  // between: layer_wise only
    weights.push_back(seen.weights);
  }
  Variable state = call.result("output", squeeze(u, 1));
  Variable logits = answer ? (*answer)(state) : linear(state, tables.back().weight, {});
  return {logits, state, call.result("weights", concat(weights, 1))};
}

void MemoryNetwork::visit(Visitor& v) {
  for (size_t i = 0; i < tables.size(); ++i) v.child(fmt::format("table_{}", i), tables[i]);
  for (size_t i = 0; i < ages.size(); ++i) v.parameter(fmt::format("age_{}", i), ages[i]);
  if (between) v.child("between", *between), v.child("answer", *answer);
}

}  // namespace heed::nn
