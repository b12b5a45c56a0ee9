#include "nn/published/model.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/mapped_file.h"
#include "nn/made_if.h"

namespace heed::nn::published {
namespace {

AnyNorm head_norm(const HeadOptions& o, int64_t width, Generator& rng) {
  BlockOptions norm{.norm = o.norm, .eps = o.eps, .norm_bias = o.norm_bias};
  return norm_of(norm, width, rng);
}

// The word of each row that satisfies `is`, the last one: [B, S, D] -> [B, D]
template <class Is>
Variable last_where(const Variable& x, const Is& is) {
  const int64_t B = x.size(0), S = x.size(1);
  std::vector<int64_t> rows;
  for (int64_t b = 0; b < B; ++b) {
    int64_t at = S - 1;
    while (at > 0 && !is(b, at)) --at;
    rows.push_back(b * S + at);
  }
  return index_select(reshape(x, {B * S, x.size(2)}), Tensor::from(rows, {B}));
}

// The places of the last words of a row whose mask has padding before them: they count from the first word.
Tensor places_after(const Inputs& in) {
  if (in.places.defined() || !in.mask.defined() || in.ids.rank() != 2 || in.mask.rank() != 2) return in.places;
  const int64_t B = in.mask.size(0), S = in.mask.size(1), T = in.ids.size(1);
  if (T > S || B != in.ids.size(0)) return {};  // the tower refuses them
  Tensor places = Tensor::zeros({B, T}, DType::i64), words = in.mask.contiguous();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t s = 0, count = 0; s < S; ++s) {
      if (s >= S - T) places.data<int64_t>()[b * T + s - (S - T)] = count;
      count += words.data<bool>()[b * S + s];
    }
  return places;
}

}  // namespace

Head::Head(const Options& o, Generator& rng)
    : options(o),
      inner(made_if<Linear>(o.inner > 0, {.in = o.in, .out = o.inner, .bias = o.inner_bias}, rng)),
      out(made_if<Linear>(o.out > 0, {.in = o.inner > 0 ? o.inner : o.in, .out = o.out, .bias = o.out_bias}, rng)) {
  if (!o.norm.empty()) norm.emplace(head_norm(o, o.inner > 0 ? o.inner : o.in, rng));
}

Variable Head::operator()(const Variable& x) const {
  Call call(*this);
  Packed::Use use(packed_);
  Variable h = activation(options.activation, inner ? (*inner)(x) : x);
  if (norm) h = (*norm)(h);
  if (options.scale != 1) h = h * options.scale;
  return call.result("output", out ? (*out)(h) : h);
}

void Head::visit(Visitor& v) {
  if (inner) v.child("inner", *inner);
  if (norm) v.child("norm", *norm);
  if (out) v.child("out", *out);
}

Model::Model(Config c, const Family& f, const ModelOptions& o, Generator& rng)
    : config(std::move(c)), family(f), options(o) {
  if (o.encoder) encoder.emplace(*o.encoder, rng);
  if (o.decoder) decoder.emplace(*o.decoder, rng);
  for (const HeadOptions& one : o.heads) heads.emplace_back(one, rng);
}

void Model::visit(Visitor& v) {
  if (encoder) v.child("encoder", *encoder);
  if (decoder) v.child("decoder", *decoder);
  for (Head& one : heads) v.child("heads." + one.options.name, one);
}

void Model::require_usable() const {
  std::lock_guard lock(checking_);
  for (const auto& file : files) file->require_whole();
  for (const auto& [name, tensor] : unchecked)
    if (!all_finite(tensor))
      throw IoError(
          fmt::format("open: \"{}\": weights must be finite numbers; got a NaN or an infinite one in the tensor "
                      "{}",
                      folder, name));
  unchecked.clear();
}

const Tensor& Model::known(const Tensor& ids, const Tower& tower) const {
  if (!ids.defined() || ids.dtype() != DType::i64) return ids;  // the tower says what it needs
  const Tensor all = ids.contiguous();
  for (int64_t i = 0; i < all.count(); ++i)
    if (const int64_t id = all.data<int64_t>()[i]; id < 0 || id >= tower.options.vocabulary)
      throw InputError(fmt::format("read: the model has the tokens 0 to {}; got {}; hint: its own tokenizer",
                                   tower.options.vocabulary - 1, id));
  return ids;
}

Answer Model::read(const Inputs& in, const Wanted& wanted) const {
  Call call(*this);
  require_usable();
  const TowerCall alone{.mask = in.mask,
                        .kinds = in.kinds,
                        .places = in.places,
                        .weights = wanted.weights,
                        .heads = encoder ? wanted.encoder : wanted.decoder};
  Answer answer;
  answer.inputs = in;
  if (!encoder) {
    answer.decoder = (*decoder)(known(in.ids, *decoder), alone);
    return answer;
  }
  answer.encoder = (*encoder)(known(in.ids, *encoder), alone);
  if (decoder && in.target_ids.defined())
    answer.decoder = (*decoder)(known(in.target_ids, *decoder), {.mask = in.target_mask,
                                                                 .source = answer.encoder.last(),
                                                                 .source_mask = in.mask,
                                                                 .weights = wanted.weights,
                                                                 .heads = wanted.decoder,
                                                                 .cross_heads = wanted.cross});
  return answer;
}

Answer Model::extend(const Inputs& in, TowerMemory& memory, const Answer& source) const {
  Call call(*this);
  NoGrad guard;  // a memory carries no gradient
  if (!decoder) throw ValueError(fmt::format("extend: only a decoder writes; got a {}", config.family()));
  require_usable();
  Answer answer;
  answer.inputs = in, answer.encoder = source.encoder;
  if (encoder)
    answer.decoder = (*decoder)(
        known(in.target_ids, *decoder),
        {.mask = in.target_mask, .source = source.encoder.last(), .source_mask = source.inputs.mask}, &memory);
  else
    answer.decoder = (*decoder)(known(in.ids, *decoder), {.mask = in.mask, .places = places_after(in)}, &memory);
  return answer;
}

const Head* Model::head(const std::string& name) const {
  for (const Head& one : heads)
    if (name.empty() ? one.options.name != "pooler" : one.options.name == name) return &one;
  return nullptr;
}

Variable Model::seen_by(const Head& one, const Answer& answer) const {
  const std::string& reads = one.options.reads;
  const Variable& x = answer.of_heads().last();
  const bool targets = encoder && decoder;
  const Tensor& mask = targets ? answer.inputs.target_mask : answer.inputs.mask;
  const Tensor ids = (targets ? answer.inputs.target_ids : answer.inputs.ids).contiguous();
  const Tensor shown = mask.defined() ? mask.contiguous() : Tensor();
  const int64_t S = x.size(1);
  auto is_word = [&](int64_t b, int64_t s) { return !shown.defined() || shown.data<bool>()[b * S + s]; };
  if (reads == "first") return select(x, 1, 0);
  if (reads == "pooled") return logits("pooler", answer);
  if (reads == "last") return last_where(x, is_word);
  if (reads == "end")
    return last_where(x, [&](int64_t b, int64_t s) { return ids.data<int64_t>()[b * S + s] == options.end; });
  if (reads == "mean") {
    Tensor words = (shown.defined() ? shown : Tensor::ones(ids.shape(), DType::boolean)).to(x.dtype());
    Variable weights(words.unsqueeze(2));
    return sum(masked_fill(x, equal(weights.value(), 0), 0), {1}) / sum(weights, {1});
  }
  return x;
}

Variable Model::logits(const std::string& name, const Answer& answer) const {
  const Head* one = head(name);
  if (!one)
    throw ValueError(fmt::format("logits: the folder has no weights for the head {}; got \"{}\"",
                                 name.empty() ? "of any task" : name, folder));
  return (*one)(seen_by(*one, answer));
}

}  // namespace heed::nn::published
