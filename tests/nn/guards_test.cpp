// Guards change a setting of their thread while they live. The newest living one counts, and when all have ended the
// setting is as before, whatever the order in which they end: two in smart pointers may end in any.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "autograd/modes.h"
#include "autograd/ops_matmul.h"
#include "autograd/ops_reduce.h"
#include "nn/init.h"
#include "nn/module.h"
#include "nn/observe.h"
#include "nn/penalties.h"
#include "tensor/elementwise.h"
#include "tensor/profile.h"
#include "tensor/random.h"

using namespace heed;

namespace {

// make(i) makes one of two different guards of a kind, i = 0 or 1; state() says what holds now.
template <class Make, class State>
void any_order(const std::string& kind, Make make, State state) {
  CAPTURE(kind);
  const std::string before = state();
  std::string alone[2], inside;
  for (int i : {0, 1}) {
    auto guard = make(i);
    alone[i] = state();
  }
  {
    auto outer = make(0);
    auto inner = make(1);
    inside = state();
  }
  CHECK(alone[0] + alone[1] != before + before);
  for (int first : {0, 1}) {
    decltype(make(0)) guards[2] = {make(0), make(1)};
    CHECK(state() == inside);
    guards[first].reset();
    CHECK(state() == alone[1 - first]);
    guards[1 - first].reset();
    CHECK(state() == before);
  }
}

// Which of the two grew while probe() ran: "0", "1", "01" or "".
template <class Size, class Probe>
std::string grown(Size size, Probe probe) {
  auto before = std::pair(size(0), size(1));
  probe();
  return std::string(size(0) > before.first ? "0" : "") + (size(1) > before.second ? "1" : "");
}

// A guard that collects: state() asks the living ones how much they have.
template <class Guard, class Size, class Probe>
void any_order_of_collectors(const std::string& kind, Size size, Probe probe) {
  std::weak_ptr<Guard> living[2];
  auto make = [&](int i) {
    auto guard = std::make_shared<Guard>();
    living[i] = guard;
    return guard;
  };
  auto size_of = [&](int i) {
    auto guard = living[i].lock();
    return guard ? size(*guard) : size_t{0};
  };
  any_order(kind, make, [&] { return grown(size_of, probe); });
}

}  // namespace

TEST_CASE("guards: settings of the thread, ended in any order") {
  auto modes = [] {
    return std::to_string(grad_enabled()) + std::to_string(anomaly_slot()) + std::to_string(nn::detail::evaluating) +
           std::string(name_of(nn::parameter_dtype())) + std::to_string(static_cast<int>(precision())) +
           path_name(current_path());
  };
  any_order(
      "GradMode", [](int i) { return std::make_unique<GradMode>(i == 0); }, modes);
  any_order(
      "Anomaly", [](int) { return std::make_unique<Anomaly>(); }, modes);
  any_order(
      "Evaluating", [](int) { return std::make_unique<nn::Evaluating>(); }, modes);
  any_order(
      "NameScope", [](int i) { return std::make_unique<NameScope>(extend_path(0, i ? "one" : "zero")); }, modes);
  any_order(
      "ParameterDType", [](int i) { return std::make_unique<nn::ParameterDType>(i ? DType::f32 : DType::f64); }, modes);
  any_order(
      "PrecisionScope", [](int i) { return std::make_unique<PrecisionScope>(i ? Precision::f32 : Precision::bf16); },
      modes);
  any_order(
      "RecordingScope", [](int) { return std::make_unique<RecordingScope>(); },
      [] { return std::to_string(sum(Variable(Tensor::ones({2}), Variable::kRequiresGrad)).node()->mark != 0); });
}

TEST_CASE("guards: collectors and replays, ended in any order") {
  any_order_of_collectors<Profile>(
      "Profile", [](const Profile& p) { return p.rows().empty() ? 0 : static_cast<size_t>(p.rows()[0].calls); },
      [] { add(Tensor::ones({2}), Tensor::ones({2})); });
  any_order_of_collectors<nn::Penalties>(
      "Penalties", [](const nn::Penalties& p) { return p.terms().size(); },
      [] { nn::Penalties::add("term", Variable(Tensor::scalar(1))); });
  any_order_of_collectors<GeneratorLog>(
      "GeneratorLog", [](const GeneratorLog& log) { return log.draws().size(); }, [] { Generator(1).uniform(); });

  std::string received;
  auto observing = [&](int i) {
    return std::make_unique<nn::Observe>([&received, i](const nn::AttentionSeen&) { received += std::to_string(i); });
  };
  any_order("Observe", observing, [&] {
    received.clear();
    nn::Observe::report(Tensor::ones({1, 1, 1}));
    return received;
  });

  // A replay of seed i refuses a draw of another seed.
  std::vector<GeneratorLog::Draw> draws[2];
  for (uint64_t seed : {0u, 1u}) draws[seed].assign(100, {seed, 0, 1});
  auto drawn = [] {
    std::string good;
    for (uint64_t seed : {0u, 1u}) {
      try {
        Generator(seed).uniform();
        good += std::to_string(seed);
      } catch (const ValueError&) {}
    }
    return good;
  };
  any_order(
      "GeneratorReplay", [&](int i) { return std::make_unique<GeneratorReplay>(draws[i]); }, drawn);

  NoGrad guard;
  PackedWeights packed[2];
  auto count = [&](int i) { return packed[i].count(); };
  auto product = [] { linear(Variable(Tensor::ones({2, 3})), Variable(Tensor::ones({4, 3})), {}); };
  any_order(
      "PackedWeights::Step", [&](int i) { return std::make_unique<PackedWeights::Step>(packed[i]); },
      [&] { return grown(count, product); });
}
