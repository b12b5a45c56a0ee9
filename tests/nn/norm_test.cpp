// LayerNorm and RMSNorm as modules: names, initial values, refusals. The mathematics is in
// tests/autograd/norm_test.cpp.
#include "nn/norm.h"

#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

TEST_CASE("LayerNorm and RMSNorm: parameters under PyTorch's names, ones and zeros at first") {
  nn::LayerNorm layer = make<nn::LayerNorm>({.shape = {2, 3}}, 1);
  auto named = nn::named_parameters(layer);
  REQUIRE(named.size() == 2);
  CHECK(named[0].name == "weight");
  CHECK(named[1].name == "bias");
  CHECK(bit_equal(layer.weight.value(), Tensor::ones({2, 3})));
  CHECK(all_zero(layer.bias.value()));
  nn::LayerNorm plain = make<nn::LayerNorm>({.shape = {3}, .bias = false}, 1);
  CHECK(nn::count_parameters(plain) == 3);
  nn::LayerNorm bare = make<nn::LayerNorm>({.shape = {3}, .affine = false}, 1);
  CHECK(nn::count_parameters(bare) == 0);
  nn::RMSNorm rms = make<nn::RMSNorm>({.shape = {3}}, 1);
  CHECK(nn::named_parameters(rms)[0].name == "weight");
  Tensor x = random({4, 3}, 2);
  CHECK(bit_equal(bare(x).value(), layer_norm(x).value()));
  CHECK(bit_equal(rms(x).value(), rms_norm(x).value()));
}

TEST_CASE("LayerNorm and RMSNorm: other sizes are refused, without a weight too") {
  nn::LayerNorm bare = make<nn::LayerNorm>({.shape = {2, 3}, .affine = false}, 1);
  nn::RMSNorm rms = make<nn::RMSNorm>({.shape = {3}, .affine = false}, 1);
  refuses<ShapeError>("LayerNorm: [2, 3] got [4, 3]", [&] { bare(random({4, 3}, 1)); });
  refuses<ShapeError>("RMSNorm: [3] got [3, 4]", [&] { rms(random({3, 4}, 1)); });
}
