// Hints and checks of exercise 10.4.
#include "tutorials/10_fixed_vector/exercises/4_scheduled_sampling.h"

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "nn/train/scheduled_sampling.h"
#include "tensor/reduce.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using data::Batch;
constexpr int64_t kPad = text::Vocabulary::pad;

void examine(app::Exercise& e) {
  for (int64_t step : {0, 7, 30, 100})
    e.check(fmt::format("share({}, 12)", step), mine::share(step, 12), nn::inverse_sigmoid_decay(step, 12), 1e-12);
  Generator rng(3);
  auto options = app::copier_options<nn::Cho>(6);
  data::Task task =
      data::copy_task({.symbols = 8, .lengths = {2, 6}, .parts = {.train = 6, .validation = 0, .test = 0}});
  options.source.vocabulary = task.source.size(), options.target.vocabulary = task.target.size();
  nn::Cho model(options, rng);
  nn::convert(model, DType::f64);
  for (auto& p : nn::parameters(model)) p.set_value(Tensor::normal(p.shape(), rng, 0, 1, DType::f64));
  const Batch batch = data::make_batch(task.encode(task.train), {0, 1, 2, 3, 4, 5});
  for (double truth : {1.0, 0.5, 0.0}) {
    Generator draws(11), same(11);
    Variable ours = mine::scheduled_loss(model, batch, truth, draws);
    Variable theirs =
        cross_entropy(nn::scheduled_logits(model, batch.source, batch.lengths, batch.target_in, truth, same),
                      batch.target_out, {.ignore_index = kPad});
    e.check(fmt::format("the loss with truth = {}", truth), ours.value(), theirs.value(), 1e-10);
    auto gradient = [&](const Variable& loss) { return grad({loss}, {model.target_embedding.weight})[0].value(); };
    e.check(fmt::format("the gradient of the target embedding with truth = {}, element ", truth), gradient(ours),
            gradient(theirs), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 4, "Scheduled sampling");
  e.hint("Keep the symbols of a step in a std::vector<int64_t>; Tensor::from(read, {B}) is what embed takes.");
  e.hint("is_true = t == 0 || rng.uniform() < truth: at t = 0 the second half is not evaluated, so nothing is drawn.");
  e.hint("log_softmax(model.logits(step.features), -1) is [B, V]; argmax(log_p.value(), 1) is [B].");
  e.hint("select(select(log_p, 0, b), 0, symbol) is log p of one symbol of row b. Leave out the rows at <pad>.");
  e.insight(
      "No gradient passes through the choice of a symbol: the decoder learns to go on after its own errors, not to "
      "avoid\n"
      "them. Lesson 13 measures what this gains and what it costs.",
      "./heed run 11");
  return e.run(argc, argv, examine);
}
