// Hints and checks of exercise 11.2.
#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/11_soft_lookup/exercises/2_temperature.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Table;

// The best key has the value 0 and leads all others, which have the value r, by `lead`.
double difference(const Table& table, double t) {
  auto S = static_cast<int64_t>(table.keys);
  Tensor scores = Tensor::full({1, 1, S}, -table.lead / t, DType::f64);
  Tensor values = Tensor::full({1, S, 1}, table.range, DType::f64);
  scores.set({0, 0, 0}, 0);
  values.set({0, 0, 0}, 0);
  return nn::attend(Variable(scores), Variable(values)).context.item();
}

void examine(app::Exercise& e) {
  for (const Table& table : {Table{3, 8, std::log(1.5)}, Table{2, 1, 1}, Table{50, 3, 0.1}, Table{1000, 100, 7}})
    for (double eps : {0.1, 1e-6}) {
      double t = mine::temperature(table, eps);
      std::string where =
          fmt::format("{:g} keys, range {:g}, lead {:.3g}, eps {:g}", table.keys, table.range, table.lead, eps);
      if (!e.check(fmt::format("bound / eps ({}) at your temperature {:.6g}", where, t),
                   (table.keys - 1) * table.range * std::exp(-table.lead / t) / eps, 1, 1e-9))
        continue;
      e.check(fmt::format("the difference of soft and hard ({})", where),
              difference(table, t) <= eps ? "at most eps" : "more than eps", "at most eps");
    }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 2, "How low must the temperature be?");
  e.hint("Set the bound equal to eps and take the logarithm of both sides.");
  e.hint("More keys or a smaller eps need a lower temperature; a larger lead allows a higher one.");
  e.insight(
      "The number of keys enters as a logarithm: a thousand times as many keys need a lead that is larger by 6.9 t.\n"
      "A softmax can therefore pick one of many keys, if its score leads by a little.",
      "./heed exercise 11 3");
  return e.run(argc, argv, examine);
}
