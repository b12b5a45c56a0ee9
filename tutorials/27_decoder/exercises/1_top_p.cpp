// Exercise 27.1: top-p.
//
// Of the words, likeliest first, keep as few as have the probability top_p together; at least one. All others get the
// probability 0, the kept ones are divided by their sum.
//
// What stands in the gap keeps words while they do not exceed top_p. What if the first alone does?
// The checks compare it with the library's draws and with cases done by hand.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "nn/decode/sampling.h"
#include "tutorials/common/exercise.h"

namespace {

std::vector<double> nucleus(const std::vector<double>& p, double top_p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  std::vector<double> out(p.size());
  double sum = 0;
  // ---- the gap: which words are kept? ----
  for (size_t w : order)
    if (sum + p[w] <= top_p) sum += out[w] = p[w];
  // ---- end of the gap ----
  for (double& q : out) q /= sum;
  return out;
}

// Answers every step with the same probabilities, of the words 4, 5, ..
class Fixed final : public heed::nn::SearchModel {
 public:
  explicit Fixed(const std::vector<double>& p) {
    log_p_ = heed::Tensor::full({1, 4 + std::ssize(p)}, -INFINITY, heed::DType::f64);
    for (size_t i = 0; i < p.size(); ++i) log_p_.set({0, 4 + static_cast<int64_t>(i)}, std::log(p[i]));
  }
  int64_t rows() const override { return 1; }
  heed::Tensor next(const heed::Tensor&) override { return log_p_; }
  void keep(const heed::Tensor&) override {}

 private:
  heed::Tensor log_p_;
};

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 1, "Top-p");
  e.hint("The word that reaches top_p is kept, or none would be where the first alone has more.");
  e.hint("Once top_p is reached nothing more is kept, however small.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    e.check("0.5, 0.3, 0.2 at 0.6", nucleus({0.5, 0.3, 0.2}, 0.6), {0.625, 0.375, 0}, 1e-12);
    e.check("0.1, 0.9 at 0.5", nucleus({0.1, 0.9}, 0.5), {0, 1}, 1e-12);
    e.check("0.4, 0.35, 0.15, 0.1 at 0.5", nucleus({0.4, 0.35, 0.15, 0.1}, 0.5), {0.4 / 0.75, 0.35 / 0.75, 0, 0},
            1e-12);
    const std::vector<double> p{0.15, 0.5, 0.05, 0.3};
    Fixed model(p);
    Generator rng(1);
    std::vector<double> drawn(4);
    for (int i = 0; i < 4000; ++i)
      drawn[static_cast<size_t>(nn::sample(model, {.max_lengths = {1}, .top_p = 0.9}, rng)[0].tokens.at(0) - 4)] +=
          1.0 / 4000;
    e.check("4000 words drawn by nn::sample at 0.9 against your shares", drawn, nucleus(p, 0.9), 0.04);
  });
}
