// Exercise 10.2 in the translator: greedy decoding of the trained model.
#include "nn/layers.h"
#include "nn/text/vocabulary.h"
#include "tutorials/10_fixed_vector/exercises/2_greedy.h"
#include "tutorials/app/mine/model.h"

namespace heed::app {
namespace {

Pieces::Ids greedy_mine(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit) {
  const std::vector<double> written = mine::write(mine::decoder_of(model), source, lengths, limit);
  return {written.begin(), written.end()};
}

// A model with large random weights: its outputs depend on the source and on what it has written, and some of them end
// before the limit. It never writes <pad> or <s>, as a trained model never does: the library would refuse to.
AssembledRecurrent restless_model() {
  Generator rng(5);
  AssembledRecurrent model({.source = {.vocabulary = 9, .width = 6},
                            .target = {.vocabulary = 9, .width = 6},
                            .encoder = {.hidden = 8},
                            .decoder = {.hidden = 8},
                            .dropout = 0},
                           library_pieces(), rng);
  for (const NamedVariable& p : nn::named_parameters(model)) {
    Variable parameter = p.variable;
    parameter.set_value(Tensor::normal(p.variable.shape(), rng, 0, 2));
  }
  Tensor bias = model.model.output.bias.value();
  bias.set({text::Vocabulary::pad}, -1000), bias.set({text::Vocabulary::start}, -1000);
  nn::set_training(model, false);
  return model;
}

void check(Comparison& c) {
  const AssembledRecurrent model = restless_model();
  for (int64_t word = 4; word < 9; ++word)
    for (int64_t limit : {0, 1, 4, 12}) {
      Tensor source = Tensor::from(std::vector<int64_t>{word, 12 - word, 3}, {1, 3});
      Tensor lengths = Tensor::from(std::vector<int64_t>{3}, {1});
      Pieces::Ids ours = greedy_mine(model, source, lengths, limit);
      Pieces::Ids wanted = model.pieces.greedy(model, source, lengths, limit);
      c.value("what is written with a limit of " + std::to_string(limit) + " words",
              std::vector<double>(ours.begin(), ours.end()), std::vector<double>(wanted.begin(), wanted.end()), 0);
    }
}

void use(Pieces& pieces) { pieces.greedy = greedy_mine; }

const Registered part({.name = "greedy", .exercise = "10.2", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
