// Packed segments ("Efficient Sequence Packing without Cross-contamination"): several sentences share a row, and a word
// attends only to words of its own sentence.
//
//   row                 a a a b b c        index n of a word in its row, from 0
//   places p            0 1 2 0 1 0        as Places::query_at and key_at give them
//   n - p               0 0 0 3 3 5        where the word's sentence begins: the same for all its words
//
// Places that are only counted are one sentence, and nothing is masked. The padding before a prompt has place 0 at each
// index, so it belongs to no sentence. This is for self-attention: queries and keys of one row. Where segment numbers
// are at hand instead, same_segment (nn/transformer/packing.h) makes the same mask of them.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct SegmentScope final : Scope {
  static constexpr About about{
      .names = {"C14", "segments", "packed sequences", "block-diagonal"},
      .formula = "t - place(t) = s - place(s): both words are in the same sentence of a packed row",
      .paper = {"Krell et al., 2021", 2021, 2},
      .idea =
          "Several short sentences share a row of a batch, so less of it is padding. A word attends only to words of "
          "its own sentence, which makes the mask block-diagonal. The results are those of each sentence in a row of "
          "its own.",
      .wrong =
          "The positions must start again in each sentence too. Otherwise the second sentence of a row is read as the "
          "end of the first.",
      .shapes = "places [B, T], [B, S] -> mask [B, T, S]",
      .cost = "T (length of a sentence) scores have an effect",
      .own = {"a_packed_row_is_its_sentences_alone", "segment_numbers_give_the_same_mask"},
      .more = "where every sentence has a row of its own nothing is masked; in C++ by Places::query_at and key_at",
  };
  static Tensor picture(const Places& places);  // of sentences of 3, 4, 3, 4, .. words

  SegmentScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
};

}  // namespace heed::nn
