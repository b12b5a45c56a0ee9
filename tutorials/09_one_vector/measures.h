// What the lesson measures apart from right answers: which symbols an output depends on, the attention weights, and
// what padding changes.
#pragma once

#include "tensor/indexing.h"
#include "tutorials/09_one_vector/train.h"

namespace onevector {

// Which symbols each output depends on: the norm of d annotation_t / d x_s, [S, S]. A row is an output.
inline Tensor hearing(const nn::GRU& layer, int64_t S, heed::Generator& rng) {
  Variable x(Tensor::normal({1, S, layer.options.input}, rng), Variable::kRequiresGrad);
  Variable annotations = layer(x).annotations;
  std::vector<Tensor> rows;
  for (int64_t t = 0; t < S; ++t) {
    Variable slope = heed::grad({sum(select(annotations, 1, t))}, {x}, {.retain_graph = true})[0];  // [1, S, E]
    rows.push_back(norm(slope, 2, {2}).value().select(0, 0));
  }
  Tensor all = heed::stack(rows, 0);
  return all.to(heed::DType::f64);
}
// The number of symbols on which output t depends.
inline int64_t heard_by(const Tensor& hears, int64_t t) {
  int64_t count = 0;
  for (double h : hears.select(0, t).to_vector()) count += h > 0;
  return count;
}

// How often the most frequent value of the sequence is the answer, in %; of equally frequent values, the first.
inline double most_frequent(const std::vector<data::QueryExample>& examples, int64_t values) {
  int64_t right = 0;
  for (const data::QueryExample& e : examples) {
    std::vector<int64_t> count(static_cast<size_t>(values));
    for (int64_t v : e.values) ++count[static_cast<size_t>(v)];
    int64_t best = e.values[0];
    for (int64_t v : e.values)
      if (count[static_cast<size_t>(v)] > count[static_cast<size_t>(best)]) best = v;
    right += best == e.answer();
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(examples.size());
}

// The attention weights when each key of one sequence is asked: [questions, symbols].
inline Tensor looks(const Reader& reader, const data::QueryTask& task, data::QueryExample example) {
  heed::NoGrad guard;
  std::vector<data::QueryExample> all;
  for (size_t i = 0; i < example.keys.size(); ++i) {
    example.asked = static_cast<int64_t>(i);
    all.push_back(example);
  }
  data::QueryBatch b = all_of(task, all);
  return reader(b.sequence, b.lengths, b.query).weights.value().select(1, 0);
}

// ---- the same sequences alone and in a padded batch: does any bit of the result change? -----------------------------
enum class Fault { none, no_lengths };  // no_lengths: the layer reads the padding as if it were symbols

struct Comparison {
  int64_t logits = 0, differing = 0;                      // number of logits; number of logits with a changed bit
  double largest = 0;                                     // change of a logit
  double answers = 0, right_alone = 0, right_padded = 0;  // in %
};

// ids [B, S], filled up with 0 to `places` positions.
inline Tensor padded_to(const Tensor& sequence, int64_t places) {
  if (sequence.size(1) == places) return sequence;
  Tensor behind = Tensor::zeros({sequence.size(0), places - sequence.size(1)}, heed::DType::i64);
  return heed::concat(std::vector<Tensor>{sequence, behind}, 1);
}

inline Comparison compare_padding(const Reader& reader, const data::QueryTask& task, Fault fault) {
  heed::NoGrad guard;
  const auto count = std::ssize(task.test);
  data::QueryBatch batch = all_of(task, task.test);
  int64_t places = 2 * batch.sequence.size(1);
  auto read = [&](const data::QueryBatch& b, int64_t width) {
    Tensor sequence = padded_to(b.sequence, width);
    if (fault == Fault::none) return reader(sequence, b.lengths, b.query).logits.value();
    return reader.read_padding(sequence, b.lengths, b.query).logits.value();
  };
  Tensor together = read(batch, places), labels = batch.labels;
  Comparison c{.logits = together.count()};
  for (int64_t i = 0; i < count; ++i) {
    data::QueryBatch one = query_batch(task, task.test, {i});
    Tensor alone = read(one, one.sequence.size(1)), padded = together.slice(0, i, i + 1);
    std::vector<double> a = alone.to_vector(), p = padded.to_vector();
    for (size_t j = 0; j < a.size(); ++j) {
      c.differing += a[j] != p[j];
      c.largest = std::max(c.largest, std::abs(a[j] - p[j]));
    }
    double share = 100.0 / static_cast<double>(count);
    auto named_alone = argmax(alone, 1).at({0}), named_padded = argmax(padded, 1).at({0}), label = labels.at({i});
    c.answers += named_alone != named_padded ? share : 0;
    c.right_alone += named_alone == label ? share : 0;
    c.right_padded += named_padded == label ? share : 0;
  }
  return c;
}

}  // namespace onevector
