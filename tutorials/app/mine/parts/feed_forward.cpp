// The feed-forward network of exercise 24.4 in a transformer and a GPT: of every layer but those of the exercise's own
// encoder, which calls it already.
#include "nn/feed_forward.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable library_network(const std::vector<Variable>& in) {  // x, W_1, b_1, W_2, b_2
  Generator unused(1);
  nn::FeedForward network({.model = in[1].size(1), .inner = in[1].size(0)}, unused);
  network.linear1.weight = in[1], network.linear1.bias = in[2];
  network.linear2.weight = in[3], network.linear2.bias = in[4];
  return network(in[0]);
}

void check(Comparison& c) {
  Generator rng(1);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  c.functions("the feed-forward network",
              [](const auto& in) {
                return mine::feed_forward({in[1], in[2]}, {in[3], in[4]}, in[0]);
              },
              library_network, {normal({2, 3, 4}), normal({6, 4}), normal({6}), normal({4, 6}), normal({4})});
}

void use(Pieces& pieces) {
  pieces.feed_forward = [](const Pieces&, const mine::Affine& first, const mine::Affine& second, const Variable& x) {
    return mine::feed_forward(first, second, x);
  };
}

const Registered part({.name = "feed_forward", .exercise = "24.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
