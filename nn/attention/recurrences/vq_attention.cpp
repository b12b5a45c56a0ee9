#include "nn/attention/recurrences/vq_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "nn/penalties.h"

namespace heed::nn {
namespace {

constexpr double kCodesKept = 0.99, kFewest = 0.01, kVqBase = 100000, kVqEps = 1e-6;

double root_scale(int64_t K) { return std::pow(static_cast<double>(K), -0.25); }

}  // namespace

VqAttentionMixer::VqAttentionMixer(const MixerOptions& o, Generator& rng)
    : BlockMixer(o, "vq_attention"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      gate(square_layer(o.query, rng)),
      positions(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)),
      content(zeros_parameter({o.heads, head_width(options)})),
      position(zeros_parameter({o.heads, head_width(options)})),
      code_sum(init::normal({o.heads, settings.codes, head_width(options)}, rng,
                            {.std = 1 / std::sqrt(static_cast<double>(o.heads * settings.codes))}, parameter_dtype())),
      code_count(Tensor::ones({o.heads, settings.codes}, parameter_dtype())) {
  for (Linear* layer : {&query, &key, &value, &gate, &positions, &output})
    layer->weight = normal_parameter(layer->weight.shape(), 1 / std::sqrt(static_cast<double>(o.query)), rng);
  if (o.query % 2 != 0)
    throw ValueError(
        fmt::format("vq_attention: half of its sinusoids are sines, so the width must be even; got {}", o.query));
}

Tensor VqAttentionMixer::codes() const {
  return div(code_sum, maximum(code_count, Tensor::full({1}, kFewest, code_count.dtype())).unsqueeze(-1));
}

Variable VqAttentionMixer::keys(const Variable& x) const {
  return rms_norm(split_heads(key(x), options.heads), {}, {.eps = kVqEps}) * root_scale(head_width(options));
}

Tensor VqAttentionMixer::nearest(const Tensor& k) const {  // |k - c|^2 without |k|^2
  Tensor c = codes().to(k.dtype());
  Tensor product = matmul(k.contiguous(), c.transpose(1, 2).contiguous());  // [B, H, T, S]
  return argmax(sub(mul(product, 2), sum(mul(c, c), {-1}).unsqueeze(1)), -1);
}

Variable VqAttentionMixer::bias(const Variable& q, const Tensor& distances) const {
  const int64_t D = options.query, H = options.heads, K = D / H, C = settings.block, B = q.size(0), n = q.size(2);
  Tensor r = Tensor::zeros({C + 2, D}, q.dtype());  // of the distances 0, .., C; the last row stands for all others
  for (int64_t d = 0; d <= C; ++d)
    for (int64_t i = 0; i < D / 2; ++i) {
      double angle = static_cast<double>(d) * std::pow(kVqBase, -2 * static_cast<double>(i) / static_cast<double>(D));
      r.set({d, i}, std::sin(angle)), r.set({d, D / 2 + i}, std::cos(angle));
    }
  Variable rows = permute(reshape(positions(Variable(r)), {C + 2, H, K}), {1, 2, 0});  // [H, K, C + 2]
  Variable shifted = q + unsqueeze(position, 1) * root_scale(K);
  Variable products = matmul(shifted, expand(unsqueeze(rows * root_scale(K), 0), {B, H, K, C + 2}));
  Tensor outside = logical_or(less(distances, 0), greater(distances, static_cast<double>(C)));
  Tensor index = where(outside, Tensor::full({1, 1}, static_cast<double>(C + 1), DType::i64), distances);
  return gather(products, index.unsqueeze(0).unsqueeze(0).expand({B, H, n, distances.size(1)}).contiguous());
}

Mixed VqAttentionMixer::mix(const Variable& x, const MixerInput& in) const {
  const bool learns = trains() && !recomputing();
  if (learns && next_sum.defined()) code_sum = std::exchange(next_sum, {}), code_count = std::exchange(next_count, {});
  Mixed mixed = BlockMixer::mix(x, in);
  if (learns) learn(x, in.words);
  return mixed;
}

void VqAttentionMixer::learn(const Variable& x, const Tensor& words) const {
  NoGrad constants;
  Tensor k = keys(words_only(x, words)).value();
  Tensor members = one_hot(nearest(k), settings.codes, k.dtype());  // [B, H, T, S]
  if (words.defined()) members = mul(members, words.to(k.dtype()).unsqueeze(1).unsqueeze(-1));
  Tensor total = sum(matmul(members.transpose(2, 3).contiguous(), k.contiguous()), {0});
  auto moved = [](const Tensor& old, const Tensor& now) {
    return add(mul(old, kCodesKept), mul(now.to(old.dtype()), 1 - kCodesKept));
  };
  next_sum = moved(code_sum, total), next_count = moved(code_count, sum(members, {0, 2}));
}

std::vector<Variable> VqAttentionMixer::start(int64_t B, DType dtype) const {
  const int64_t H = options.heads, K = head_width(options), C = settings.block, S = settings.codes;
  const Shape packed{B, H, C, 2 * K + S + 1};  // keys, values, which code, whether there is a word
  std::vector<Variable> state;
  for (const Shape& shape : {Shape{B, H, S, 1}, Shape{B, H, S, K}, packed, packed})
    state.emplace_back(Tensor::zeros(shape, dtype));
  return state;
}

std::vector<Variable> VqAttentionMixer::parts(const Variable& x, const Tensor& there) const {
  const int64_t H = options.heads;
  Variable q = rms_norm(split_heads(query(x), H), {}, {.eps = kVqEps}) * root_scale(head_width(options)), k = keys(x);
  Tensor chosen = one_hot(nearest(k.value()), settings.codes, k.dtype());
  Variable nearest_code(matmul(chosen, codes().to(k.dtype())));
  if (trains() && Penalties::active()) {
    Tensor words = there.defined() ? there.to(k.dtype()) : Tensor::ones({x.size(0), x.size(1)}, k.dtype());
    Variable away = sum(square(k - nearest_code), {1, 3}) * Variable(words);  // [B, T]
    Variable of_sentence = sum(away, {1}) / Variable(maximum(sum(words, {1}), Tensor::ones({1}, k.dtype())));
    const double directions = options.causal ? 1 : 2;
    Penalties::add("vq_commitment", mean(of_sentence), settings.commitment / directions, MeanOver::sentences);
  }
  Variable code = nearest_code + (k - k.detach());  // its value, and the gradient of k
  Variable one(Tensor::ones({x.size(0), H, x.size(1), 1}, k.dtype()));
  return {q, concat({code, silu(split_heads(value(x), H)), Variable(chosen), one}, -1)};
}

Variable VqAttentionMixer::read(const Piece& piece, std::vector<Variable>& state) const {
  const int64_t n = piece.columns(), to = piece.from + n, K = head_width(options), S = settings.codes,
                C = settings.block;
  const Variable &q = piece.parts[0], count = state[0], mean = state[1], previous = state[2];
  Variable open = piece.placed(state[3], piece.parts[1]);
  Variable near = concat({previous, slice(open, 2, 0, to)}, 2);  // [B, H, C + to, 2 K + S + 1]
  auto part = [&](const Variable& y, int64_t first, int64_t some) { return slice(y, -1, first, first + some); };
  const Places places{.queries = n, .keys = C + to, .first_query = C + piece.from};
  Tensor there = greater(part(near, 2 * K + S, 1).value(), 0).transpose(2, 3);  // [B, H, 1, C + to]
  Variable by_content = q + unsqueeze(content, 1) * root_scale(K);
  Variable recent = matmul(by_content, transpose(part(near, 0, K), -2, -1)) + bias(q, mul(distances(places), -1));
  recent = masked_fill(recent, logical_not(logical_and(there, causal_mask(places))), -INFINITY);
  Tensor numbers = count.value().transpose(2, 3);  // [B, H, 1, S]
  Variable older = matmul(by_content, Variable(codes().to(q.dtype()).transpose(1, 2)));
  older =
      masked_fill(older + Variable(log(maximum(numbers, Tensor::ones({1}, q.dtype())))), equal(numbers, 0), -INFINITY);
  Variable w = softmax(concat({recent, older}, -1));
  Variable o = matmul(part(w, 0, C + to), part(near, K, K)) + matmul(part(w, C + to, S), mean);
  state = {count, mean, previous, open};
  if (!piece.ends()) return o;
  Variable members = part(previous, 2 * K, S);  // zeros without words
  Variable counts = count + transpose(sum(members, {2}, true), 2, 3);
  Variable sums = count * mean + matmul(transpose(members, -2, -1), part(previous, K, K));
  Variable means = sums / Variable(maximum(counts.value(), Tensor::ones({1}, q.dtype())));
  state = {piece.after(counts, count), piece.after(means, mean), piece.after(open, previous),
           piece.after(open * 0, open)};
  return o;
}

Variable VqAttentionMixer::finished(const Variable& x, const Variable& o) const { return output(o * silu(gate(x))); }

}  // namespace heed::nn
