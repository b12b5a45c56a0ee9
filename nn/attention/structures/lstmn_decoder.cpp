#include "nn/attention/structures/lstmn_decoder.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

using Options = LSTMNDecoderOptions;

const Options& checked(const Options& o) {
  if (o.fusion != "none" && o.fusion != "shallow" && o.fusion != "deep")
    throw ValueError(
        fmt::format("LSTMNDecoder: no fusion of this name; got `{}`; there are none, shallow, deep", o.fusion));
  return o;
}

std::optional<Attention> make_attention(const Options& o, Generator& rng) {
  if (o.fusion == "none") return std::nullopt;
  ScoreOptions score{.query = o.fusion == "deep" ? o.input + o.hidden : o.hidden, .key = o.hidden};
  score.settings["width"] = static_cast<double>(o.attention ? o.attention : o.hidden);
  return std::optional<Attention>(std::in_place, AttentionOptions{.score = score}, rng);
}

}  // namespace

LSTMNDecoder::LSTMNDecoder(const Options& o, Generator& rng)
    : options(checked(o)),
      lstmn({.input = o.fusion == "shallow" ? o.input + o.hidden : o.input,
             .hidden = o.hidden,
             .attention = o.attention,
             .tape = o.tape},
            rng),
      attention(make_attention(o, rng)) {
  if (o.fusion == "deep") gate.emplace(Linear::Options{.in = o.hidden + o.input, .out = o.hidden}, rng);
}

SourceTape LSTMNDecoder::remember(const LSTMN::Sequence& source, const Tensor& lengths) const {
  Call call(*this);
  if (!attention) return {};
  return {attention->remember(source.h, source.h, lengths), source.c};
}

FusionState LSTMNDecoder::begin(const LSTMState& first) const { return {.tape = lstmn.begin(first)}; }

Variable LSTMNDecoder::step(const Variable& x, const SourceTape& source, FusionState& state) const {
  Call call(*this);
  auto read = [&](const Variable& query) { return (*attention)(unsqueeze(query, 1), source.memory, state.alignment); };
  if (options.fusion == "none") return call.result("state", lstmn.step(x, state.tape).h);
  if (options.fusion == "shallow") {
    Variable context = squeeze(read(state.tape.h.back()).context, 1);
    return call.result("state", lstmn.step(concat({x, context}, -1), state.tape).h);
  }
  int64_t B = x.size(0), N = options.hidden;
  if (!state.source.defined()) state.source = Variable(Tensor::zeros({B, N}, x.dtype()));
  Attended seen = read(concat({x, state.source}, -1));
  state.source = squeeze(seen.context, 1);                          // g~_t [B, N]
  Variable cells = squeeze(matmul(seen.weights, source.cells), 1);  // a~_t, with the same weights
  Variable r = sigmoid((*gate)(concat({state.source, x}, -1)));
  return call.result("state", lstmn.step(x, state.tape, r * cells).h);
}

}  // namespace heed::nn
