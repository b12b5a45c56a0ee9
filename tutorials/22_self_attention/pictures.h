// Figures of the attention weights: the ring in the order of its names, and sentences with "it".
#pragma once

#include "tensor/elementwise.h"
#include "tensor/sort.h"
#include "tutorials/22_self_attention/pronoun.h"
#include "tutorials/common/show.h"

namespace heads {

// The attention weights of each head, with rows and columns in the order of the names.
inline void draw_ring(heed::app::Lesson& lesson, const PairReader& reader, const std::string& title) {
  heed::NoGrad guard;
  Generator rng(lesson.seed() + 7);
  int64_t R = reader.options.ring;
  Ring ring = make_ring(1, R, reader.options.colours, rng);
  Tensor weights = reader(ring, true).weights, order = argsort(ring.names.select(0, 0));
  std::vector<std::string> names;
  for (int64_t n = 0; n < R; ++n) names.push_back(std::to_string(n));
  for (int64_t h = 0; h < weights.size(1); ++h) {
    Tensor w = index_select(index_select(weights.select(0, 0).select(0, h), 0, order), 1, order);
    lesson.report().heat(
        {.title = fmt::format("The ring, {}: head {}", title, h + 1),
         .text = "Words in the order of their names. The next word is one to the right of the diagonal, the word "
                 "before one to the left.",
         .row_title = "query",
         .column_title = "key",
         .rows = names,
         .columns = names,
         .matrix = heed::app::matrix_of(w),
         .low = 0,
         .high = 1});
  }
}

inline void draw_it(heed::app::Lesson& lesson, const PronounReader& reader, const heed::text::Vocabulary& words,
                    const std::vector<data::PronounExample>& family) {
  heed::NoGrad guard;
  std::vector<heed::report::Alignment> all;
  int shown = 0;
  for (const data::PronounExample& e : family) {
    if (e.split != data::ToySplit::test || shown == 4) continue;
    ++shown;
    PronounBatch b = pronoun_batch(words, {&e});
    std::array<Tensor, 2> weights;
    reader(b.ids, b.it, true, &weights);
    Tensor rows = Tensor::empty({4, std::ssize(e.pair.source)});
    for (int64_t i = 0; i < 4; ++i) {
      Tensor row = rows.select(0, i);
      heed::copy_into(row,
                      weights[static_cast<size_t>(i / 2)].select(0, 0).select(0, i % 2).select(0, e.pronoun_source));
    }
    all.push_back(
        {.source = e.pair.source,
         .target = {"layer 1 head 1", "layer 1 head 2", "layer 2 head 1", "layer 2 head 2"},
         .weights = heed::app::matrix_of(rows),
         .name = fmt::format("{}, {}: \"it\" is the {}", e.animal, e.adjective, e.points_to_animal ? e.animal : e.way),
         .row_title = "layer and head",
         .column_title = "key"});
  }
  lesson.report().alignments("What \"it\" looks at",
                             "The attention weights of the query \"it\" in each head, in four test sentences.", all);
}

}  // namespace heads
