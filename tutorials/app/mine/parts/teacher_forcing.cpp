// Exercise 10.1 in the translator: what the decoder reads and has to predict in training, made for every sentence of a
// batch. The exercise's rows are numbers with a fraction; here they become ids.
#include "nn/text/vocabulary.h"
#include "tutorials/10_fixed_vector/exercises/1_teacher_forcing.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Pieces::Ids ids(const mine::Row& row, size_t T) {
  Pieces::Ids all;
  for (double value : row) all.push_back(static_cast<int64_t>(value));
  all.resize(T, text::Vocabulary::pad);
  return all;
}

ForcedRow force_mine(const Pieces::Ids& symbols, size_t T) {
  mine::Forced f = mine::force(symbols, T);
  return {ids(f.input, T), ids(f.target, T), ids(f.mask, T)};
}

void check(Comparison& c) {
  const Pieces library = library_pieces();
  const std::vector<Pieces::Ids> sentences{{7, 5, 4}, {9}, {}, {4, 8, 6, 5, 7}};
  for (const Pieces::Ids& symbols : sentences) {
    mine::Forced f = mine::force(symbols, 6);
    ForcedRow wanted = library.force(symbols, 6);
    auto numbers = [](const Pieces::Ids& row) { return std::vector<double>(row.begin(), row.end()); };
    const std::string name = " of a target of " + std::to_string(symbols.size()) + " symbols";
    c.value("the input" + name, f.input, numbers(wanted.input), 0);
    c.value("what is to be predicted" + name, f.target, numbers(wanted.target), 0);
    c.value("the mask" + name, f.mask, numbers(wanted.mask), 0);
  }
}

void use(Pieces& pieces) { pieces.force = force_mine; }

const Registered part({.name = "teacher_forcing", .exercise = "10.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
