// Structures of the catalogue against PyTorch's numbers: values, and the gradient of every input and parameter.
#include <doctest/doctest.h>

#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/zoo/bidaf.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("BiDAF, with padding in the question") {
    in_both_precisions("bidaf", [](Golden& g, DType) {
      Generator rng(1);
      nn::BiDAF m({.width = 5}, rng);
      g.load(m);
      Variable h = g.leaf("text"), u = g.leaf("question");
      nn::BiDAFOutput y = m(h, u, {}, equal(g.ids("padding"), 0));
      g.check_module(m, {{"g", y.output}, {"question", y.question}, {"text", y.text}}, {{"text", h}, {"question", u}});
    });
  }

  TEST_CASE("slot attention, three iterations") {
    in_both_precisions("slot_attention", [](Golden& g, DType) {
      Generator rng(1);
      nn::SlotAttention m({.input = 4, .width = 5, .slots = 3}, rng);
      g.load(m);
      Variable x = g.leaf("x");
      nn::Attended y = m(x);
      g.check_module(m, {{"slots", y.context}, {"weights", y.weights}}, {{"x", x}});
    });
  }

  TEST_CASE("Hopfield retrieval, three steps, and the energy") {
    in_both_precisions("hopfield", [](Golden& g, DType) {
      Variable x = g.leaf("state"), p = g.leaf("patterns");
      nn::Retrieved y =
          nn::hopfield_retrieve(x, p, {.beta = g.number("beta"), .steps = g.integer("steps"), .tolerance = -1});
      g.check({{"state", y.state}, {"energy", nn::hopfield_energy(x, p, g.number("beta"))}},
              {{"state", x}, {"patterns", p}});
    });
  }

  TEST_CASE("the head of a neural Turing machine: address, read and write") {
    in_both_precisions("ntm_head", [](Golden& g, DType) {
      Generator rng(1);
      nn::NTMHead m({.controller = 3, .width = 5, .writes = true}, rng);
      g.load(m);
      Variable h = g.leaf("h"), memory = g.leaf("memory"), before = g.leaf("before");
      nn::NTMControl c = m.control(h);
      Variable w = m.address(c, memory, before);
      g.check_module(
          m,
          {{"weights", w}, {"written", nn::ntm_written(w, memory, c.erase, c.add)}, {"read", nn::ntm_read(w, memory)}},
          {{"h", h}, {"memory", memory}, {"before", before}});
    });
  }
}
