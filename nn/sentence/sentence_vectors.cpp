#include "nn/sentence/sentence_vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/modes.h"
#include "nn/data/batches.h"
#include "nn/pool.h"
#include "nn/sentence/contrastive.h"
#include "tensor/error.h"

namespace heed::nn {

const std::vector<std::string>& sentence_poolings() {
  static const std::vector<std::string> names{"cls",         "lasttoken", "max", "mean", "mean_sqrt_len_tokens",
                                              "weightedmean"};
  return names;
}

Tensor sentence_vectors(const Annotate& annotate, int64_t width, const std::vector<std::vector<int64_t>>& sentences,
                        const SentenceVectorOptions& o) {
  const auto& names = sentence_poolings();
  if (std::find(names.begin(), names.end(), o.pooling) == names.end())
    throw ValueError(fmt::format("sentence_vectors: no pooling of this name; got `{}`; there are {}", o.pooling,
                                 fmt::join(names, ", ")));
  NoGrad guard;
  std::vector<data::EncodedPair> texts;
  std::vector<int64_t> rows;  // indices of rows of the result
  for (size_t i = 0; i < sentences.size(); ++i)
    if (!sentences[i].empty()) {
      texts.push_back({sentences[i], {}});
      rows.push_back(static_cast<int64_t>(i));
    }
  Tensor out = Tensor::zeros({std::ssize(sentences), width});
  for (auto& members : data::sorted_batches(texts, o.batch_size)) {
    data::Batch batch = data::make_batch(texts, members);
    Annotations a = annotate(batch.source, batch.lengths);
    Variable pooled = pool(o.pooling, a.x, a.words);  // [B, D]
    Tensor v = (o.normalize ? unit_rows(pooled) : pooled).value().contiguous();
    if (v.size(1) != width)
      throw ShapeError(
          fmt::format("sentence_vectors: annotations must be {} wide; got {}", width, to_string(a.x.shape())));
    for (size_t b = 0; b < members.size(); ++b)
      std::copy_n(v.data<float>() + static_cast<int64_t>(b) * width, width,
                  out.data<float>() + rows[static_cast<size_t>(members[b])] * width);
  }
  return out;
}

}  // namespace heed::nn
