// Training for long: memory stays where it was, and a run that was stopped goes on exactly.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "autograd/modes.h"
#include "nn/models/bahdanau.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/train/checkpoint.h"
#include "tensor/allocator.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

#ifdef HEED_SANITIZED
constexpr int kSteps = 400;  // sanitizers are slow, and the allocator keeps no cache under them
constexpr bool kCaching = false;
#else
constexpr int kSteps = 10000;
constexpr bool kCaching = true;
#endif

double train_step(nn::Bahdanau& model, nn::Optimizer& optimizer, int step) {
  Tensor source = step % 2 ? ids({4, 3}, {1, 2}) : ids({4, 5, 3, 5, 3, 0}, {2, 3});
  Tensor lengths = step % 2 ? ids({2}, {1}) : ids({3, 2}, {2});
  Tensor in = step % 2 ? ids({2, 4}, {1, 2}) : ids({2, 5, 2, 4}, {2, 2});
  Tensor out = step % 2 ? ids({4, 3}, {1, 2}) : ids({5, 3, 4, 3}, {2, 2});
  optimizer.zero_grad();
  Variable loss = cross_entropy(model(source, lengths, in), out, {.label_smoothing = 0.1});
  backward(loss);
  nn::clip_grad_norm(optimizer.parameters(), 1);
  optimizer.step();
  return loss.item();
}

const nn::Bahdanau::Options kTiny = small_paper<nn::Bahdanau>(6, 6, 2, 3, 0.1);

}  // namespace

TEST_CASE("ten thousand training steps ask for no more nodes, tensors or memory than the first hundred") {
  LeakCheck whole;
  {
    nn::Bahdanau model = make<nn::Bahdanau>(kTiny, 1);
    nn::Adam adam(nn::named_parameters(model), {.learning_rate = 1e-3});
    int step = 0;
    for (; step < 100; ++step) train_step(model, adam, step);
    LeakCheck check;
    AllocatorStats before = allocator_stats();
    for (; step < 100 + kSteps; ++step) train_step(model, adam, step);
    AllocatorStats after = allocator_stats();
    CHECK(check.nodes() == 0);
    CHECK(check.tensors() == 0);
    CHECK(after.live_bytes == before.live_bytes);
    if (kCaching) CHECK(after.system_allocations == before.system_allocations);
  }
  CHECK_FALSE(whole.leaked());
}

TEST_CASE("a run that is stopped and resumed ends with the same bits: weights, averages, dropout") {
  nn::Bahdanau straight = make<nn::Bahdanau>(kTiny, 1), resumed = make<nn::Bahdanau>(kTiny, 2);
  nn::Adam adam(nn::named_parameters(straight), {.learning_rate = 1e-2});
  for (int step = 0; step < 7; ++step) train_step(straight, adam, step);
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-run-{}", getpid())).string();
  nn::WarmupCosine schedule({.peak = 1e-2, .warmup = 3, .total = 20}), fresh_schedule({});
  auto parts = [](nn::Bahdanau& m, nn::Optimizer& o, nn::Schedule& s) {
    return nn::Parts{nn::part("model", m), nn::generators_part("generators", m), nn::part("optimizer", o),
                     nn::part("schedule", s)};
  };
  nn::save_checkpoint(path, parts(straight, adam, schedule));
  std::vector<double> losses;
  for (int step = 7; step < 20; ++step) losses.push_back(train_step(straight, adam, step));

  nn::Adam again(nn::named_parameters(resumed), {});
  nn::load_checkpoint(path, parts(resumed, again, fresh_schedule));
  std::filesystem::remove(path);
  CHECK(nn::save_generators(resumed).metadata.size() == 3);  // the model's dropout, the encoder's, the decoder's
  CHECK(fresh_schedule(11) == schedule(11));
  for (int step = 7; step < 20; ++step)
    CHECK(train_step(resumed, again, step) == losses[static_cast<size_t>(step - 7)]);
  auto a = nn::named_parameters(straight), b = nn::named_parameters(resumed);
  for (size_t i = 0; i < a.size(); ++i) CHECK(bit_equal(a[i].variable.value(), b[i].variable.value()));
}
