// The readers side by side: right answers by the number of pairs, and where they look.
#pragma once

#include "tutorials/20_memory/training.h"
#include "tutorials/common/show.h"

namespace memory {

namespace app = heed::app;

constexpr int64_t kAsked = 8;  // pairs of the claim, the most that are trained
inline const std::vector<int64_t> kPairs{1, 2, 3, 4, 6, 8, 12};

inline std::string percent(double x) { return fmt::format("{:.0f} %", x); }

struct Row {
  Learned learned;
  std::vector<double> right;  // by kPairs
  double moved;               // with kAsked pairs
  double at(int64_t pairs) const {
    return right[static_cast<size_t>(std::find(kPairs.begin(), kPairs.end(), pairs) - kPairs.begin())];
  }
};
inline Row measure(const std::string& kind, int64_t width, const Training& t) {
  Row row{learn(kind, {.kind = kind, .width = width}, t), {}, 0};
  for (int64_t pairs : kPairs) row.right.push_back(right(row.learned.reader, t, pairs));
  row.moved = right(row.learned.reader, t, kAsked, Store::moved);
  return row;
}
inline void the_recall(app::Lesson& lesson, const std::vector<Row>& rows, const Training& t) {
  app::heading(
      fmt::format("2  Recall: 1 to {} pairs in training, {} steps; 400 new questions each", t.pairs.most, t.steps));
  heed::report::TablePanel table{
      .title = "Right answers by the number of pairs",
      .text =
          "Moved: 8 pairs, but each value is stored with the key of its neighbour (control). Most "
          "frequent value: what one gets by looking at the values alone.",
      .header = {"reader"}};
  heed::report::CurvesPanel curves{.title = "Recall by the number of pairs",
                                   .text = fmt::format("Trained with 1 to {} pairs.", t.pairs.most),
                                   .x_label = "pairs in the memory",
                                   .y_label = "right answers, %"};
  for (int64_t pairs : kPairs) table.header.push_back(fmt::format("N = {}", pairs));
  table.header.emplace_back("moved");
  auto add = [&](const std::string& name, const std::vector<double>& right, const std::string& moved) {
    table.rows.push_back({name});
    for (double r : right) table.rows.back().push_back(percent(r));
    table.rows.back().push_back(moved);
    curves.series.push_back({.name = name, .y = right, .x = {kPairs.begin(), kPairs.end()}});
  };
  for (const Row& row : rows) add(row.learned.name, row.right, percent(row.moved));
  std::vector<double> guessed;
  for (int64_t pairs : kPairs) guessed.push_back(by_frequency(t, pairs));
  add("most frequent value", guessed, "");
  app::show(lesson, table);
  lesson.report().curves(curves);
}

// The weights when each key of one memory is asked.
inline void the_looks(app::Lesson& lesson, const std::vector<Row>& rows, const Training& t) {
  heed::NoGrad guard;
  data::QueryTask task = questions(t, {kAsked, kAsked}, {.train = 0, .validation = 0, .test = 1});
  std::vector<data::QueryExample> all;
  std::vector<std::string> asked, symbols, pairs;
  std::vector<int64_t> members;
  for (int64_t i = 0; i < kAsked; ++i) {
    data::QueryExample e = task.test[0];
    e.asked = i;
    all.push_back(e), members.push_back(i);
    std::vector<std::string> source = task.pair(e).source;
    auto at = static_cast<size_t>(2 * i);
    asked.push_back(source[at] + " ?"), pairs.push_back(source[at] + " " + source[at + 1]);
    symbols.insert(symbols.end(), {source[at], source[at + 1]});
  }
  data::QueryBatch batch = query_batch(task, all, members);
  std::vector<heed::report::Alignment> looks;
  for (const Row& row : rows) {
    Tensor w = row.learned.reader(batch).weights;  // [questions, positions]
    if (!w.defined()) continue;
    if (w.size(1) > 2 * kAsked) w = w.slice(1, 0, 2 * kAsked).contiguous();  // without the question itself
    heed::report::Alignment a{
        .source = w.size(1) == kAsked ? pairs : symbols, .target = asked, .name = row.learned.name};
    a.weights = app::matrix_of(w.to(heed::DType::f64));
    a.row_title = "question", a.column_title = "memory", a.choice = "Reader";
    looks.push_back(a);
  }
  lesson.report().alignments(
      "Where the readers look",
      "A memory of eight pairs. Each row is a question about one key: the weights with which the "
      "answer is read.",
      looks);
  app::tell("\n   {}: each row is a question\n", looks.back().name);
  app::show(heed::report::heat_map(looks.back().weights, asked, pairs, {.console = app::console()}));
}

}  // namespace memory
