#include "nn/published/tower.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/made_if.h"

namespace heed::nn::published {
namespace {

TowerOptions checked_tower(TowerOptions o) {
  require_options("Tower", fields_of(o));
  if (o.blocks.empty()) throw ValueError("Tower: needs at least one block; got none");
  return o;
}

// sin(p / 10000^(2i/D)) in column i, and the cosine in column D/2 + i.
Tensor halves_of_sinusoids(int64_t rows, int64_t width, DType dtype) {
  std::vector<double> table(static_cast<size_t>(rows * width));
  const int64_t half = (width + 1) / 2;
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t i = 0; i < width; ++i) {
      const int64_t pair = i < half ? i : i - half;
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, 2 * static_cast<double>(pair) / static_cast<double>(width));
      table[static_cast<size_t>(p * width + i)] = i < half ? std::sin(angle) : std::cos(angle);
    }
  return Tensor::from(table, {rows, width}).to(DType::f32).to(dtype);  // as their library rounds them
}

std::optional<T5Bias> bias_of(const TowerOptions& o, Generator& rng) {
  if (o.buckets == 0) return std::nullopt;
  HeadPositionOptions options = chosen<T5Bias>({.max_distance = o.max_distance, .buckets = o.buckets});
  options.query = options.key = std::max<int64_t>(o.block().head, 1);
  options.heads = o.block().heads, options.causal = o.block().causal;
  return std::optional<T5Bias>(std::in_place, options, rng);
}

}  // namespace

void TowerOptions::fields(OptionFields& f) {
  const Range any{0, 1 << 24};
  f("vocabulary", vocabulary, "V, tokens", {1, 1 << 24}), f("width", width, "E, width of a word; 0: D", any);
  f("scale_embedding", scale_embedding, "words times sqrt(D)");
  f("positions", positions, "rows of the table of positions; 0: none", any);
  f("first_place", first_place, "row of the first place", any);
  f("padding", padding, "the token that has no place; -1: none", {-1, 1 << 24});
  f("places", places, "how they are counted", {"row", "words", "mask"});
  f("sinusoidal", sinusoidal, "positions are computed"), f("kinds", kinds, "kinds of words", any);
  f("embedding_norm", embedding_norm, "a norm before the first block");
  f("final_norm", final_norm, "a norm after the last block");
  f("projection_bias", projection_bias, "a bias where words are widened");
  f("project_words", project_words, "words are widened before positions are added");
  f("project_output", project_output, "the output is as narrow as the words");
  f("buckets", buckets, "of the bias by distance; 0: none", any);
  f("max_distance", max_distance, "larger distances share a bucket", {2, 1 << 24});
}

void TowerMemory::keep_words(const Tensor& rows) {
  for (auto& one : self) one->keep(rows);
}

void TowerMemory::keep(const Tensor& rows) {
  keep_words(rows);
  for (HeadMemory& one : source)
    if (one.keys.defined()) one = {index_select(one.keys, 0, rows), index_select(one.values, 0, rows)};
}

Tower::Tower(const Options& o, Generator& rng)
    : options(checked_tower(o)),
      words({.vocabulary = o.vocabulary, .width = o.words()}, rng),
      distances(bias_of(o, rng)),
      dropout({.p = o.block().dropout}, rng) {
  const int64_t D = o.block().model, E = o.words();
  const int64_t embedded = o.project_words ? D : E;  // the width of positions, kinds and their norm
  if (o.positions > 0 && !o.sinusoidal) positions.emplace(Embedding::Options{o.positions, embedded}, rng);
  if (o.positions > 0 && o.sinusoidal) sinusoids = halves_of_sinusoids(o.positions, embedded, words.weight.dtype());
  if (o.kinds > 0) kinds.emplace(Embedding::Options{o.kinds, embedded}, rng);
  if (o.embedding_norm) embedding_norm.emplace(norm_of(o.block(), embedded, rng));
  if (E != D) projection.emplace(Linear::Options{E, D, o.projection_bias}, rng);
  if (o.project_output && E != D) output_projection.emplace(Linear::Options{D, E, o.projection_bias}, rng);
  if (o.final_norm) final_norm.emplace(norm_of(o.block(), D, rng));
  for (const BlockOptions& block : o.blocks) blocks.emplace_back(block, rng);
}

Tensor Tower::rows_of_positions(const Tensor& ids, const TowerCall& call, int64_t first) const {
  const int64_t B = ids.size(0), T = ids.size(1);
  Tensor rows = Tensor::empty({B, T}, DType::i64), tokens = ids.contiguous();
  const bool by_mask = options.places == "mask" && call.mask.defined();
  Tensor shown = by_mask ? call.mask.to(DType::i64).contiguous() : Tensor();
  Tensor given = call.places.defined() ? call.places.contiguous() : Tensor();
  for (int64_t b = 0; b < B; ++b) {
    int64_t count = first;
    if (by_mask) {
      count = 0;
      for (int64_t t = 0; t < first; ++t) count += shown.data<int64_t>()[b * shown.size(1) + t];
    }
    for (int64_t t = 0; t < T; ++t) {
      int64_t place = first + t;
      const bool word = by_mask ? shown.data<int64_t>()[b * shown.size(1) + first + t] != 0
                                : options.places != "words" || tokens.data<int64_t>()[b * T + t] != options.padding;
      if (by_mask) place = word ? count : -1;
      if (options.places == "words") place = word ? count + 1 : 0;
      if (word) ++count;
      if (given.defined()) place = given.data<int64_t>()[b * T + t];
      const int64_t row = place + options.first_place;
      if (row < 0 || row >= options.positions)
        throw InputError(fmt::format(
            "Tower: the model has {} positions, and no text may be longer; got place {} in a text of {} tokens",
            options.positions - options.first_place, place, first + T));
      rows.data<int64_t>()[b * T + t] = row;
    }
  }
  return rows;
}

Variable Tower::embedded(const Tensor& ids, const TowerCall& call, int64_t first) const {
  Variable x = words(ids);  // [B, T, E]
  if (options.scale_embedding) x = x * std::sqrt(static_cast<double>(options.block().model));
  if (projection && options.project_words) x = (*projection)(x);
  if (kinds) x = x + (*kinds)(call.kinds.defined() ? call.kinds : Tensor::zeros(ids.shape(), DType::i64));
  if (options.positions > 0) {
    const Tensor rows = rows_of_positions(ids, call, first);
    x = x + (positions ? (*positions)(rows) : index_select(Variable(sinusoids), rows));
  }
  if (embedding_norm) x = (*embedding_norm)(x);
  x = dropout(x);
  return projection && !options.project_words ? (*projection)(x) : x;
}

Seen Tower::operator()(const Tensor& ids, const TowerCall& given, TowerMemory* memory) const {
  Call call(*this);
  Packed::Use use(packed_);
  if (ids.rank() != 2 || ids.dtype() != DType::i64 || ids.count() == 0)
    throw ShapeError(fmt::format("Tower: needs ids [B, T] i64, at least one token; got {} {}", name_of(ids.dtype()),
                                 to_string(ids.shape())));
  const int64_t T = ids.size(1), first = memory ? memory->words : 0;
  for (const auto& [beside, length] : {std::pair{&given.mask, first + T}, {&given.kinds, T}, {&given.places, T}})
    if (beside->defined() && !(beside->shape() == Shape{ids.size(0), length}))
      throw ShapeError(fmt::format("Tower: mask, kinds and places need a number for each token; got {} for tokens {}",
                                   to_string(beside->shape()), to_string(ids.shape())));
  for (const HeadFactors* factors : {&given.heads, &given.cross_heads})
    if (!factors->empty() && factors->size() != options.depth())
      throw ShapeError(fmt::format("Tower: factors of heads need an entry for each of {} layers; got {}",
                                   options.depth(), factors->size()));
  if (memory && memory->self.empty()) {
    for (size_t i = 0; i < options.depth(); ++i) memory->self.push_back(block_at(i).self.memory());
    memory->source.resize(memory->self.size());
  }
  BlockCall each{.self = {.words = given.mask, .weights = given.weights},
                 .cross = {.words = given.source_mask, .weights = given.weights},
                 .source = given.source};
  if (distances) each.self.bias = (*distances)({.queries = T, .keys = first + T, .first_query = first});
  Seen seen;
  Variable x = embedded(ids, given, first);
  for (size_t i = 0; i < options.depth(); ++i) {
    seen.hidden.push_back(x);
    if (memory) each.memory = memory->self[i].get(), each.kept_source = &memory->source[i];
    each.self.heads = given.heads.empty() ? Variable() : given.heads[i];
    each.cross.heads = given.cross_heads.empty() ? Variable() : given.cross_heads[i];
    x = block_at(i)(x, each);
    if (given.weights) seen.attentions.push_back(each.weights), seen.cross.push_back(each.cross_weights);
  }
  if (final_norm) x = (*final_norm)(x);
  if (output_projection) x = (*output_projection)(x);
  seen.hidden.push_back(call.result("output", x));
  if (memory) memory->words += T;
  return seen;
}

void Tower::visit(Visitor& v) {
  v.child("words", words);
  if (positions) v.child("positions", *positions);
  if (kinds) v.child("kinds", *kinds);
  if (embedding_norm) v.child("embedding_norm", *embedding_norm);
  if (projection) v.child("projection", *projection);
  if (distances) v.child("distances", *distances);
  for (size_t i = 0; i < blocks.size(); ++i) v.child(fmt::format("blocks.{}", i), blocks[i]);
  if (final_norm) v.child("norm", *final_norm);
  if (output_projection) v.child("output_projection", *output_projection);
  v.child("dropout", dropout);
}

}  // namespace heed::nn::published
