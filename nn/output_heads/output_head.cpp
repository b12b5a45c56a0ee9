#include "nn/output_heads/output_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/output_heads/softmax_head.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using Maker = std::unique_ptr<OutputHead> (*)(const OutputHeadOptions&, Generator&);
template <class Head>
std::unique_ptr<OutputHead> build(const OutputHeadOptions& o, Generator& rng) {
  return std::make_unique<Head>(o, rng);
}

struct Row {
  const char *name, *id;  // id: in the catalogue
  Maker make;
  bool needs_alignment, writes_words;
};
constexpr Row kHeads[] = {{"softmax", "", build<SoftmaxHead>, false, true},
                          {"pointer_generator", "D8", build<PointerGenerator>, true, true},
                          {"pointer", "D6", build<Pointer>, true, false},
                          {"copynet", "D7", build<CopyNet>, true, true}};

const Row& row_of(const std::string& name) {
  std::string all;
  for (const Row& row : kHeads) {
    if (row.name == name) return row;
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  }
  throw ValueError(fmt::format("output: no head of this name; got `{}`; there are {}", name, all));
}

}  // namespace

std::unique_ptr<OutputHead> make_output_head(const OutputHeadOptions& o, Generator& rng) {
  return row_of(o.name).make(o, rng);
}

bool output_needs_alignment(const std::string& name) { return row_of(name).needs_alignment; }

bool output_writes_words(const std::string& name) { return row_of(name).writes_words; }

std::vector<std::string> output_names() {
  std::vector<std::string> names;
  for (const Row& row : kHeads) names.emplace_back(row.name);
  return names;
}

std::string output_called(const std::string& id_or_name) {
  for (const Row& row : kHeads)
    if (!id_or_name.empty() && (row.name == id_or_name || row.id == id_or_name)) return row.name;
  return "";
}

OutputSource output_source(const Tensor& ids, const Tensor& lengths) {
  return {ids, lengths, static_cast<int64_t>(max(ids).item()) + 1};
}

Tensor known_words(const Tensor& ids, int64_t vocabulary) {
  return masked_fill(ids, greater_equal(ids, static_cast<double>(vocabulary)), text::Vocabulary::unk);
}

Variable copied(const Variable& alignment, const Tensor& slots, int64_t size) {
  if (!alignment.defined() || !slots.defined() || alignment.rank() < 2 || alignment.rank() > 3 ||
      alignment.size(0) != slots.size(0) || alignment.size(-1) != slots.size(1))
    throw ShapeError(
        fmt::format("output: a head that copies needs the alignment [B, T, S] or [B, S] and the source [B, S]; got {} "
                    "and {}",
                    alignment.defined() ? to_string(alignment.shape()) : "none",
                    slots.defined() ? to_string(slots.shape()) : "none"));
  Tensor index = alignment.rank() == 2 ? slots : slots.unsqueeze(1).expand(alignment.shape()).contiguous();
  return scatter_add(alignment, index, size);
}

Tensor reached(const Tensor& slots_, const Tensor& lengths, int64_t size) {
  Tensor slots = slots_.contiguous(), out = Tensor::zeros({slots.size(0), size}, DType::boolean);
  for (int64_t b = 0, S = slots.size(1); b < slots.size(0); ++b)
    for (int64_t s = 0; s < std::min(lengths.defined() ? static_cast<int64_t>(lengths.at({b})) : S, S); ++s)
      out.data<bool>()[b * size + slots.data<int64_t>()[b * S + s]] = true;
  return out;
}

Tensor smoothed_words(const Tensor& words, const Tensor& writable, double e, DType dtype) {
  int64_t B = words.size(0), T = words.size(1), outputs = writable.size(1);
  Tensor own = writable.to(dtype), even = mul(div(own, sum(own, {-1}, true)), e);  // [B, V']
  Tensor padding = equal(words, text::Vocabulary::pad).unsqueeze(-1);              // [B, T, 1]
  Tensor q = masked_fill(even.unsqueeze(1).expand({B, T, outputs}), padding, 0);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t) {
      auto word = static_cast<int64_t>(words.at({b, t}));
      if (word != text::Vocabulary::pad) q.set({b, t, word}, q.at({b, t, word}) + 1 - e);
    }
  return q;
}

}  // namespace heed::nn
