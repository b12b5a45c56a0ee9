#include "nn/attention/grids/grid.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

// The pictures of a batch by their number of rows: up to the last row that has a word.
std::map<int64_t, std::vector<int64_t>> by_height(const Tensor& words, int64_t B, int64_t R, int64_t C) {
  std::map<int64_t, std::vector<int64_t>> pictures;
  const Tensor mask = words.defined() ? words.contiguous() : words;
  for (int64_t b = 0; b < B; ++b) {
    int64_t T = R * C;
    if (mask.defined())
      while (T > 0 && !mask.data<bool>()[b * R * C + T - 1]) --T;
    pictures[(T + C - 1) / C].push_back(b);
  }
  return pictures;
}

}  // namespace

Variable places_of(const Variable& x) { return reshape(x, {x.size(0), x.size(1) * x.size(2), x.size(3)}); }
Variable rows_of(const Variable& x, int64_t rows, int64_t columns) {
  return reshape(x, {x.size(0), rows, columns, x.size(2)});
}

GridMixer::GridMixer(const MixerOptions& o, const char* name) : options(completed_stage(Kind::mixer, o, name)) {
  require_not_causal(options, kReadsThePicture);
}

Mixed GridMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), C = options.settings.as<GridSettings>().columns;
  if (T % C != 0)
    throw ShapeError(
        fmt::format("{}: the columns must divide the number of places; got x {} and {} columns; hint: {}:columns=N",
                    options.name, to_string(x.shape()), C, options.name));
  const auto pictures = by_height(in.words, B, T / C, C);
  if (pictures.size() == 1 && pictures.begin()->first == T / C)
    return {call.result("output", places_of(picture(rows_of(x, T / C, C))))};
  std::vector<Variable> mixed;
  std::vector<int64_t> order(static_cast<size_t>(B));  // picture b is number order[b] of those in `mixed`
  int64_t next = 0;
  for (const auto& [height, members] : pictures) {
    for (int64_t b : members) order[static_cast<size_t>(b)] = next++;
    Variable some = index_select(x, 0, Tensor::from(members, {std::ssize(members)}));
    if (height == 0) {
      mixed.push_back(some * 0);
      continue;
    }
    Variable y = places_of(picture(rows_of(slice(some, 1, 0, height * C), height, C)));
    mixed.push_back(pad(y, {{.axis = 1, .after = T - height * C}}));
  }
  return {call.result("output", index_select(concat(mixed, 0), 0, Tensor::from(order, {B})))};
}

GridHeads::GridHeads(const MixerOptions& o, Generator& rng)
    : heads(o.heads),
      in_proj({.in = o.query, .out = 3 * o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {
  head_width(o);
}

GridHeads::Read GridHeads::operator()(const Variable& x) const {
  std::vector<Variable> qkv = chunk(in_proj(places_of(x)), 3, -1);
  return {split_heads(qkv[0], heads), split_heads(qkv[1], heads), split_heads(qkv[2], heads)};
}

Variable GridHeads::output(const Variable& context, const Variable& x) const {
  return rows_of(out_proj(join_heads(context)), x.size(1), x.size(2));
}

double GridHeads::scale(const Read& read) { return 1 / std::sqrt(static_cast<double>(read.q.size(-1))); }

}  // namespace heed::nn
