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

TEST_CASE("optimisers refuse a state that is not theirs, and stay as they were") {
  auto parameters = two(1);
  nn::Adam adam(parameters, {.learning_rate = 0.1});
  nn::SGD sgd(parameters, {.learning_rate = 0.1});
  give(parameters, 1);
  adam.step();
  auto refusal = [&](nn::Optimizer& into, auto change) {
    io::SafeTensors file = adam.save_state(), before = into.save_state();
    change(file);
    std::string said = message_of<IoError>([&] { into.load_state(file, "o"); });
    CHECK(into.save_state().metadata == before.metadata);
    CHECK(into.save_state().tensors.size() == before.tensors.size());
    return said;
  };
  auto with = [&](const char* key, const char* value) {
    return refusal(adam, [&](io::SafeTensors& f) { f.metadata[key] = value; });
  };
  auto same = [](io::SafeTensors&) {};
  CHECK(refusal(adam, same) == "no error");
  CHECK(refusal(sgd, same) == "load: \"o\": must hold the state of SGD; got Adam");
  CHECK(refusal(adam, [](io::SafeTensors& f) { f.metadata.clear(); }) == "load: \"o\": holds no optimiser state");
  for (const char* steps : {"", "-1", "1e3", "9999999999999999999"})
    CHECK(with("steps", steps) == fmt::format("load: \"o\": steps must be a number; got \"{}\"", steps));
  CHECK(with("groups", "2") == "load: \"o\": the parameter groups must be 1; got \"2\"");
  CHECK(with("group.b", "1") == "load: \"o\": b must be in group 0; got group 1");
  CHECK(with("steps.b", "2") == "load: \"o\": steps.b must be a number of at most 1; got \"2\"");
  CHECK(with("group0.beta1", "1.5") == "load: \"o\": Adam: beta1 must lie in [0, 1); got 1.5");
  for (const char* beta : {"0.9x", "", " 0.9", "+0.9", "0x1p-1", "1e999", "0.9 "})
    CHECK(with("group0.beta1", beta) == fmt::format("load: \"o\": group0.beta1 must be a number; got \"{}\"", beta));
  CHECK(with("group0.amsgrad", "1") == "load: \"o\": group0.amsgrad must be true or false; got \"1\"");
  CHECK(with("group0.learning_rate", "0") == "load: \"o\": Adam: learning_rate must lie in (0, inf); got 0");
  CHECK(with("learning_rate", "nan") == "load: \"o\": Adam: the learning rate of a step must be at least 0; got nan");
  CHECK(with("group0.amsgrad", "true") == "load: \"o\": the tensor largest.a is missing");
  CHECK(refusal(adam, [](io::SafeTensors& f) { f.metadata.erase("group0.beta2"); }) ==
        "load: \"o\": group0.beta2 is missing");
  CHECK(refusal(adam, [](io::SafeTensors& f) {
          for (auto& [name, t] : f.tensors)
            if (name == "square.a") t = Tensor::zeros({4, 3});
        }) == "load: \"o\": square.a must have the parameter's shape; got [4, 3] for [3, 4]");
  CHECK(refusal(adam, [](io::SafeTensors& f) {
          for (auto& [name, t] : f.tensors)
            if (name == "square.a") t = Tensor::zeros({3, 4}, DType::i64);
        }) == "load: \"o\": square.a must hold real numbers; got i64");
  CHECK(refusal(adam, [](io::SafeTensors& f) {
          std::erase_if(f.tensors, [](const auto& t) { return t.first == "mean.a"; });
        }) == "load: \"o\": the tensor mean.a is missing");
  CHECK(refusal(adam, [](io::SafeTensors& f) { f.tensors.emplace_back("mean.c", Tensor::zeros({1})); }) ==
        "load: \"o\": the tensor mean.c does not belong to this optimiser");
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
