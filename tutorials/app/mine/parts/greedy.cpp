// Exercise 10.2 in the translator: greedy decoding of the trained model.
#include "nn/layers.h"
#include "nn/text/vocabulary.h"
#include "tutorials/10_fixed_vector/exercises/2_greedy.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Pieces::Ids greedy_mine(const nn::Seq2Seq& model, const Tensor& source, const Tensor& lengths, int64_t limit) {
  const std::vector<double> written = mine::write(model, source, lengths, limit);
  return {written.begin(), written.end()};
}

// A model with large random weights: its outputs depend on the source and on what it has written, and some of them end
// before the limit. It never writes <pad> or <s>, as a trained model never does: the library would refuse to.
nn::Seq2Seq restless_model() {
  Generator rng(5);
  nn::Seq2Seq model({.source_vocabulary = 9, .target_vocabulary = 9, .embedding = 6, .hidden = 8, .dropout = 0}, rng);
  for (const NamedVariable& p : nn::named_parameters(model)) {
    Variable parameter = p.variable;
    parameter.set_value(Tensor::normal(p.variable.shape(), rng, 0, 2));
  }
  Tensor bias = model.output->vocabulary_layer()->bias.value();
  bias.set({text::Vocabulary::pad}, -1000), bias.set({text::Vocabulary::start}, -1000);
  nn::set_training(model, false);
  return model;
}

void check(Comparison& c) {
  const nn::Seq2Seq model = restless_model();
  const Pieces library = library_pieces();
  for (int64_t word = 4; word < 9; ++word)
    for (int64_t limit : {0, 1, 4, 12}) {
      Tensor source = Tensor::from(std::vector<int64_t>{word, 12 - word, 3}, {1, 3});
      Tensor lengths = Tensor::from(std::vector<int64_t>{3}, {1});
      Pieces::Ids ours = greedy_mine(model, source, lengths, limit);
      Pieces::Ids wanted = library.greedy(model, source, lengths, limit);
      c.value("what is written with a limit of " + std::to_string(limit) + " words",
              std::vector<double>(ours.begin(), ours.end()), std::vector<double>(wanted.begin(), wanted.end()), 0);
    }
}

void use(Pieces& pieces) { pieces.greedy = greedy_mine; }

const Registered part({.name = "greedy", .exercise = "10.2", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
