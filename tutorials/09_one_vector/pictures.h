// The pictures of the lesson, and the measurements for them.
#pragma once

#include "tensor/indexing.h"
#include "tutorials/09_one_vector/train.h"
#include "tutorials/common/show.h"

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

// How often the most frequent value of the sequence is the answer, in %; of equally frequent ones, the first.
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

inline void draw_looks(heed::app::Lesson& lesson, const std::string& title, const std::string& text,
                       const Tensor& weights, const data::QueryTask& task, const data::QueryExample& example) {
  heed::report::HeatPanel heat{.title = title,
                               .text = text,
                               .row_title = "key",
                               .column_title = "symbol read",
                               .columns = task.pair(example).source,
                               .matrix = heed::app::matrix_of(weights),
                               .low = 0,
                               .high = 1};
  for (size_t i = 0; i < example.keys.size(); ++i) heat.rows.push_back(heat.columns[2 * i] + "?");
  heed::app::show(heed::report::heat_map(heat.matrix, heat.rows, heat.columns, {.console = heed::app::console()}));
  lesson.report().heat(heat);
}

}  // namespace onevector
