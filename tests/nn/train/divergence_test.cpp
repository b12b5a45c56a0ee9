// A run that diverges says where, and keeps the last checkpoint whose parameters are finite.
#include <cmath>

#include "nn/models/bahdanau.h"
#include "nn/train/fit.h"
#include "tests/nn/io/support.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::io_test::Folder;

namespace {

struct Run {
  Run() : model(small_paper<nn::Bahdanau>(8, 8, 2, 3, 0.1), rng) {}
  Generator rng{5};
  nn::Bahdanau model;
  std::vector<data::EncodedPair> pairs = {{{4, 5, 3}, {5, 4}}, {{6, 3}, {6}}, {{7, 4, 3}, {4, 7}}};
  nn::FitRun run{nn::fit_model(model), pairs, pairs, {.epochs = 9, .batch_size = 1}};
};

}  // namespace

TEST_CASE("parameters that are not finite are named, never saved, and the run can go on from what was saved before") {
  Folder folder;
  Run first;
  first.run.step();
  first.run.save(folder / "last");
  NamedVariable broken = nn::named_parameters(first.model)[3];
  Tensor value = broken.variable.value().clone();
  Tensor flat = value.reshape({value.count()}).slice(0, 1, 2);
  fill_into(flat, std::nan(""));
  broken.variable.set_value(value);

  std::string where = "in epoch 1, step 2 (" + broken.name + " is not finite)";
  CHECK(message_of<InputError>([&] { first.run.step(); }).find("the loss must stay finite; got nan " + where) !=
        std::string::npos);
  CHECK(message_of<InputError>([&] { first.run.save(folder / "last"); }).find("(" + broken.name + " is not finite)") !=
        std::string::npos);

  Run second;
  second.run.load(folder / "last");
  CHECK(second.run.steps() == 1);
  second.run.step();
  CHECK(second.run.steps() == 2);
}
