// Hints, common mistakes and checks of exercise 30.2.
#include <fmt/format.h>

#include <algorithm>

#include "tutorials/30_real_translation/exercises/2_stop_and_keep.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::End;
using Numbers = const std::vector<double>&;

double at(Numbers values, int64_t epoch) { return values[static_cast<std::size_t>(epoch - 1)]; }

// The right answer with one part exchanged.
struct Wrong {
  bool last_of_equals = false, late = false, never = false, zero_stops = false, rises = false, early = false;
  bool window_at_end = false, best_alone = false, without_best = false, divide_by_average = false, sum = false;
};

End ended(Numbers losses, int64_t patience, const Wrong& wrong) {
  End end{0, 1, 0};
  int64_t rises = 0;  // epochs in a row that were worse than the one before
  for (int64_t epoch = 1; epoch <= std::ssize(losses); ++epoch) {
    const double loss = at(losses, epoch), best = at(losses, end.best);
    if (loss < best || (wrong.last_of_equals && loss == best)) end.best = epoch;
    rises = epoch > 1 && loss > at(losses, epoch - 1) ? rises + 1 : 0;
    end.epochs = epoch;
    const int64_t waited = wrong.rises ? rises : epoch - end.best + (wrong.early ? 1 : 0) - (wrong.late ? 1 : 0);
    const bool may_stop = (patience > 0 || wrong.zero_stops) && !wrong.never;
    if (may_stop && waited >= patience && (epoch > 1 || wrong.zero_stops)) break;
  }
  return end;
}

End trained(Numbers losses, Numbers parameters, int64_t patience, int64_t average, const Wrong& wrong) {
  End end = ended(losses, patience, wrong);
  const int64_t last = (wrong.window_at_end ? end.epochs : end.best) - (wrong.without_best ? 1 : 0);
  const int64_t first = wrong.best_alone ? last : std::max<int64_t>(1, last - average + 1);
  for (int64_t epoch = first; epoch <= last; ++epoch) end.kept += at(parameters, epoch);
  end.kept /= static_cast<double>(wrong.divide_by_average ? average : wrong.sum ? 1 : last - first + 1);
  return end;
}

app::Mistake<decltype(&mine::train)> mistake(const char* sentence, decltype(&mine::train) answer) {
  return {sentence, answer};
}
const std::vector<app::Mistake<decltype(&mine::train)>> mistakes{
    mistake("The gap is still open: training runs to the end and keeps the last epoch",
            [](Numbers l, Numbers p, int64_t, int64_t) {
              return End{std::ssize(l), std::ssize(l), p.back()};
            }),
    mistake("Training never stops early: leave the loop when epoch - best equals the patience",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.never = true}); }),
    mistake("Training stops one epoch too late: stop when epoch - best equals the patience",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.late = true}); }),
    mistake("Training stops one epoch too early: the patience counts the epochs after the best one",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.early = true}); }),
    mistake("A patience of 0 stops training: 0 means that it never stops early",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.zero_stops = true}); }),
    mistake(
        "You count how often in a row the loss rises: count the epochs since the best one, whatever happens between",
        [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.rises = true}); }),
    mistake("Of equal losses the last one counts as the best: take the first, with < and not <=",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.last_of_equals = true}); }),
    mistake("The last epochs are averaged: the window ends with the best epoch",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.window_at_end = true}); }),
    mistake("The best epoch is kept alone: average it with the `average` - 1 epochs before it",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.best_alone = true}); }),
    mistake("The best epoch is missing from the mean: the window ends with it",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.without_best = true}); }),
    mistake(
        "The sum is divided by `average` even if there are fewer epochs: divide by the number of epochs in the sum",
        [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.divide_by_average = true}); }),
    mistake("The parameters are added up: divide by the number of epochs in the sum",
            [](Numbers l, Numbers p, int64_t n, int64_t a) { return trained(l, p, n, a, {.sum = true}); }),
};

void examine(app::Exercise& e, const decltype(&mine::train)& train) {
  const std::vector<double> losses{5, 4, 3, 3.5, 3.2, 2, 2.5, 2.4, 2.3, 1}, equal{3, 2, 2, 2, 2, 1},
      parameters{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  auto check = [&](Numbers of, const char* what, int64_t patience, int64_t average, int64_t epochs, int64_t best,
                   double kept) {
    End end = train(of, parameters, patience, average);
    e.check(fmt::format("{}: the number of epochs", what), static_cast<double>(end.epochs), static_cast<double>(epochs),
            0);
    e.check(fmt::format("{}: the best epoch", what), static_cast<double>(end.best), static_cast<double>(best), 0);
    e.check(fmt::format("{}: what is kept", what), end.kept, kept, 1e-12);
  };
  check(losses, "no patience", 0, 1, 10, 10, 512);
  check(losses, "patience 1", 1, 1, 4, 3, 4);
  check(losses, "patience 2", 2, 1, 5, 3, 4);
  check(losses, "patience 3, the mean of two", 3, 2, 9, 6, 24);
  check(losses, "patience 2, the mean of five", 2, 5, 5, 3, 7.0 / 3);
  check(equal, "equal losses, patience 3", 3, 1, 5, 2, 2);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("30", 2, "When to stop, and what to keep");
  e.hint("Go through the epochs; remember the best. Leave the loop when epoch - best equals the patience.");
  e.hint("Does a patience of 0 stop your loop? It must not.");
  e.hint("The mean is over the epochs max(1, best - average + 1) to best.");
  e.insight(
      "A patience that is too small stops before an improvement: with 2, training ended at a loss of 3 and never saw "
      "1.\n"
      "The mean costs no training: it is computed from files that were saved on the way.",
      "./heed exercise 30 3");
  return e.run(argc, argv, mine::train, examine, mistakes);
}
