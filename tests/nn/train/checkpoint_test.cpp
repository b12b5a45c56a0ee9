// Checkpoints: a run that is saved after any step and loaded into fresh objects ends with the bits of a run that was
// never stopped. A checkpoint that does not fit changes nothing.
#include "nn/train/checkpoint.h"

#include "nn/io/file.h"
#include "nn/optim/average.h"
#include "nn/optim/plateau.h"
#include "tests/nn/io/support.h"
#include "tests/nn/train/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::io_test::Folder;

namespace {

const std::vector<data::EncodedPair> kTrain = pairs(22), kValid = pairs(5);
const nn::FitOptions kOptions{.epochs = 3, .batch_size = 4, .learning_rate = 0.05, .warmup = 4, .label_smoothing = 0.1};
constexpr int64_t kSteps = 18;  // 6 an epoch

void run_to(nn::FitRun& run, int64_t step) {
  while (!run.done() && run.steps() < step) run.step();
}

void check_same(nn::Bahdanau& a, nn::Bahdanau& b) {
  auto x = nn::named_parameters(a), y = nn::named_parameters(b);
  for (size_t i = 0; i < x.size(); ++i) CHECK(bit_equal(x[i].variable.value(), y[i].variable.value()));
  CHECK(nn::save_generators(a).metadata == nn::save_generators(b).metadata);
}

// A small run of parts: model, generators, optimizer, schedule with a memory, average.
struct Run {
  explicit Run(uint64_t seed)
      : model(make<nn::Bahdanau>(kTiny, seed)),
        adam(nn::named_parameters(model), {}),
        schedule({.peak = 0.1, .patience = 0}),
        average(nn::named_parameters(model), {.decay = 0.9}) {}
  nn::Parts parts() {
    return {nn::part("model", model), nn::generators_part("generators", model), nn::part("optimizer", adam),
            nn::part("schedule", schedule), nn::part("average", average)};
  }
  void train(int from, int to) {
    for (int step = from; step < to; ++step) {
      data::Batch batch = data::make_batch(kTrain, {step, step + 1});
      adam.zero_grad();
      Variable loss = cross_entropy(model(batch.source, batch.lengths, batch.target_in), batch.target_out);
      backward(loss);
      adam.step(schedule);
      average.update();
      schedule.observe(loss.item());
    }
  }
  nn::Bahdanau model;
  nn::Adam adam;
  nn::ReduceOnPlateau schedule;
  nn::ParameterAverage average;
};

bool same_state(const io::SafeTensors& a, const io::SafeTensors& b) {
  if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  for (size_t i = 0; i < a.tensors.size(); ++i)
    if (a.tensors[i].first != b.tensors[i].first || !bit_equal(a.tensors[i].second, b.tensors[i].second)) return false;
  return true;
}

}  // namespace

TEST_CASE("fit stopped after any step, saved, and loaded into fresh objects ends with the same bits") {
  Folder folder;
  nn::Bahdanau straight = make<nn::Bahdanau>(kTiny, 1);
  nn::FitResult whole = nn::fit(nn::fit_model(straight), kTrain, kValid, kOptions);
  REQUIRE(whole.history.size() == 3);
  for (int64_t stop : {0, 1, 5, 6, 7, 13, 17, 18}) {
    CAPTURE(stop);
    nn::Bahdanau first = make<nn::Bahdanau>(kTiny, 1), second = make<nn::Bahdanau>(kTiny, 2);
    {
      nn::FitRun run(nn::fit_model(first), kTrain, kValid, kOptions);
      run_to(run, stop);
      run.save(folder / "last");
      run.step();  // what happens after saving does not matter
    }
    nn::FitRun run(nn::fit_model(second), kTrain, kValid, kOptions);
    run_to(run, stop % 4);  // nor what happened before loading
    run.load(folder / "last");
    CHECK(run.steps() == stop);
    run_to(run, kSteps);
    nn::FitResult result = run.finish();
    check_same(straight, second);
    CHECK(result.best_epoch == whole.best_epoch);
    REQUIRE(result.history.size() == 3);
    for (size_t e = 0; e < 3; ++e) {
      CHECK(result.history[e].epoch == static_cast<int64_t>(e) + 1);
      CHECK(result.history[e].train_loss == whole.history[e].train_loss);
      CHECK(result.history[e].valid_loss == whole.history[e].valid_loss);
      CHECK(result.history[e].best == whole.history[e].best);
    }
  }
}

TEST_CASE("patience and the best parameters live through a checkpoint") {
  Folder folder;
  nn::FitOptions options = kOptions;
  options.epochs = 30, options.patience = 1, options.learning_rate = 1;
  nn::Bahdanau straight = make<nn::Bahdanau>(kTiny, 1), a = make<nn::Bahdanau>(kTiny, 1),
               b = make<nn::Bahdanau>(kTiny, 2);
  nn::FitResult whole = nn::fit(nn::fit_model(straight), kTrain, kValid, options);
  REQUIRE(whole.history.size() < 30);
  nn::FitRun run(nn::fit_model(a), kTrain, kValid, options);
  while (!run.done()) run.step();
  run.save(folder / "stopped");
  nn::FitRun other(nn::fit_model(b), kTrain, kValid, options);
  other.load(folder / "stopped");
  CHECK(other.done());
  CHECK(other.finish().history.size() == whole.history.size());
  check_same(straight, b);
}

TEST_CASE("the names in a checkpoint") {
  Run run(1);
  run.train(0, 2);
  io::SafeTensors file = nn::save_parts(run.parts());
  CHECK(file.metadata["heed.kind"] == "training checkpoint 1");
  CHECK(file.metadata["heed.parts"] == "average generators model optimizer schedule");
  CHECK(file.metadata["optimizer.steps"] == "2");
  CHECK(file.metadata["schedule.schedule"] == "ReduceOnPlateau");
  CHECK(file.metadata["average.updates"] == "2");
  CHECK(file.metadata.count("generators.dropout.generator") == 1);
  CHECK(file.metadata.count("generators.encoder.dropout.generator") == 1);
  for (const char* name : {"model.encoder.weight_ih_l0", "optimizer.mean.encoder.weight_ih_l0",
                           "optimizer.square.encoder.weight_ih_l0", "average.average.encoder.weight_ih_l0"})
    CHECK_MESSAGE(file.find(name), name);
}

TEST_CASE("every part comes back: average and a schedule with a memory too") {
  Folder folder;
  Run a(1), b(2);
  a.train(0, 5);
  nn::save_checkpoint(folder / "run", a.parts());
  nn::load_checkpoint(folder / "run", b.parts());
  CHECK(same_state(nn::save_parts(a.parts()), nn::save_parts(b.parts())));
  a.train(5, 9);
  b.train(5, 9);
  CHECK(same_state(nn::save_parts(a.parts()), nn::save_parts(b.parts())));
}

TEST_CASE("a checkpoint that does not fit is refused in one sentence, and every part stays as it was") {
  Run run(1);
  run.train(0, 3);
  io::SafeTensors good = nn::save_parts(run.parts());
  run.train(3, 5);  // so that loading would change everything
  io::SafeTensors before = nn::save_parts(run.parts());
  auto refusal = [&](auto change) {
    io::SafeTensors file = good;
    change(file);
    std::string said = message_of<IoError>([&] { nn::load_parts(run.parts(), file, "r"); });
    CHECK(same_state(nn::save_parts(run.parts()), before));
    return said;
  };
  auto with = [&](const char* key, const char* text) {
    return refusal([&](io::SafeTensors& f) { f.metadata[key] = text; });
  };
  CHECK(with("heed.kind", "x") == R"(load: "r": must be a "training checkpoint 1"; got "x")");
  CHECK(with("heed.parts", "model") ==
        R"(load: "r": must hold the parts "average generators model optimizer schedule"; got "model")");
  CHECK(with("stray", "x") == R"(load: "r": each name must begin with that of a part; got stray)");
  CHECK(with("average.decay", "2") == "load: \"r#average\": ParameterAverage: decay must lie in [0, 1); got 2");
  CHECK(with("optimizer.optimizer", "SGD") == R"(load: "r#optimizer": must hold the state of Adam; got SGD)");
  CHECK(with("schedule.factor", "x") == R"(load: "r#schedule": factor must be a number; got "x")");
  CHECK(with("generators.x", "1 2") == R"(load: "r#generators": the generators must be those of the model, 3; got 4)");
  CHECK(refusal([](io::SafeTensors& f) {
          std::string key = f.metadata.lower_bound("generators.")->first;
          f.metadata[key] = "1 -2";
        }).find("must be a seed and an offset; got \"1 -2\"") != std::string::npos);
  CHECK(refusal([](io::SafeTensors& f) {
          f.tensors.erase(f.tensors.begin());
        }).rfind(R"(load: "r#model": no tensor of the model may be missing; got no )", 0) == 0);
  CHECK(refusal([](io::SafeTensors& f) { f.tensors.emplace_back("optimizer.mean.x", Tensor::ones({1})); }) ==
        R"(load: "r#optimizer": the tensor mean.x does not belong to this optimiser)");
}

TEST_CASE("fit refuses the checkpoint of another run, and stays as it was") {
  Folder folder;
  std::string path = folder / "run";
  nn::Bahdanau model = make<nn::Bahdanau>(kTiny, 1);
  nn::FitRun run(nn::fit_model(model), kTrain, kValid, kOptions);
  run_to(run, 7);
  run.save(path);
  io::SafeTensors good = io::load_safetensors(path);
  run_to(run, 9);
  run.save(folder / "before");
  auto refusal = [&](auto change) {
    io::SafeTensors file = good;
    change(file);
    io::save_safetensors(path, file);
    std::string said = message_of<IoError>([&] { run.load(path); }), begin = "load: \"" + path + "#progress\": ";
    run.save(path);
    CHECK(io::read_file(path) == io::read_file(folder / "before"));
    CHECK(said.rfind(begin, 0) == 0);
    return said.substr(std::min(said.size(), begin.size()));
  };
  auto with = [&](const char* key, const char* text) {
    return refusal([&](io::SafeTensors& f) { f.metadata[key] = text; });
  };
  CHECK(with("progress.batch_size", "5") == "a run must go on with the batch_size that it began with, 5; got 4");
  CHECK(with("progress.pairs", "23") == "a run must go on with the pairs that it began with, 23; got 22");
  CHECK(with("progress.seed", "2") == "a run must go on with the seed that it began with, 2; got 1");
  for (const char* key : {"progress.epoch", "progress.batch", "progress.best_epoch"})
    for (const char* text : {"-1", "9"}) CHECK(with(key, text) == "progress must lie within the run");
  CHECK(with("progress.best_epoch", "2") == "progress must lie within the run");  // it is in epoch 2
  CHECK(with("progress.total", "x") == "total must be a number; got \"x\"");
  CHECK(refusal([](io::SafeTensors& f) {
          for (auto& [name, t] : f.tensors)
            if (name == "progress.history") t = Tensor::zeros({2, 4}, DType::f64);
        }) == "history must be f64 [1, 5]; got f64 [2, 4]");
  CHECK(refusal([](io::SafeTensors& f) {
          std::erase_if(f.tensors, [](const auto& t) { return t.first == "progress.history"; });
        }) == "the tensor history is missing");
  CHECK(refusal([](io::SafeTensors& f) {
          f.tensors.emplace_back("progress.x", Tensor::ones({1}));
        }).rfind("progress must have ", 0) == 0);
}
