// Exhibits about what tests miss: a tolerance that hides a lost key, and a memory that is written while it is read.
#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tensor/functions.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// 257 keys in blocks of 64: the last block has one key, and a kernel that rounds down forgets it.
Shown loose_tolerance() {
  const int64_t keys = 257, block = 64, whole = keys / block * block;
  const Variable q = random({1, 1, 8}, 1) * 0.1, k = random({1, keys, 8}, 2), v = random({1, keys, 6}, 3);
  auto context = [&](int64_t count) {
    const Variable part = slice(k, 1, 0, count);
    return nn::attend(matmul(q, transpose(part, 1, 2)), slice(v, 1, 0, count)).context;
  };
  Shown s{.what = "context of one query over 257 keys [1, V]", .rows = {"context"}, .columns = numbered("channel", 6)};
  s.wrong = numbers(context(whole)), s.right = numbers(context(keys));
  const double error = difference_of(s).largest;
  s.verdict = fmt::format("The error is {:.4f}: a test with the tolerance 1e-2 {} it, one with 1e-5 {}.", error,
                          error <= 1e-2 ? "accepts" : "finds", error <= 1e-5 ? "too" : "finds it");
  return s;
}

// Coverage, the sum of all earlier weights, is added to the encoder's memory in place: each step changes the source.
Shown written_memory() {
  const Variable query = random({1, 1, 4}, 1), coverage = random({1, 1, 4}, 3);
  const Variable keys = random({1, 5, 4}, 2);
  Tensor memory = keys.value().clone();
  Shown s{.what = "attention weights of the same query, asked four times [4, S]"};
  s.rows = numbered("time", 4), s.columns = numbered("key", 5);
  std::vector<Variable> wrong, right;
  for (int step = 0; step < 4; ++step) {
    right.push_back(nn::attend(matmul(query, transpose(keys, 1, 2)), keys).weights);
    wrong.push_back(nn::attend(matmul(query, transpose(Variable(memory), 1, 2)), keys).weights);
    memory = add(memory, matmul(transpose(wrong.back(), 1, 2), coverage).value());  // the same as memory += ..
  }
  s.wrong = rows_of(wrong), s.right = rows_of(right);
  std::size_t key = 0;  // the one whose weight changes most
  auto change = [&](std::size_t j) { return std::abs(s.wrong.value(3, j) - s.wrong.value(0, j)); };
  for (std::size_t j = 1; j < s.columns.size(); ++j)
    if (change(j) > change(key)) key = j;
  s.verdict = fmt::format(
      "The first time key {} has the weight {}, the fourth time {}, for the same query. A memory "
      "that is not written gives the same answer every time.",
      key + 1, quoted(s.wrong, 0, key), quoted(s.wrong, 3, key));
  return s;
}

}  // namespace

std::vector<Exhibit> testing_exhibits() {
  return {
      {.name = "loose_tolerance",
       .title = "A tolerance that hides a lost key",
       .setting = "A tiled kernel computes attention over 257 keys in blocks of 64.",
       .wrong_code = "for (b = 0; b < S / 64; ++b) ..  // and CHECK(abs(y - wanted) < 1e-2)",
       .right_code = "for (b = 0; b < S; b += 64) ..  // and CHECK(abs(y - wanted) < 1e-5)",
       .suspects = {"the sums overflow", "the last block is lost", "the blocks are added in another order"},
       .culprit = 1,
       .hidden = "Lengths that are multiples of 64 are exact, and with many keys one lost key changes little.",
       .happened = "The test of labml's tiled attention kernel accepts an absolute error of 1e-2 and a relative one of "
                   "0.1. That it hides this very fault is our experiment, not a reported one.",
       .lesson = "",
       .show = loose_tolerance},
      {.name = "written_memory",
       .title = "A memory that is written while it is read",
       .setting = "The same query asks the same encoder outputs four times.",
       .wrong_code = "memory += matmul(coverage, U);  // in place",
       .right_code = "e = score(query, memory + matmul(coverage, U));  // the memory stays as it is",
       .suspects = {"dropout is still on", "the query is updated", "attention changes the encoder's outputs"},
       .culprit = 2,
       .hidden = "Each single step is plausible. Only two equal calls in a row, or a beam search that shares a memory, "
                 "show that the second one differs.",
       .happened = "OpenNMT-py adds the coverage to the encoder's memory in place, and its documentation says that "
                   "coverage is not supported. The formula is Tu et al. (2016) and See et al. (2017), equation 11.",
       .lesson = "14",
       .show = written_memory},
  };
}

}  // namespace heed::museum
