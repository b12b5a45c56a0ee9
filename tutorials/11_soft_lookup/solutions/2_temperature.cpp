// Exercise 11.2: how cold must it be?
//
//   |soft - hard| <= (S - 1) r exp(-lead / t)
//
// S keys, r the largest value less the smallest, lead the best score less the second best, t the temperature. Derive
// the highest temperature at which this bound is at most eps, and write it as code. t = lead is in the right unit and
// no more. The checks put your temperature into the bound, and into a look-up.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/common/exercise.h"

namespace {

struct Table {
  double keys, range, lead;  // S, r, lead
};

double temperature(const Table& table, double eps) {
  // ---- the gap, filled ----
  return table.lead / std::log((table.keys - 1) * table.range / eps);
  // ---- end of the gap ----
}

// The best key has the value 0 and leads all others, which have the value r, by `lead`.
double soft_less_hard(const Table& table, double t) {
  using namespace heed;
  auto S = static_cast<int64_t>(table.keys);
  Tensor scores = Tensor::full({1, 1, S}, -table.lead / t, DType::f64);
  Tensor values = Tensor::full({1, S, 1}, table.range, DType::f64);
  scores.set({0, 0, 0}, 0);
  values.set({0, 0, 0}, 0);
  return nn::attend(Variable(scores), Variable(values)).context.item();
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 2, "How cold must it be?");
  e.hint("Set the bound equal to eps and take the logarithm of both sides.");
  e.hint("More keys or a smaller eps need a lower temperature, a larger lead allows a higher one.");
  return e.run(argc, argv, [&] {
    for (Table table : {Table{3, 8, std::log(1.5)}, Table{2, 1, 1}, Table{50, 3, 0.1}, Table{1000, 100, 7}})
      for (double eps : {0.1, 1e-6}) {
        double t = temperature(table, eps);
        std::string where =
            fmt::format("{:g} keys, range {:g}, lead {:.3g}, eps {:g}", table.keys, table.range, table.lead, eps);
        if (!e.check(fmt::format("the bound over eps ({}):", where),
                     (table.keys - 1) * table.range * std::exp(-table.lead / t) / eps, 1, 1e-9))
          continue;
        e.check(fmt::format("1 if soft and hard differ by at most eps ({}):", where),
                soft_less_hard(table, t) <= eps ? 1 : 0, 1, 0);
      }
  });
}
