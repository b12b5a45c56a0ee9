// Recall: what was said before, asked for later.
//
//   associative recall  a 3 c 1 b 7 c  ->  1      key value pairs, then one of the keys: the value that stood beside it
//   key-value query     the same with the query apart from the sequence, for a pooling that is given it
//   delayed recall      C x y y x ?    ->  C      a symbol, distractors for `lag` steps, then it is asked for
//
// Chance is one in `values` (or `symbols`). Delayed recall measures how far back a gradient reaches: lag + 1 steps.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct RecallOptions {
  int64_t keys = 26, values = 10;  // how many there are to draw from; the keys of one example differ
  Range pairs{4, 10};              // in one example, drawn evenly
  Range held_out_pairs{};          // of validation and test; left alone: as in training
  TaskParts parts = {};
};

// Keys a, b, .. z, a1, ..; values 0, 1, ..; both are source symbols. Links: the value sure, its key possible.
Task associative_recall_task(const RecallOptions& options = {});

struct QueryExample {
  std::vector<int64_t> keys, values;  // [N] numbers in [0, keys) and [0, values)
  int64_t asked = 0;                  // the pair whose key is the query: its value is the answer
  int64_t query() const { return keys[static_cast<size_t>(asked)]; }
  int64_t answer() const { return values[static_cast<size_t>(asked)]; }
};

struct QueryTask {
  std::string name;
  Symbols symbols;  // keys, then values
  int64_t keys = 0, values = 0;
  std::vector<QueryExample> train, validation, test;

  // key value key value .. -> value; the query is not in it. Links as in associative recall.
  AlignedPair pair(const QueryExample& example) const;
};
// pairs {10, 10} and .keys = 26: "ten pairs, one key asked".
QueryTask key_value_query_task(const RecallOptions& options = {});

struct QueryBatch {
  Tensor sequence;      // [B, 2 N] i64, padded with 0: ids of key value key value ..
  Tensor lengths;       // [B] i64, of the sequences: twice the pairs
  Tensor keys, values;  // [B, N] i64, padded with 0: the same ids, one place for each pair
  Tensor pairs;         // [B] i64
  Tensor query;         // [B] i64: the id of the key asked for
  Tensor labels;        // [B] i64: the answer as a class in [0, task.values)
  Tensor asked;         // [B] i64: the pair that holds it; its value stands at 2 asked + 1 of the sequence
};
// ValueError for no members; IndexError for one outside the examples.
QueryBatch query_batch(const QueryTask& task, const std::vector<QueryExample>& examples,
                       const std::vector<int64_t>& members);

struct DelayedRecallOptions {
  int64_t symbols = 8;      // to be remembered: A, B, ..
  int64_t distractors = 8;  // a, b, ..
  Range lags{5, 40};        // distractors between the symbol and the question, drawn evenly
  Range held_out_lags{};    // of validation and test; left alone: as in training
  TaskParts parts = {};
};
// Source: lag + 2 symbols, the last is "?". Target: the first of them.
Task delayed_recall_task(const DelayedRecallOptions& options = {});

}  // namespace heed::data
