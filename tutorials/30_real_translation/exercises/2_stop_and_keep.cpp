// Exercise 30.2: when to stop, and what to keep.
//
//   best    the epoch with the smallest validation loss so far (the first of equals)
//   stop    after `patience` epochs that brought no better one; 0: never
//   kept    the mean of the parameters after the best epoch and those of the `average` - 1 epochs before it, as far as
//           there are any
//
// What stands in the gap runs to the end and keeps the last epoch.
#include <fmt/format.h>

#include <algorithm>

#include "tutorials/common/exercise.h"

namespace {

struct End {
  int64_t epochs, best;  // epochs that were run; the best one; both counted from 1
  double kept;
};

// losses: of the validation set after each epoch, as they would come; parameters: likewise (a model of one number).
End train(const std::vector<double>& losses, const std::vector<double>& parameters, [[maybe_unused]] int64_t patience,
          [[maybe_unused]] int64_t average) {
  End end{std::ssize(losses), std::ssize(losses), parameters.back()};
  // ---- the gap: stop, and keep ----
  // ---- end of the gap ----
  return end;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("30", 2, "When to stop, and what to keep");
  e.hint("Go through the epochs; remember the best. Leave when epoch - best equals the patience.");
  e.hint("The mean is over the epochs max(1, best - average + 1) to best.");
  return e.run(argc, argv, [&] {
    std::vector<double> losses{5, 4, 3, 3.5, 3.2, 2, 2.5, 2.4, 2.3, 1},
        parameters{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    auto check = [&](const char* what, int64_t patience, int64_t average, int64_t epochs, int64_t best, double kept) {
      End end = train(losses, parameters, patience, average);
      e.check(fmt::format("{}: epochs,", what), static_cast<double>(end.epochs), static_cast<double>(epochs), 0);
      e.check(fmt::format("{}: the best,", what), static_cast<double>(end.best), static_cast<double>(best), 0);
      e.check(fmt::format("{}: what is kept,", what), end.kept, kept, 1e-12);
    };
    check("no patience", 0, 1, 10, 10, 512);
    check("patience 2", 2, 1, 5, 3, 4);
    check("patience 3", 3, 2, 9, 6, 24);
    check("patience 2, the mean of five", 2, 5, 5, 3, 7.0 / 3);
  });
}
