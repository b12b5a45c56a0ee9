// States of optimisers: train, save, load into a fresh one, train on: the bits of an uninterrupted run. And what is
// refused.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "nn/optim/cosine.h"
#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

const nn::WarmupCosine kSchedule({.peak = 0.3, .warmup = 3, .total = 12, .floor = 0.01});

// Steps from..to - 1; b joins at step 2.
void train(nn::Optimizer& optimizer, const Parameters& p, uint64_t from, uint64_t to) {
  for (uint64_t step = from; step < to; ++step) {
    give(p, 10 * step);
    if (step < 2) Variable(p[1].variable).zero_grad();
    optimizer.step(kSchedule);
  }
}

}  // namespace

TEST_CASE("optimisers resume from a saved state to the bit, through a file and as a snapshot") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    auto through = two(1), before = two(1);
    auto a = kind.make(through), b = kind.make(before);
    train(*a, through, 0, 9);
    train(*b, before, 0, 5);
    io::SafeTensors in_memory = b->save_state();
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-optimizer-{}", getpid())).string();
    io::save_safetensors(path, in_memory);
    auto resumed = copies(before), again = copies(before);
    auto c = kind.make(resumed), d = kind.make(again);
    c->load_state(io::load_safetensors(path), path);
    std::filesystem::remove(path);
    CHECK(c->steps() == 5);
    CHECK(c->learning_rate == b->learning_rate);
    train(*c, resumed, 5, 9);
    CHECK(same_values(through, resumed));
    train(*b, before, 5, 9);
    d->load_state(in_memory, "memory");  // training on has not changed it
    train(*d, again, 5, 9);
    CHECK(same_values(through, again));
  }
}

TEST_CASE("an optimiser takes its options from the state, those of every group") {
  auto p = two(1), q = copies(p);
  nn::Adam saved({{{p[0]}, {.learning_rate = 0.1, .beta1 = 1.0 / 3}}, {{p[1]}, {.amsgrad = true}}});
  nn::Adam fresh({{{q[0]}, {}}, {{q[1]}, {}}});
  train(saved, p, 0, 4);
  fresh.load_state(saved.save_state(), "memory");
  q = copies(p);  // other handles: the optimiser still holds the old ones
  nn::Adam third({{{q[0]}, {}}, {{q[1]}, {}}});
  third.load_state(fresh.save_state(), "memory");
  train(saved, p, 4, 7);
  train(third, q, 4, 7);
  CHECK(same_values(p, q));
  CHECK(third.save_state().metadata == saved.save_state().metadata);
}

TEST_CASE("optimisers that refused a state step as if it had never come: the groups keep their learning rates") {
  auto p = two(1), q = copies(p);
  auto grouped = [](const std::vector<NamedVariable>& of) {
    return nn::SGD({{{of[0]}, {.learning_rate = 0.1, .momentum = 0.9}}, {{of[1]}, {.learning_rate = 0.3}}});
  };
  nn::SGD refuses_one = grouped(p), other = grouped(q);
  train(refuses_one, p, 0, 2), train(other, q, 0, 2);
  io::SafeTensors file = other.save_state();
  file.metadata["group1.learning_rate"] = "7", file.tensors.clear();
  CHECK(message_of<IoError>([&] { refuses_one.load_state(file, "o"); }) ==
        "load: \"o\": the tensor momentum.a is missing");
  train(refuses_one, p, 2, 4), train(other, q, 2, 4);
  CHECK(same_values(p, q));
}
