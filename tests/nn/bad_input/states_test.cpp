// States and checkpoints that do not fit what they are loaded into.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/ops.h"
#include "nn/norm.h"
#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/clip.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "nn/optim/warmup.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/train/checkpoint.h"
#include "nn/train/fit.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

// A state that was saved, then changed, and loaded under the name "s". What refuses it stays as it was.
using Edit = std::function<void(io::SafeTensors&)>;
template <class Save, class Load>
void load_edited(const Save& save, const Load& load, const Edit& edit) {
  io::SafeTensors state = save();
  const io::SafeTensors before = save();
  edit(state);
  try {
    load(state);
  } catch (const IoError&) {
    const io::SafeTensors after = save();
    CHECK(after.metadata == before.metadata);
    REQUIRE(after.tensors.size() == before.tensors.size());
    for (size_t i = 0; i < after.tensors.size(); ++i)
      CHECK(bit_equal(after.tensors[i].second, before.tensors[i].second));
    throw;
  }
}
template <class T>
void load_edited(T& object, const Edit& edit) {
  load_edited([&] { return object.save_state(); }, [&](const io::SafeTensors& s) { object.load_state(s, "s"); }, edit);
}

}  // namespace

TEST_CASE("nn: states that do not fit") {
  auto optimiser = [](const Edit& edit) {
    std::vector<NamedVariable> p = {{"w", leaf({2})}};
    nn::Adam adam(p, {});
    p[0].variable.set_grad(ones({2}));
    adam.step();
    load_edited(adam, edit);
  };
  refuses<IoError>("load: s holds optimiser", [&] { optimiser([](auto& s) { s.metadata.clear(); }); });
  refuses<IoError>("load: s Adam got SGD", [&] { optimiser([](auto& s) { s.metadata["optimizer"] = "SGD"; }); });
  refuses<IoError>("load: s steps got -1", [&] { optimiser([](auto& s) { s.metadata["steps"] = "-1"; }); });
  refuses<IoError>("load: s steps.w 1 got 2", [&] { optimiser([](auto& s) { s.metadata["steps.w"] = "2"; }); });
  refuses<IoError>("load: s groups 1 got 2", [&] { optimiser([](auto& s) { s.metadata["groups"] = "2"; }); });
  refuses<IoError>("load: s w 0 got 1", [&] { optimiser([](auto& s) { s.metadata["group.w"] = "1"; }); });
  refuses<IoError>("load: s group0.beta1 missing",
                   [&] { optimiser([](auto& s) { s.metadata.erase("group0.beta1"); }); });
  refuses<IoError>("load: s group0.beta1 number got much",
                   [&] { optimiser([](auto& s) { s.metadata["group0.beta1"] = "much"; }); });
  refuses<IoError>("load: s Adam beta1 lie [0, 1) got 2",
                   [&] { optimiser([](auto& s) { s.metadata["group0.beta1"] = "2"; }); });
  refuses<IoError>("load: s group0.amsgrad true or false got maybe",
                   [&] { optimiser([](auto& s) { s.metadata["group0.amsgrad"] = "maybe"; }); });
  refuses<IoError>("load: s Adam step 0 got -1",
                   [&] { optimiser([](auto& s) { s.metadata["learning_rate"] = "-1"; }); });
  refuses<IoError>("load: s Adam learning_rate lie (0, inf) got 0",
                   [&] { optimiser([](auto& s) { s.metadata["group0.learning_rate"] = "0"; }); });
  for (const char* number : {"", "1e3", "9999999999999999999"})
    refuses<IoError>("load: s steps number got", [&] { optimiser([&](auto& s) { s.metadata["steps"] = number; }); });
  for (const char* number : {"0.9x", "+0.9", "0x1p-1", "1e999"})
    refuses<IoError>(fmt::format("load: s group0.beta1 number got {}", number).c_str(),
                     [&] { optimiser([&](auto& s) { s.metadata["group0.beta1"] = number; }); });
  for (const char* number : {"", " 0.9", "0.9 "})
    CHECK_THROWS_AS(optimiser([&](auto& s) { s.metadata["group0.beta1"] = number; }), IoError);
  refuses<IoError>("load: s Adam step 0 got nan",
                   [&] { optimiser([](auto& s) { s.metadata["learning_rate"] = "nan"; }); });
  refuses<IoError>("load: s largest.w missing",
                   [&] { optimiser([](auto& s) { s.metadata["group0.amsgrad"] = "true"; }); });
  refuses<IoError>("load: s mean.w missing", [&] { optimiser([](auto& s) { s.tensors.clear(); }); });
  refuses<IoError>("load: s mean.w parameter's got [3] [2]",
                   [&] { optimiser([](auto& s) { s.tensors[0].second = ones({3}); }); });
  refuses<IoError>("load: s mean.w got i64", [&] { optimiser([](auto& s) { s.tensors[0].second = wholes({2}); }); });
  refuses<IoError>("load: s more does", [&] { optimiser([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
  auto schedule = [](const Edit& edit) {
    nn::MultiStepDecay decay({.milestones = {2, 4}});
    load_edited(decay, edit);
  };
  refuses<IoError>("load: s schedule", [&] { schedule([](auto& s) { s.metadata.clear(); }); });
  refuses<IoError>("load: s MultiStepDecay got Noam",
                   [&] { schedule([](auto& s) { s.metadata["schedule"] = "Noam"; }); });
  refuses<IoError>("load: s milestones whole numbers got two",
                   [&] { schedule([](auto& s) { s.metadata["milestones"] = "two"; }); });
  refuses<IoError>("load: s MultiStepDecay rise got 4 2",
                   [&] { schedule([](auto& s) { s.metadata["milestones"] = "4 2"; }); });
  refuses<IoError>("load: s factor missing", [&] { schedule([](auto& s) { s.metadata.erase("factor"); }); });
  refuses<IoError>("load: s factor number got", [&] { schedule([](auto& s) { s.metadata["factor"] = ""; }); });
  nn::StepDecay by_steps({.every = 2});
  refuses<IoError>("load: s every whole got 2.5",
                   [&] { load_edited(by_steps, [](auto& s) { s.metadata["every"] = "2.5"; }); });
  auto average = [](const Edit& edit) {
    nn::ParameterAverage mean({{"w", leaf({2})}}, {});
    load_edited(mean, edit);
  };
  refuses<IoError>("load: s averages", [&] { average([](auto& s) { s.metadata.clear(); }); });
  refuses<IoError>("load: s updates lie [0, inf) got -1",
                   [&] { average([](auto& s) { s.metadata["updates"] = "-1"; }); });
  refuses<IoError>("load: s updates whole number got 1.5",
                   [&] { average([](auto& s) { s.metadata["updates"] = "1.5"; }); });
  refuses<IoError>("load: s decay lie [0, 1) got 1", [&] { average([](auto& s) { s.metadata["decay"] = "1"; }); });
  refuses<IoError>("load: s decay missing", [&] { average([](auto& s) { s.metadata.erase("decay"); }); });
  refuses<IoError>("load: s average.w missing", [&] { average([](auto& s) { s.tensors.clear(); }); });
  refuses<IoError>("load: s parameter's got f32 [3] [2]",
                   [&] { average([](auto& s) { s.tensors[0].second = ones({3}); }); });
  refuses<IoError>("load: s more belongs",
                   [&] { average([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
  auto model = [](const Edit& edit) {
    nn::Linear layer({.in = 3, .out = 2}, dice);
    load_edited([&] { return nn::save_state(layer); }, [&](const io::SafeTensors& s) { nn::load_state(layer, s, "s"); },
                edit);
  };
  refuses<IoError>("load: s missing got", [&] { model([](auto& s) { s.tensors.pop_back(); }); });
  refuses<IoError>("load: s shapes got weight [3, 2] for [2, 3]", [&] {
    model([](auto& s) { s.tensors[0].second = ones({3, 2}); });
  });
  refuses<IoError>("load: s belong got", [&] { model([](auto& s) { s.tensors.emplace_back("more", ones({2})); }); });
  refuses<IoError>("load: s got weight i64 for f32", [&] {
    model([](auto& s) { s.tensors[0].second = wholes({2, 3}); });
  });
  refuses<IoError>("load: s missing got no weight, bias", [&] { model([](auto& s) { s.tensors.clear(); }); });
  refuses<IoError>("load: s shapes got weight [1] for [2, 3] bias [1] for [2]",
                   [&] { model([](auto& s) { s.tensors[0].second = s.tensors[1].second = wholes({1}); }); });
  refuses<IoError>("load: s those got w, 0, 1, 2, 3 and 2 more weight", [&] {
    model([](auto& s) {
      s.tensors[0].first = "w";
      for (int i = 0; i < 6; ++i) s.tensors.emplace_back(std::to_string(i), ones({1}));
    });
  });
  refuses<IoError>("load: s got wait", [&] { model([](auto& s) { s.tensors[0].first = "wait"; }); });
  refuses<IoError>("load: s weights got nan bias",
                   [&] { model([](auto& s) { fill_into(s.tensors[1].second, std::nan("")); }); });
  refuses<IoError>("load: s first second", [] {
    struct Tied : nn::Module {
      Variable weight = leaf({2});
      void visit(nn::Visitor& v) {
        v.parameter("first", weight);
        v.parameter("second", weight);
      }
    } tied;
    nn::load_state(tied, {{{"first", ones({2})}, {"second", zeros({2})}}, {}}, "s");
  });
}

TEST_CASE("nn: checkpoints of runs") {
  auto generators = [](const char* key, const char* text) {
    nn::Dropout dropout({.p = 0.5}, dice);
    io::SafeTensors state = nn::save_generators(dropout);
    state.metadata[key] = text;
    if (*text == 0) state.metadata.erase(key);
    nn::load_generators(dropout, state, "s");
  };
  refuses<IoError>("load: s generator missing", [&] { generators("generator", ""); });
  refuses<IoError>("load: s generator got 1 one", [&] { generators("generator", "1 one"); });
  refuses<IoError>("load: s generators 1 got 2", [&] { generators("more", "1 1"); });
  nn::Linear layer({.in = 3, .out = 2}, dice);
  nn::Part whole = nn::part("model", layer), dotted = nn::part("a.b", layer);
  refuses("checkpoint: got a.b", [&] { nn::save_parts({dotted}); });
  refuses("checkpoint: got model", [&] { nn::save_parts({whole, whole}); });
  auto parts = [&](const Edit& edit) {
    io::SafeTensors state = nn::save_parts({whole});
    edit(state);
    nn::load_parts({whole}, state, "s");
  };
  refuses<IoError>("load: s training checkpoint 1 got", [&] { parts([](auto& s) { s.metadata.clear(); }); });
  refuses<IoError>("load: s model got model optimizer",
                   [&] { parts([](auto& s) { s.metadata["heed.parts"] = "model optimizer"; }); });
  refuses<IoError>("load: s got stray.weight", [&] { parts([](auto& s) { s.tensors[0].first = "stray.weight"; }); });
  // A run after its first epoch of two, saved, changed, and loaded.
  auto run = [](const Edit& edit) {
    Variable w = leaf({6});
    const nn::FitModel bias{{{"w", w}},
                            [&](const data::Batch& b) {
                              return expand(w, {b.target_out.size(0), b.target_out.size(1), 6});
                            },
                            [](bool) {},
                            {}};
    const std::vector<data::EncodedPair> pairs = {{{4, 3}, {4}}};
    nn::FitRun first(bias, pairs, pairs, {.epochs = 2});
    first.step();
    first.save(in_box("run"));
    io::SafeTensors state = io::load_safetensors(in_box("run"));
    edit(state);
    io::save_safetensors(in_box("run"), state);
    first.load(in_box("run"));
  };
  auto tensor = [](io::SafeTensors& s, const std::string& name) {
    return std::find_if(s.tensors.begin(), s.tensors.end(), [&](const auto& t) { return t.first == name; });
  };
  refuses<IoError>("load: ~/run#progress pairs 7 got 1",
                   [&] { run([](auto& s) { s.metadata["progress.pairs"] = "7"; }); });
  refuses<IoError>("load: ~/run#progress within", [&] { run([](auto& s) { s.metadata["progress.epoch"] = "9"; }); });
  refuses<IoError>("load: ~/run#progress history missing",
                   [&] { run([&](auto& s) { s.tensors.erase(tensor(s, "progress.history")); }); });
  refuses<IoError>("load: ~/run#progress history [1, 5] got f32 [1, 5]", [&] {
    run([&](auto& s) { tensor(s, "progress.history")->second = ones({1, 5}); });
  });
  refuses<IoError>("load: ~/run#progress best.w missing",
                   [&] { run([&](auto& s) { s.tensors.erase(tensor(s, "progress.best.w")); }); });
  refuses<IoError>("load: ~/run#progress f32 [6] got f32 [5]",
                   [&] { run([&](auto& s) { tensor(s, "progress.best.w")->second = ones({5}); }); });
  refuses<IoError>("load: ~/run#progress penalties.p [2] got f32 [2]",
                   [&] { run([](auto& s) { s.tensors.emplace_back("progress.penalties.p", ones({2})); }); });
  refuses<IoError>("load: ~/run#progress 2 tensors got 3",
                   [&] { run([](auto& s) { s.tensors.emplace_back("progress.more", ones({1})); }); });
}
