// Every mixer of pictures is trained for a moment to find a red shape in pictures of 9 x 14 patches: its form and
// place.
#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/data/tasks/pictures.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t kModel = 16;

struct Finder : nn::Module {
  struct Options {
    std::string mixer;
  };
  Finder(const Options& o, Generator& rng)
      : embedding({.in = 4, .out = kModel}, rng),
        first(layer(o, 0), rng),
        second(layer(o, 1), rng),
        form({.in = kModel, .out = 5}, rng),
        place({.in = kModel, .out = 1}, rng) {}
  static nn::TransformerLayerOptions layer(const Options& o, int64_t number) {
    nn::TransformerLayerOptions layer{.model = kModel, .heads = 2, .inner = 32, .layer = number, .layers = 2};
    layer.mixer = nn::stage_from(nn::Kind::mixer, o.mixer), layer.norm_first = true;
    return layer;
  }
  Variable loss(const data::FindBatch& batch) const {
    Variable x = second(first(embedding(Variable(batch.patches))).output).output;
    return cross_entropy(form(mean(x, {1})), batch.form) + cross_entropy(squeeze(place(x), -1), batch.place);
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding), v.child("first", first), v.child("second", second);
    v.child("form", form), v.child("place", place);
  }
  nn::Linear embedding;
  nn::TransformerLayer first, second;
  nn::Linear form, place;
};

}  // namespace

TEST_CASE("mixers of pictures learn to find a shape") {
  int trained = 0;
  for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::mixer)) {
    const bool of_pictures = std::ranges::any_of(entry.settings, [](const auto& s) { return s.name == "columns"; });
    if (!of_pictures) continue;
    CAPTURE(entry.name);
    ++trained;
    Finder m = make<Finder>({entry.name + ":columns=14"}, 2);
    nn::Adam adam(nn::named_parameters(m), {.learning_rate = 0.01});
    Generator rng(4);
    double before = 0, after = 0;
    for (int step = 0; step < 16; ++step) {
      nn::zero_grad(m);
      Variable loss = m.loss(data::find_batch({}, 6, rng));
      if (step < 3) before += loss.item();
      if (step >= 13) after += loss.item();
      backward(loss);
      adam.step();
    }
    CHECK(after < 0.85 * before);
  }
  CHECK(trained == 15);
}

TEST_CASE("pictures of any size: the red shape is where its batch says") {
  Generator rng(3);
  data::FindBatch batch = data::find_batch({.rows = 9, .columns = 14}, 40, rng);
  CHECK(batch.patches.shape() == Shape{40, 126, 4});
  const int64_t rows[] = {2, 3, 1, 3, 3}, columns[] = {2, 3, 3, 1, 3}, filled[] = {4, 5, 3, 3, 8};
  for (int64_t b = 0; b < 40; ++b) {
    const auto form = static_cast<int64_t>(batch.form.at({b})), place = static_cast<int64_t>(batch.place.at({b}));
    int64_t red = 0;
    for (int64_t t = 0; t < 126; ++t) {
      if (batch.patches.at({b, t, 0}) == 0) continue;
      ++red;
      CHECK((t / 14 >= place / 14 && t / 14 < place / 14 + rows[form]));
      CHECK((t % 14 >= place % 14 && t % 14 < place % 14 + columns[form]));
    }
    CHECK(red == filled[form]);
  }
}
