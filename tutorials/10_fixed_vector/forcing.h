// Teacher forcing: during training the decoder reads the true symbols, moved by one position.
//
//   target     c a d </s>        what the decoder must predict                         [B, T]
//   input      <s> c a d         what the decoder reads: at each step the true previous symbol
//   mask       1 1 1 1 0 0       1 where the target counts, 0 at the padding of shorter sequences
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/report/report.h"

namespace fixed_vector {

using heed::Tensor;
namespace data = heed::data;
namespace nn = heed::nn;
constexpr int64_t kPad = heed::text::Vocabulary::pad;

// Three rows per sequence: input, target, mask.
inline heed::report::TablePanel forcing_table(const data::Batch& b, const data::Symbols& symbols) {
  heed::report::TablePanel panel{
      .title = "Teacher forcing",
      .text =
          "What the decoder reads (input), what it must predict (target), and which positions count in the "
          "loss (mask).",
      .header = {"", ""}};
  int64_t T = b.target_in.size(1);
  for (int64_t t = 0; t < T; ++t) panel.header.push_back(fmt::format("t = {}", t + 1));
  for (int64_t r = 0; r < b.target_in.size(0); ++r) {
    std::vector<std::string> input{fmt::format("sequence {}", r + 1), "input"}, target{"", "target"}, mask{"", "mask"};
    for (int64_t t = 0; t < T; ++t) {
      auto out = static_cast<int64_t>(b.target_out.at({r, t}));
      input.push_back(symbols.name(static_cast<int64_t>(b.target_in.at({r, t}))));
      target.push_back(symbols.name(out));
      mask.push_back(out == kPad ? "0" : "1");
    }
    for (auto& row : {input, target, mask}) panel.rows.push_back(row);
  }
  return panel;
}

// The mean loss per symbol over the whole batch; `masked`: padding does not count.
inline double batch_loss(const nn::EncoderDecoder& model, const data::Batch& b, bool masked) {
  heed::NoGrad guard;
  return cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = masked ? kPad : -1})
      .item();
}

// The same, with each sequence in its own batch, which has no padding.
inline double loss_one_by_one(const nn::EncoderDecoder& model, const std::vector<data::EncodedPair>& pairs) {
  double total = 0, symbols = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    data::Batch b = data::make_batch(pairs, {static_cast<int64_t>(i)});
    total += batch_loss(model, b, true) * static_cast<double>(b.tokens);
    symbols += static_cast<double>(b.tokens);
  }
  return total / symbols;
}

// Correct symbols in % under teacher forcing; all targets have the same length.
inline double right_when_forced(const nn::EncoderDecoder& model, const std::vector<data::EncodedPair>& pairs) {
  heed::NoGrad guard;
  std::vector<std::vector<int64_t>> written;
  for (size_t i = 0; i < pairs.size(); ++i) written.emplace_back();
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    Tensor likeliest = argmax(model(b.source, b.lengths, b.target_in).value(), 2);  // [B, T]
    for (size_t r = 0; r < members.size(); ++r)
      for (int64_t t = 0; t < likeliest.size(1); ++t)
        written[static_cast<size_t>(members[r])].push_back(
            static_cast<int64_t>(likeliest.at({static_cast<int64_t>(r), t})));
  }
  return heed::app::places_right(written, pairs);
}

// Each target with the source of another sequence.
inline std::vector<data::EncodedPair> with_other_sources(const std::vector<data::EncodedPair>& pairs) {
  std::vector<data::EncodedPair> swapped = pairs;
  for (size_t i = 0; i < pairs.size(); ++i) swapped[i].source = pairs[(i + 1) % pairs.size()].source;
  return swapped;
}

}  // namespace fixed_vector
