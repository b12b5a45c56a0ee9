// Every mixer of the catalogue: all words at once against one word after another, in f64 and f32, with parameters so
// large that gates close, decays forget at once and weights are one-hot.
#include <cmath>

#include "autograd/modes.h"
#include "nn/cases/small_stages.h"
#include "tests/nn/attention/mixer_subject.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

double apart(const Tensor& a, const Tensor& b) {
  return max_abs_difference(a, b) / std::max(1.0, amax(abs(b), {}).item());
}

}  // namespace

TEST_CASE("mixers: all words at once have the digits of one word after another, for small and large parameters") {
  for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::mixer))
    for (double scale : {1.0, 8.0, 100.0}) {
      if (!nn::can_be_built(entry) || entry.exempt.contains(nn::kLaterWordsAreNotRead)) continue;
      CAPTURE(entry.name);
      CAPTURE(scale);
      const int64_t T = 20;
      auto made = [&](DType dtype) {
        nn::StageOptions o = nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 2, .longest = T});
        if (o.settings.contains("chunk")) o.settings["chunk"] = 16;
        auto m = small_mixer(nn::text_of(nn::Kind::mixer, o), true);
        for (auto& p : nn::named_parameters(*m)) p.variable.set_value(mul(p.variable.value(), scale));
        nn::convert(*m, dtype);
        return m;
      };
      NoGrad no_grad;
      Tensor x = random({2, T, kWidth}, 3);
      auto at_once = [&](DType dtype) { return (*made(dtype))(Variable(x.to(dtype)), {}).output.value().to(kF64); };
      auto word_by_word = [&](DType dtype) {
        auto m = made(dtype);
        auto memory = m->memory();
        std::vector<Tensor> rows;
        for (int64_t t = 0; t < T; ++t)
          rows.push_back(m->extend(Variable(x.to(dtype).slice(1, t, t + 1)), *memory, {}).output.value().to(kF64));
        return concat(rows, 1);
      };
      Tensor right = word_by_word(kF64);
      const double least = apart(word_by_word(DType::f32), right);
      const Tensor wide = at_once(kF64).contiguous(), narrow = at_once(DType::f32).contiguous();
      CHECK(std::isfinite(sum(narrow).item()));
      if (scale > 10) continue;  // norms divide outputs that have cancelled to 1e-14: no digits to compare
      CHECK(apart(wide, right) < std::max(1e-10, 1e-7 * least));
      CHECK(apart(narrow, right) < std::max(2e-6, 8 * least));
    }
}
