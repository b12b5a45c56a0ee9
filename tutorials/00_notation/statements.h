// What the chapter states about shapes and values, and what the engine computes for it.
//
// A statement is a row of the chapter's table: the computation, and the result as the text has it. A question of the
// self-test has three answers; the right one is the answer that equals the engine's result, so the program cannot be
// wrong about it. B batch, T queries or target words, S keys or source words, D width, H heads, V vocabulary,
// N number of sentences, E width of an embedding.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "tensor/error.h"

namespace notation {

using heed::Shape;
using heed::Tensor;
using heed::Variable;

struct Statement {
  std::string what, stated;
  std::function<std::string()> computed;
};
struct Question {
  std::string text;
  std::vector<std::string> answers;  // three
  std::function<std::string()> computed;
  std::string because;
};

inline Tensor ones(const Shape& shape) { return Tensor::ones(shape, heed::DType::f64); }
inline Tensor row(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
}
inline Tensor softmax(const Tensor& x, std::int64_t axis) { return heed::softmax(Variable(x), axis).value(); }
inline std::string shape_of(const Tensor& t) { return heed::to_string(t.shape()); }
inline std::string values_of(const Tensor& t) {  // "(0.25, 0.75)"
  std::string text;
  for (double value : t.to_vector()) text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", value);
  return "(" + text + ")";
}
// The shape of a product, or "refused" if the shapes do not fit.
inline std::string product(const Shape& a, const Shape& b) {
  try {
    return shape_of(heed::matmul(Variable(ones(a)), Variable(ones(b))).value());
  } catch (const heed::ShapeError&) { return "refused"; }
}
inline std::string sum_of(const Shape& a, const Shape& b) {
  try {
    return shape_of((Variable(ones(a)) + Variable(ones(b))).value());
  } catch (const heed::ShapeError&) { return "refused"; }
}

inline Tensor example() { return Tensor::from(std::vector<double>{0, std::log(3.0), 0, 0}, {2, 2}); }

inline std::vector<Statement> statements() {
  return {
      {"(1, 2, 3) · (4, 5, 6)", "(32)",
       [] {
         return values_of(sum(Variable(row({1, 2, 3})) * Variable(row({4, 5, 6}))).value());
       }},
      {"the row (1, 2) times the rows (1, 0) and (2, 3)", "(5, 6)",
       [] {
         return values_of(heed::matmul(Variable(Tensor::from(std::vector<double>{1, 2}, {1, 2})),
                                       Variable(Tensor::from(std::vector<double>{1, 0, 2, 3}, {2, 2})))
                              .value());
       }},
      {"[2, 4] times [4, 3]", "[2, 3]",
       [] {
         return product({2, 4}, {4, 3});
       }},
      {"[2, 4] times [3, 4]", "refused",
       [] {
         return product({2, 4}, {3, 4});
       }},
      {"[2, 4] times [3, 4] transposed", "[2, 3]",
       [] {
         return product({2, 4}, ones({3, 4}).transpose(0, 1).shape());
       }},
      {"[5, 2, 3, 4] times [5, 2, 4, 6]", "[5, 2, 3, 6]",
       [] {
         return product({5, 2, 3, 4}, {5, 2, 4, 6});
       }},
      {"[3, 1] + [1, 4]", "[3, 4]",
       [] {
         return sum_of({3, 1}, {1, 4});
       }},
      {"[5, 3, 4] + [4]", "[5, 3, 4]",
       [] {
         return sum_of({5, 3, 4}, {4});
       }},
      {"[3] + [4]", "refused", [] { return sum_of({3}, {4}); }},
      {"softmax of (0, ln 3)", "(0.25, 0.75)",
       [] {
         return values_of(softmax(row({0, std::log(3.0)}), 0));
       }},
      {"softmax of X along the last axis, first row", "(0.25, 0.75)",
       [] { return values_of(softmax(example(), 1).select(0, 0)); }},
      {"softmax of X along the first axis, first row", "(0.5, 0.75)",
       [] { return values_of(softmax(example(), 0).select(0, 0)); }},
      {"mean of [5, 3, 4] along axis 1", "[5, 4]",
       [] {
         return shape_of(heed::mean(Variable(ones({5, 3, 4})), {1}).value());
       }},
  };
}

inline std::vector<Question> questions() {
  return {
      {"A batch of 8 sentences, each padded to 12 words, each word a vector of 64 numbers. Which shape?",
       {"[64, 12, 8]", "[8, 12, 64]", "[12, 64]"},
       [] {
         return shape_of(ones({8, 12, 64}));
       },
       "B first, then the positions, then the width: [B, T, D]."},
      {"X has the shape [12, 64] and W the shape [64, 32]. What is the shape of X W?",
       {"[12, 32]", "[64, 64]", "refused"},
       [] {
         return product({12, 64}, {64, 32});
       },
       "The inner sizes agree and disappear; the outer ones remain."},
      {"Q is [2, 4], K is [3, 4]. What is Q K, without a transpose?",
       {"[2, 3]", "[2, 4]", "refused"},
       [] {
         return product({2, 4}, {3, 4});
       },
       "The inner sizes are 4 and 3. Scores need K transposed."},
      {"Two queries, three keys, values of width 5: weights [2, 3] times values [3, 5]. Which shape has the result?",
       {"[2, 5]", "[3, 5]", "[5, 2]"},
       [] {
         return product({2, 3}, {3, 5});
       },
       "One context of width 5 for each of the two queries."},
      {"What is the softmax of (0, 0, 0, 0)?",
       {"(0, 0, 0, 0)", "(0.25, 0.25, 0.25, 0.25)", "(1, 1, 1, 1)"},
       [] {
         return values_of(softmax(row({0, 0, 0, 0}), 0));
       },
       "Equal scores give equal weights, and weights sum to 1."},
      {"10 is added to both scores of (0, ln 3). What is the softmax now?",
       {"(0.25, 0.75)", "(0.5, 0.5)", "(10.25, 10.75)"},
       [] {
         return values_of(softmax(row({10, 10 + std::log(3.0)}), 0));
       },
       "The factor exp(10) is in the numerator and in the sum, and cancels."},
      {"Scores have the shape [B, T, S] = [1, 2, 4]. Weights are a softmax along S. What do all weights sum to?",
       {"(1)", "(2)", "(8)"},
       [] {
         return values_of(heed::sum(Variable(softmax(ones({1, 2, 4}), -1))).value());
       },
       "Each of the B T rows sums to 1."},
      {"A mask of shape [8, 1, 12] is combined with scores of shape [8, 5, 12]. Which shape has the result?",
       {"refused", "[8, 1, 12]", "[8, 5, 12]"},
       [] {
         return sum_of({8, 5, 12}, {8, 1, 12});
       },
       "The axis of size 1 is repeated 5 times: one mask for all queries of a sentence."},
      {"What is [2, 3] + [2]?",
       {"[2, 3]", "refused", "[2, 2]"},
       [] {
         return sum_of({2, 3}, {2});
       },
       "Shapes are aligned at the last axis, so 2 meets 3. A column would need the shape [2, 1]."},
      {"A model of width 64 has 4 heads. Its batch [8, 12, 64] is split into heads [B, H, T, D/H]. Which shape?",
       {"[8, 4, 12, 16]", "[4, 8, 12, 64]", "[8, 12, 4, 64]"},
       [] {
         return shape_of(ones({8, 12, 64}).view({8, 12, 4, 16}).transpose(1, 2));
       },
       "The last axis is split first, [8, 12, 4, 16], and then two axes are exchanged."},
  };
}

// How many of the three answers the engine gives.
inline std::int64_t confirmed(const Question& q) {
  return std::count(q.answers.begin(), q.answers.end(), q.computed());
}

}  // namespace notation
