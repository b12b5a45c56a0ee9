// The ranges of all options that are numbers: those of models, of training, of optimisers and schedules (OptionField),
// and the settings of the stages of attention (Setting). Each is tried at both ends of its range, one step beyond them,
// and with a text. No other test has to do this.
#include <cmath>

#include "nn/attention/registry.h"
#include "nn/models/papers.h"
#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/plateau.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "nn/optim/warmup.h"
#include "nn/optim/window_average.h"
#include "nn/pooling/pooler.h"
#include "nn/train/fit_options.h"
#include "nn/transformer/transformer_options.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

using nn::Range;

double step(double x, bool whole, int direction) { return whole ? x + direction : std::nextafter(x, direction * kInf); }
std::vector<double> outside(const Range& r, bool whole) {
  std::vector<double> values{r.above() ? r.least : step(r.least, whole, -1)};
  if (std::isfinite(r.most)) values.push_back(r.below() ? r.most : step(r.most, whole, 1));
  return values;
}
std::vector<double> ends(const Range& r, bool whole) {
  double most = std::isfinite(r.most) ? r.most : whole ? 0x1p53 : 1e300;
  return {r.above() ? step(r.least, whole, 1) : r.least,
          std::isfinite(r.most) && r.below() ? step(most, whole, -1) : most};
}

// Reads all fields from JSON and checks them: `load` throws an E.
template <class E, class Options, class Load>
void fields_keep_their_ranges(const std::string& owner, Options o, const Load& load) {
  auto fields = nn::fields_of(o);
  const io::Json json = io::parse(nn::json_of(fields).dump(), "options.json");
  CHECK(fields.size() > 10);
  for (const nn::OptionField& f : fields) {
    // A key that nothing is called, and the nearest one.
    const io::Json misspelt = io::parse(io::Json(json).set(f.name + "_", 1).dump(), "options.json");
    refuses<IoError>(fmt::format("options.json: {}_ option nearest {}", f.name, f.name).c_str(),
                     [&] { load(misspelt); });
    auto* const* whole = std::get_if<int64_t*>(&f.place);
    auto* const* real = std::get_if<double*>(&f.place);
    CAPTURE(f.name);
    auto changed = [&](io::Json value) { return io::Json(json).set(f.name, std::move(value)); };
    if (std::holds_alternative<std::string*>(f.place))
      refuses<E>(fmt::format("{}: {} got nosuch", owner, f.name).c_str(), [&] { load(changed("nosuch")); });
    if (!whole && !real) continue;
    auto number = [&](double x) { return whole ? io::Json(static_cast<int64_t>(x)) : io::Json(x); };
    const Range& range = f.range;
    const std::string text =
        fmt::format("{}{}, {}{}", range.above() ? '(' : '[', range.least, range.most, range.below() ? ')' : ']');
    for (double x : outside(range, whole != nullptr))
      refuses<E>(fmt::format("{}: {} lie {} got {}", owner, f.name, text, x).c_str(),
                 [&] { load(changed(number(x))); });
    for (double x : ends(range, whole != nullptr)) {
      Options other = o;
      auto its_fields = nn::fields_of(other);
      nn::read_option_fields(its_fields, changed(number(x)));
      CHECK_NOTHROW(nn::require_options(owner, its_fields));
    }
    refuses<IoError>(fmt::format("options.json: {} {} got a string", f.name, whole ? "integer" : "number").c_str(),
                     [&] { load(changed("two")); });
    if (whole)
      refuses<IoError>(fmt::format("options.json: {} got a number", f.name).c_str(), [&] { load(changed(1.5)); });
    if (!real) continue;
    const double before = **real;
    for (double x : {kNan, kInf}) {
      **real = x;
      refuses(fmt::format("options: {} lie {} got {}", f.name, text, x).c_str(),
              [&] { nn::require_options("options", fields); });
    }
    **real = before;
  }
}

// Each number of a kind's options has this range, and is refused outside it, by the constructor and in a file.
template <class Kind, class Make>
void made_within(const std::string& kind, const std::string& ranges, const std::string& prefix, const Make& make) {
  typename Kind::Options o;
  std::string found;
  const auto fields = nn::fields_of(o);
  for (const nn::OptionField& f : fields) {
    CAPTURE(f.name);
    CHECK_FALSE(f.help.empty());
    const bool whole = std::holds_alternative<int64_t*>(f.place);
    if (!whole && !std::holds_alternative<double*>(f.place)) continue;
    found += fmt::format("{}{} {}", found.empty() ? "" : "; ", f.name, nn::range_of(f));
    std::vector<double> wrong = outside(f.range, whole);
    if (!whole) wrong.insert(wrong.end(), {kNan, kInf});
    const double usual = nn::number_of(f);
    for (double x : wrong) {
      const std::string rule = fmt::format("{} lie {} got {}", f.name, nn::range_of(f), x);
      nn::set_number(f, x);
      const std::string text = nn::text_of(f);
      refuses((kind + ": " + rule).c_str(), [&] { make(o); });
      nn::set_number(f, usual);
      auto made = make(o);
      io::SafeTensors file = made.save_state();
      file.metadata.at(prefix + f.name) = text;
      refuses<IoError>(("load: s " + kind + " " + rule).c_str(), [&] { made.load_state(file, "s"); });
    }
  }
  CHECK(found == ranges);
}

}  // namespace

TEST_CASE("bad input: optimisers, schedules and averages keep the ranges of their options") {
  const std::vector<NamedVariable> one = {{"w", leaf({2})}};
  auto optimiser = [&]<class Kind>(const char* name, const std::string& ranges, const Kind*) {
    made_within<Kind>(name, "learning_rate (0, inf); " + ranges, "group0.",
                      [&](const auto& o) { return Kind(one, o); });
  };
  const std::string beta = "beta1 [0, 1); beta2 [0, 1); ", last = "epsilon [0, inf); weight_decay [0, inf)";
  optimiser("SGD", "momentum [0, inf); dampening [0, 1); weight_decay [0, inf)", static_cast<nn::SGD*>(nullptr));
  optimiser("Adam", beta + last, static_cast<nn::Adam*>(nullptr));
  optimiser("RMSprop", "alpha [0, 1); epsilon [0, inf); momentum [0, inf); weight_decay [0, inf)",
            static_cast<nn::RMSprop*>(nullptr));
  optimiser("Adagrad", "lr_decay [0, inf); weight_decay [0, inf); initial_sum [0, inf); epsilon [0, inf)",
            static_cast<nn::Adagrad*>(nullptr));
  optimiser("Adadelta", "rho [0, 1); epsilon (0, inf); weight_decay [0, inf)", static_cast<nn::Adadelta*>(nullptr));
  auto schedule = [&]<class Kind>(const char* name, const std::string& ranges, const Kind*) {
    made_within<Kind>(name, ranges, "", [&](const auto& o) { return Kind(o); });
  };
  const std::string peak = "peak (0, inf)", floor = "; floor [0, inf)";
  schedule("ConstantRate", peak, static_cast<nn::ConstantRate*>(nullptr));
  schedule("StepDecay", peak + "; every [1, inf); factor (0, inf)", static_cast<nn::StepDecay*>(nullptr));
  schedule("MultiStepDecay", peak + "; factor (0, inf)", static_cast<nn::MultiStepDecay*>(nullptr));
  schedule("ExponentialDecay", peak + "; factor (0, inf)", static_cast<nn::ExponentialDecay*>(nullptr));
  schedule("WarmupLinear", peak + "; start [0, inf); warmup [0, inf); total [1, inf)" + floor,
           static_cast<nn::WarmupLinear*>(nullptr));
  schedule("WarmupCosine", peak + "; warmup [0, inf); total [1, inf)" + floor, static_cast<nn::WarmupCosine*>(nullptr));
  schedule("CosineDecay", peak + "; period [1, inf)" + floor, static_cast<nn::CosineDecay*>(nullptr));
  schedule("CosineRestarts", peak + "; period [1, inf); growth [1, inf)" + floor,
           static_cast<nn::CosineRestarts*>(nullptr));
  schedule("Noam", "width [1, inf); warmup [1, inf); scale (0, inf)", static_cast<nn::Noam*>(nullptr));
  schedule("InverseSquareRoot", peak + "; warmup [1, inf)", static_cast<nn::InverseSquareRoot*>(nullptr));
  schedule("OneCycle", peak + "; total [2, inf); rise [0, 1]; start_divisor (0, inf); end_divisor (0, inf)",
           static_cast<nn::OneCycle*>(nullptr));
  schedule("ReduceOnPlateau",
           peak + "; factor (0, 1); patience [0, inf); cooldown [0, inf); threshold [0, inf)" + floor +
               "; least_change [0, inf)",
           static_cast<nn::ReduceOnPlateau*>(nullptr));
  for (double decay : {1.0, -0.5, kNan})
    refuses(fmt::format("ParameterAverage: decay lie [0, 1) got {}", decay).c_str(),
            [&] { nn::ParameterAverage(one, {.decay = decay}); });
  refuses("WindowAverage: size lie [1, inf) got 0", [&] { nn::WindowAverage(one, {.size = 0}); });
}

TEST_CASE("bad input: options of models and of training keep their ranges") {
  for (const std::string& name : nn::paper_names())
    fields_keep_their_ranges<IoError>(name, nn::paper_called(name),
                                      [&](const io::Json& json) { nn::paper_from(io::Json(json).set("paper", name)); });
  fields_keep_their_ranges<IoError>("Transformer", nn::TransformerOptions{},
                                    [](const io::Json& json) { nn::transformer_options_from(json); });
  fields_keep_their_ranges<ValueError>("train", nn::FitOptions{}, [](const io::Json& json) {
    nn::FitOptions o;
    nn::read_option_fields(nn::fields_of(o), json);
    nn::require_known(o);
  });
}

TEST_CASE("bad input: a number for a text, and a text for a number") {
  nn::FitOptions o;
  for (const nn::OptionField& f : nn::fields_of(o)) {
    if (f.name == "precision") {
      refuses("options: precision number got text", [&] { nn::number_of(f); });
      refuses("options: precision text got number 2", [&] { nn::set_number(f, 2); });
    }
  }
}

TEST_CASE("bad input: the settings of attention keep their ranges") {
  int tried = 0;
  for (const nn::Stages& stages : nn::all_stages())
    for (const nn::CatalogueEntry& e : *stages.rows)
      for (const nn::OptionField& s : e.settings) {
        if (!nn::can_be_built(e)) continue;
        ++tried;
        const std::string setting = fmt::format("{}:{}=", e.name, s.name);
        CAPTURE(setting);
        auto row = [&](double x) {
          return fmt::format("{}: {} {} [{}, {}] got {}", e.name, s.name, is_whole(s) ? "integer" : "number",
                             s.range.least, s.range.most, x);
        };
        auto set = [&](auto value) { nn::stage_from(stages, fmt::format("{}{}", setting, value)); };
        std::vector<double> wrong = outside(s.range, is_whole(s));
        if (is_whole(s)) wrong.push_back(s.range.least + 0.5);
        for (double x : wrong) refuses(row(x).c_str(), [&] { set(x); });
        for (double x : ends(s.range, is_whole(s))) CHECK_NOTHROW(set(x));
        refuses(row(kNan).c_str(), [&] {
          nn::completed_stage(stages, {.name = e.name, .settings = {{s.name, kNan}}});
        });
        refuses(("attention: number got wide " + setting + "wide").c_str(), [&] { set("wide"); });
      }
  CHECK(tried > 100);
}
