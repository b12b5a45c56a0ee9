// Two questions about pictures of coloured shapes, and the model that learns to answer one of them.
//
//   where        about a place: three shapes, one of them red; in which place is the corner of its box?
//   everywhere   about the picture: one shape, and each place is to say its colour
//
// The model is an embedding of the colours, two layers of a transformer with a mixer of pictures, and an output for
// each place. Unless asked to, it gets no positions: two places differ only if a mixer tells them apart. The learning
// rate falls to 0 in the second half of training. B pictures, T places, D width.
#pragma once

#include <algorithm>

#include "nn/data/tasks/pictures.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/transformer/transformer.h"
#include "tutorials/33_pictures/ways.h"

namespace pictures {

namespace data = heed::data;

enum class Task { where, everywhere };

struct Finder : nn::Module {
  Finder(const Way& way, const Size& size, Generator& rng)
      : embedding({.in = 4, .out = size.width}, rng),
        first(layer(way, 0, size), rng),
        second(layer(way, 1, size), rng),
        place({.in = size.width, .out = 1}, rng),
        colour({.in = size.width, .out = 4}, rng) {
    if (way.positions) positions = nn::normal_parameter({size.places(), size.width}, 0.1, rng);
  }
  static nn::TransformerLayerOptions layer(const Way& way, int64_t number, const Size& size) {
    nn::TransformerLayerOptions o{.model = size.width, .heads = size.heads, .inner = 2 * size.width, .layers = 2};
    o.mixer = layer_of(way, number, size), o.layer = o.mixer.layer, o.norm_first = true;
    return o;
  }
  Variable embedded(const Tensor& patches) const {
    Variable x = embedding(Variable(patches));
    return positions.defined() ? x + positions : x;
  }
  Variable features(const Tensor& patches) const { return second(first(embedded(patches)).output).output; }
  // A logit for each place, [B, T]; one for each colour and place, [B, T, 4].
  Variable operator()(const Tensor& patches, Task task) const {
    return task == Task::where ? squeeze(place(features(patches)), -1) : colour(features(patches));
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding), v.child("first", first), v.child("second", second);
    v.child("place", place), v.child("colour", colour);
    if (positions.defined()) v.parameter("positions", positions);
  }
  nn::Linear embedding;
  nn::TransformerLayer first, second;
  nn::Linear place, colour;
  Variable positions;  // [T, D], or undefined
};

struct Pictures {
  Tensor patches, answers;  // [B, T, 4] f32; i64: the place [B], or the colour of each place [B, T]
};
inline Pictures draw(Task task, const Size& size, int64_t count, Generator& rng) {
  const data::FindOptions options{size.rows, size.columns, task == Task::where ? 3 : 1};
  data::FindBatch batch = data::find_batch(options, count, rng);
  if (task == Task::where) return {batch.patches, batch.place};
  const int64_t T = size.places();
  Tensor patches = Tensor::zeros({count, T, 4});
  std::vector<int64_t> colours;
  for (int64_t b = 0; b < count; ++b) {
    const auto colour = static_cast<int64_t>(rng.below(4));  // the red shape gets any colour
    for (int64_t t = 0; t < T; ++t) {
      patches.set({b, t, colour}, batch.patches.at({b, t, 0}));
      colours.push_back(colour);
    }
  }
  return {patches, Tensor::from(colours, {count, T})};
}

// The share of right answers. With n equal logits on top, an answer is right to 1 / n.
inline double right(const Tensor& logits, const Tensor& answers) {
  const int64_t choices = logits.size(-1), questions = answers.count();
  const std::vector<double> x = logits.to_vector(), wanted = answers.to(DType::f64).to_vector();
  double sum = 0;
  for (int64_t i = 0; i < questions; ++i) {
    const auto row = x.begin() + i * choices;
    const double top = *std::max_element(row, row + choices) - 1e-4;
    const auto tied = std::count_if(row, row + choices, [&](double y) { return y > top; });
    if (row[static_cast<int64_t>(wanted[static_cast<size_t>(i)])] > top) sum += 1 / static_cast<double>(tied);
  }
  return sum / static_cast<double>(questions);
}

// The most that `everywhere` allows: a place that reads no patch of the shape has to guess one of four colours.
inline double most_right(const Reads& reads, const Pictures& test) {
  const size_t T = reads.size();
  const std::vector<double> coloured = heed::amax(test.patches, {2}).to_vector();  // [B, T]: 1 in a patch of the shape
  double sum = 0;
  for (size_t first = 0; first < coloured.size(); first += T)
    for (const std::vector<bool>& row : reads) {
      bool seen = false;
      for (size_t s = 0; s < T; ++s) seen = seen || (row[s] && coloured[first + s] > 0);
      sum += seen ? 1 : 0.25;
    }
  return sum / static_cast<double>(coloured.size());
}

struct Training {
  int64_t steps = 200, batch = 16, tested = 400;
  double rate = 0.01;
  uint64_t seed = 1;
};
inline Pictures test_of(Task task, const Size& size, const Training& t) {
  Generator dice(t.seed, 1ull << 50);
  return draw(task, size, t.tested, dice);
}

// Trains and returns the share of right answers on new pictures. Parameters with `frozen` in their names stay.
inline double train(Finder& m, Task task, const Size& size, const Training& t, const std::string& frozen = "") {
  std::vector<heed::NamedVariable> learned;
  for (const heed::NamedVariable& p : nn::named_parameters(m))
    if (frozen.empty() || p.name.find(frozen) == std::string::npos) learned.push_back(p);
  nn::Adam adam(learned, {.learning_rate = t.rate});
  Generator dice(t.seed, 1ull << 40);
  for (int64_t step = 0; step < t.steps; ++step) {
    adam.learning_rate = t.rate * std::min(1.0, 2 - 2 * static_cast<double>(step) / static_cast<double>(t.steps));
    const Pictures batch = draw(task, size, t.batch, dice);
    nn::zero_grad(m);
    backward(cross_entropy(m(batch.patches, task), batch.answers));
    adam.step();
  }
  heed::NoGrad guard;
  nn::set_training(m, false);
  const Pictures test = test_of(task, size, t);
  return right(m(test.patches, task).value(), test.answers);
}

}  // namespace pictures
