// Which French sentence is the nearest to an English one: accuracy, mean reciprocal rank, and figures.
#pragma once

#include <fmt/format.h>

#include "nn/sentence/retrieval.h"
#include "tutorials/25_cls_and_masked_words/texts.h"
#include "tutorials/common/show.h"

namespace masked_words {

struct Sides {
  std::vector<Words> english, french;
};
inline nn::Retrieval find(const nn::SentenceEncoder& e, const Sides& s, const std::string& pooling) {
  return nn::retrieval(e.vectors(s.english, {.pooling = pooling}), e.vectors(s.french, {.pooling = pooling}));
}

inline std::string joined(const Words& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

inline void some_neighbours(app::Lesson& lesson, const nn::SentenceEncoder& before, const nn::SentenceEncoder& after,
                            const Sides& s) {
  constexpr int64_t kShown = 8;
  Sides few{{s.english.begin(), s.english.begin() + kShown}, {s.french.begin(), s.french.begin() + kShown}};
  report::TablePanel table{.title = "The nearest French sentence",
                           .text = "Among all French test sentences, after contrastive training.",
                           .header = {"English", "nearest French", "cosine", ""}};
  auto near = nn::nearest(after.vectors(few.english, {}), after.vectors(s.french, {}), 1);
  for (int64_t i = 0; i < kShown; ++i) {
    auto [row, cosine] = near[static_cast<size_t>(i)][0];
    table.rows.push_back({joined(few.english[static_cast<size_t>(i)]), joined(s.french[static_cast<size_t>(row)]),
                          fmt::format("{:.2f}", cosine), row == i ? "right" : "wrong"});
  }
  lesson.report().table(table);
  for (const auto* e : {&before, &after}) {
    Tensor c = nn::cosines(e->vectors(few.english, {}), e->vectors(few.french, {}));
    report::HeatPanel heat{
        .title = e == &before ? "Cosine similarity of sentence vectors, after pretraining"
                              : "Cosine similarity of sentence vectors, after contrastive training",
        .text =
            "Rows: eight English sentences. Columns: their translations, in the same order. A sentence and "
            "its translation meet on the diagonal.",
        .row_title = "English",
        .column_title = "French",
        .matrix = {kShown, kShown, c.to_vector()},
        .low = -1,
        .high = 1};
    for (int64_t i = 0; i < kShown; ++i) {
      heat.rows.push_back(joined(few.english[static_cast<size_t>(i)]));
      heat.columns.push_back(std::to_string(i + 1));
    }
    lesson.report().heat(heat);
  }
}

}  // namespace masked_words
