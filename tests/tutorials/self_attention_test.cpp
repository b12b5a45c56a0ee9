// Lesson 22's numbers by hand, as its README prints them.
#include <doctest/doctest.h>

#include "tensor/elementwise.h"
#include "tutorials/22_self_attention/thinking.h"

using namespace heed;

TEST_CASE("Thinking Machines: every matrix that the lesson prints") {
  heads::Thinking t = heads::thinking_machines();
  auto same = [](const Tensor& m, const std::vector<double>& numbers) {
    CHECK(max_abs_difference(m, Tensor::from(numbers, m.shape())) < 5e-4);
  };
  same(t.heads[0].q, {2, 0, 1, 2});
  same(t.heads[0].k, {1, 1, 2, 1});
  same(t.heads[0].v, {1, 1, 1, 4});
  same(t.heads[0].scores, {1.414, 2.828, 2.121, 2.828});
  same(t.heads[0].weights, {0.196, 0.804, 0.330, 0.670});
  same(t.heads[0].z, {1, 3.413, 1, 3.009});
  same(t.heads[1].q, {0, 1, 2, 1});
  same(t.heads[1].k, {2, 1, 1, 0});
  same(t.heads[1].v, {2, 0, 1, 1});
  same(t.heads[1].scores, {0.707, 0, 3.536, 1.414});
  same(t.heads[1].weights, {0.670, 0.330, 0.893, 0.107});
  same(t.heads[1].z, {1.670, 0.330, 1.893, 0.107});
  same(t.z, {1, 3.413, 1.670, 0.330, 1, 3.009, 1.893, 0.107});
  same(t.output, {1.330, 3.413, 1.670, -0.340, 1.107, 3.009, 1.893, -0.786});
  CHECK(max_abs_difference(t.output, heads::by_the_layer(t)) < 1e-12);
}
