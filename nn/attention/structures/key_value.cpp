#include "nn/attention/structures/key_value.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {
namespace {

KeyValueOptions checked(KeyValueOptions o) {
  if (o.parts < 1 || o.parts > 3)
    throw ValueError(fmt::format("KeyValueAttention: parts must be 1, 2 or 3; got {}", o.parts));
  if (o.width < 1 || o.width % o.parts != 0)
    throw ValueError(fmt::format(
        "KeyValueAttention: the parts must divide the width; got {} parts of {}; hint: key_value:parts=2, or "
        "another width",
        o.parts, o.width));
  if (o.window < 1) throw ValueError(fmt::format("KeyValueAttention: the window must be at least 1; got {}", o.window));
  o.score.query = o.score.key = o.width / o.parts;
  return o;
}

}  // namespace

KeyValueParts key_value_parts(const Variable& h, int64_t parts) {
  std::vector<Variable> cut = chunk(h, parts, -1);
  return {cut.front(), cut.size() > 1 ? cut[1] : cut[0], cut.back()};
}

KeyValueAttention::KeyValueAttention(const Options& o, Generator& rng)
    : options(checked(o)),
      attention({.score = options.score, .normaliser = options.normaliser}, rng),
      read({.in = options.score.key, .out = options.score.key, .bias = false}, rng),
      predict({.in = options.score.key, .out = options.score.key, .bias = false}, rng) {}

KeyValueOutput KeyValueAttention::operator()(const Variable& h) const {
  Call call(*this);
  if (h.rank() != 3 || h.size(2) != options.width)
    throw ShapeError(
        fmt::format("KeyValueAttention: needs outputs [B, T, {}]; got {}", options.width, to_string(h.shape())));
  auto [k, v, p] = key_value_parts(h, options.parts);  // key, value, and what predicts
  Memory past = attention.remember(k, v);
  past.allowed = previous_mask({.queries = h.size(1), .keys = h.size(1)}, options.window);
  Attended seen = attention(k, past);  // query: the state's own key
  const Variable& r = seen.context;
  return {call.result("output", tanh(read(r) + predict(p))), call.result("context", r),
          call.result("weights", seen.weights)};
}

Variable KeyValueAttention::step(const Variable& h, Variable& past) const {
  Call call(*this);
  KeyValueParts now = key_value_parts(unsqueeze(h, 1), options.parts);  // [B, 1, P] each
  Variable r(Tensor::zeros(now.value.shape(), h.dtype()));
  if (past.defined()) {
    auto [k, v, p] = key_value_parts(past, options.parts);
    Attended seen = attention(now.key, attention.remember(k, v));
    r = seen.context;
    call.result("weights", seen.weights);
  }
  past = past.defined() ? concat({past, unsqueeze(h, 1)}, 1) : unsqueeze(h, 1);
  if (past.size(1) > options.window) past = slice(past, 1, past.size(1) - options.window, past.size(1));
  r = call.result("context", r);
  return squeeze(call.result("output", tanh(read(r) + predict(now.predict))), 1);
}

KeyValueMemory::KeyValueMemory(const StageOptions& o, Generator& rng)
    : KeyValueMemory(o.key, o.settings.as<Settings>(), rng) {}

KeyValueMemory::KeyValueMemory(int64_t width, const Settings& s, Generator& rng)
    : attention({.width = width, .parts = s.parts, .window = s.window, .score = {}, .normaliser = {}}, rng) {}

}  // namespace heed::nn
