#include "nn/zoo/dnc.h"

#include "autograd/ops.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/observe.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// bool [N, N], true where column < row
Tensor before_the_row(int64_t N) {
  Tensor at = Tensor::arange(N);
  return less(at.unsqueeze(0), at.unsqueeze(1));
}

}  // namespace

Variable dnc_allocation(const Variable& usage) {
  int64_t B = usage.size(0), N = usage.size(1);
  Sorted in_order = sort(usage, -1);
  Variable others = expand(unsqueeze(in_order.values, 1), {B, N, N}), ones(Tensor::ones({1}, usage.dtype()));
  Variable emptier_are_full = prod(where(before_the_row(N), others, ones), {-1});
  return scatter_add((1 - in_order.values) * emptier_are_full, in_order.indices, N);
}

Variable dnc_link(const Variable& link, const Variable& written, const Variable& precedence) {
  Variable to = unsqueeze(written, 2), from = unsqueeze(written, 1);  // w_i, w_j
  Variable all = (1 - to - from) * link + to * unsqueeze(precedence, 1);
  return masked_fill(all, Tensor::eye(link.size(1), DType::boolean), 0);
}

DNCMemory::DNCMemory(const Options& o, Generator& rng)
    : options(o), map({.in = o.controller, .out = o.width * (o.reads + 3) + 5 * o.reads + 3}, rng) {}

DNCState DNCMemory::begin(int64_t B) const {
  int64_t N = options.cells, W = options.width, R = options.reads;
  auto zeros = [&](const Shape& shape) { return Variable(Tensor::zeros(shape, map.weight.dtype())); };
  return {zeros({B, N, W}), zeros({B, N}),    zeros({B, N}),   zeros({B, N}),
          zeros({B, N, N}), zeros({B, R, N}), zeros({B, R, W})};
}

DNCState DNCMemory::step(const Variable& h, const DNCState& s) const {
  Call call(*this);
  int64_t B = h.size(0), W = options.width, R = options.reads;
  auto raw = split(map(h), {W * R, R, W, 1, W, W, R, 1, 1, 3 * R}, -1);
  Variable keys = reshape(raw[0], {B, R, W}), strengths = 1 + softplus(raw[1]), free = sigmoid(raw[6]);
  Variable modes = softmax(reshape(raw[9], {B, R, 3}), -1);

  DNCState now;
  Variable kept = prod(1 - unsqueeze(free, 2) * s.read, {1});
  now.usage = (s.usage + s.written - s.usage * s.written) * kept;
  Variable content = ntm_content(raw[2], 1 + softplus(raw[3]), s.memory), share = sigmoid(raw[7]);
  now.written = sigmoid(raw[8]) * (share * dnc_allocation(now.usage) + (1 - share) * content);
  now.memory = ntm_written(now.written, s.memory, sigmoid(raw[4]), raw[5]);
  now.link = dnc_link(s.link, now.written, s.precedence);
  now.precedence = (1 - sum(now.written, {-1}, true)) * s.precedence + now.written;

  std::vector<Variable> by_content;
  for (int64_t r = 0; r < R; ++r)
    by_content.push_back(ntm_content(select(keys, 1, r), slice(strengths, 1, r, r + 1), now.memory));
  Variable forward = matmul(s.read, transpose(now.link, 1, 2)), backward = matmul(s.read, now.link);
  now.read =
      slice(modes, 2, 0, 1) * backward + slice(modes, 2, 1, 2) * stack(by_content, 1) + slice(modes, 2, 2, 3) * forward;
  Observe::report(now.read.value());
  now.vectors = call.result("output", matmul(now.read, now.memory));
  call.result("weights", now.read);
  return now;
}

}  // namespace heed::nn
