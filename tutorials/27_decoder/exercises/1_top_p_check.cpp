// Hints and checks of exercise 27.1.
#include "tutorials/27_decoder/exercises/1_top_p.h"

#include <cmath>

#include "nn/decode/sampling.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Numbers = std::vector<double>;

// Answers every step with the same probabilities, of the words 4, 5, ..
class Fixed final : public nn::SearchModel {
 public:
  explicit Fixed(const Numbers& p) {
    log_p_ = Tensor::full({1, 4 + std::ssize(p)}, -INFINITY, DType::f64);
    for (size_t i = 0; i < p.size(); ++i) log_p_.set({0, 4 + static_cast<int64_t>(i)}, std::log(p[i]));
  }
  int64_t rows() const override { return 1; }
  Tensor next(const Tensor&) override { return log_p_; }
  void keep(const Tensor&) override {}

 private:
  Tensor log_p_;
};

Numbers shares_of_the_library(const Numbers& p, double top_p) {
  Fixed model(p);
  Generator rng(1);
  Numbers drawn(p.size());
  for (int i = 0; i < 4000; ++i)
    drawn[static_cast<size_t>(nn::sample(model, {.max_lengths = {1}, .top_p = top_p}, rng)[0].tokens.at(0) - 4)] +=
        1.0 / 4000;
  return drawn;
}

void examine(app::Exercise& e) {
  e.check("0.5, 0.3, 0.2 with top_p = 0.6: the probability of word ", mine::nucleus({0.5, 0.3, 0.2}, 0.6),
          {0.625, 0.375, 0}, 1e-12);
  e.check("0.1, 0.9 with top_p = 0.5: the probability of word ", mine::nucleus({0.1, 0.9}, 0.5), {0, 1}, 1e-12);
  e.check("0.4, 0.35, 0.15, 0.1 with top_p = 0.5: the probability of word ", mine::nucleus({0.4, 0.35, 0.15, 0.1}, 0.5),
          {0.4 / 0.75, 0.35 / 0.75, 0, 0}, 1e-12);
  const Numbers p{0.15, 0.5, 0.05, 0.3};
  static const Numbers drawn = shares_of_the_library(p, 0.9);
  e.check("0.15, 0.5, 0.05, 0.3 with top_p = 0.9, against 4000 words drawn by nn::sample: the probability of word ",
          mine::nucleus(p, 0.9), drawn, 0.04);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 1, "Top-p");
  e.hint("The word that reaches top_p is kept; otherwise none would be if the first alone has more.");
  e.hint("Once the sum has reached top_p nothing more is kept, however small.");
  e.hint("Keep a word if the sum of those before it is below top_p.");
  e.insight(
      "The number of kept words follows the model's certainty: one where it is sure, hundreds where it is not. Top-k\n"
      "keeps the same number in both cases.",
      "./heed exercise 27 2");
  return e.run(argc, argv, examine);
}
