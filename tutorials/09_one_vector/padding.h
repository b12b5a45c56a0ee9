// The same sequences alone and in a padded batch: does any bit of the result change?
#pragma once

#include "tensor/indexing.h"
#include "tutorials/09_one_vector/train.h"

namespace onevector {

enum class Fault { none, no_lengths };  // no_lengths: the layer reads the padding as if it were symbols

struct Comparison {
  int64_t logits = 0, differing = 0;                      // number of logits, and of those with a changed bit
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
