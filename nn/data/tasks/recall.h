// Recall: remember something seen earlier until it is asked for.
//
// clang-format off
//   associative recall  a 3 c 1 b 7 c  ->  1   key value pairs, then a key: the answer is its value
//   key-value query                            the same, but the query is a separate input
//   delayed recall      C x y y x ?    ->  C   a symbol, `lag` distractors, then the question
// clang-format on
//
// Guessing is right once in `values` (or `symbols`). Delayed recall measures how far gradients reach: lag + 1.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct RecallOptions {
  int64_t keys = 26, values = 10;  // the number of different keys and values; the keys of one example are distinct
  Range pairs{4, 10};              // pairs per example, drawn uniformly
  Range held_out_pairs{};          // for validation and test; default: as in training
  TaskParts parts = {};
};

// Keys are a, b, .. z, a1, ..; values are 0, 1, ..; both are source symbols. Links: value sure, key possible.
Task associative_recall_task(const RecallOptions& options = {});

struct QueryExample {
  std::vector<int64_t> keys, values;  // [N] numbers in [0, keys) and [0, values)
  int64_t asked = 0;                  // index of the pair whose key is the query; its value is the answer
  int64_t query() const { return keys[static_cast<size_t>(asked)]; }
  int64_t answer() const { return values[static_cast<size_t>(asked)]; }
};

struct QueryTask {
  std::string name;
  Symbols symbols;  // keys, then values
  int64_t keys = 0, values = 0;
  std::vector<QueryExample> train, validation, test;

  // Source: key value key value .., without the query. Target: the value. Links as in associative recall.
  AlignedPair pair(const QueryExample& example) const;
};
// With pairs {10, 10} and keys = 26, this is the task "ten pairs, one key asked".
QueryTask key_value_query_task(const RecallOptions& options = {});

struct QueryBatch {
  Tensor sequence;      // [B, 2 N] i64, padded with 0: ids of key value key value ..
  Tensor lengths;       // [B] i64, lengths of the sequences: twice the number of pairs
  Tensor keys, values;  // [B, N] i64, padded with 0: the same ids, one position per pair
  Tensor pairs;         // [B] i64: number of pairs
  Tensor query;         // [B] i64: the id of the query, a key
  Tensor labels;        // [B] i64: the answer as a class in [0, task.values)
  Tensor asked;  // [B] i64: index of the pair with the answer; its value is at position 2 asked + 1 of the sequence
};
// ValueError if there are no members; IndexError for an index outside the examples.
QueryBatch query_batch(const QueryTask& task, const std::vector<QueryExample>& examples,
                       const std::vector<int64_t>& members);

struct DelayedRecallOptions {
  int64_t symbols = 8;      // the symbols to remember: A, B, ..
  int64_t distractors = 8;  // a, b, ..
  Range lags{5, 40};        // number of distractors between the symbol and the question, drawn uniformly
  Range held_out_lags{};    // for validation and test; default: as in training
  TaskParts parts = {};
};
// Source: lag + 2 symbols, the last of which is "?". Target: the first of them.
Task delayed_recall_task(const DelayedRecallOptions& options = {});

}  // namespace heed::data
