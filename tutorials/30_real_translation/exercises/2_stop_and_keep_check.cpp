// Hints and checks of exercise 30.2.
#include <fmt/format.h>

#include "tutorials/30_real_translation/exercises/2_stop_and_keep.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::End;
using Numbers = const std::vector<double>&;

void examine(app::Exercise& e) {
  const std::vector<double> losses{5, 4, 3, 3.5, 3.2, 2, 2.5, 2.4, 2.3, 1}, equal{3, 2, 2, 2, 2, 1},
      parameters{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  auto check = [&](Numbers of, const char* what, int64_t patience, int64_t average, int64_t epochs, int64_t best,
                   double kept) {
    End end = mine::train(of, parameters, patience, average);
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
  return e.run(argc, argv, examine);
}
