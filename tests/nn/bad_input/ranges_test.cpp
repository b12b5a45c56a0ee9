// The ranges of all options that are numbers: those of models and of training (OptionField), and the settings of the
// stages of attention (Setting). Each is tried at both ends of its range, one step beyond them, and with a text. No
// other test has to do this.
#include <cmath>
#include <utility>

#include "nn/attention/registry.h"
#include "nn/models/seq2seq_options.h"
#include "nn/train/fit_options.h"
#include "nn/transformer/transformer_options.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

using nn::Range;

double step(double x, bool whole, int direction) { return whole ? x + direction : std::nextafter(x, direction * kInf); }
std::vector<double> outside(const Range& r, bool whole) {
  std::vector<double> values{r.ends == Range::kAbove ? r.least : step(r.least, whole, -1)};
  if (std::isfinite(r.most)) values.push_back(r.ends == Range::kBelow ? r.most : step(r.most, whole, 1));
  return values;
}
std::vector<double> ends(const Range& r, bool whole) {
  double most = std::isfinite(r.most) ? r.most : whole ? 0x1p53 : 1e300;
  return {r.ends == Range::kAbove ? step(r.least, whole, 1) : r.least,
          r.ends == Range::kBelow ? step(most, whole, -1) : most};
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
    const std::string text = fmt::format("{}{}, {}{}", range.ends == Range::kAbove ? '(' : '[', range.least, range.most,
                                         range.ends == Range::kBelow || !std::isfinite(range.most) ? ')' : ']');
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
    double before = std::exchange(**real, kNan);
    refuses(fmt::format("options: {} lie {} got nan", f.name, text).c_str(),
            [&] { nn::require_options("options", fields); });
    **real = before;
  }
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: options of models and of training keep their ranges") {
    fields_keep_their_ranges<IoError>("Seq2Seq", nn::Seq2SeqOptions{.source_vocabulary = 5, .target_vocabulary = 5},
                                      [](const io::Json& json) { nn::seq2seq_options_from(json); });
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
    using nn::Kind;
    int tried = 0;
    for (Kind kind : {Kind::score, Kind::normaliser, Kind::scope, Kind::position, Kind::evaluator, Kind::pooling,
                      Kind::reader, Kind::memory, Kind::mixer})
      for (const nn::CatalogueEntry& e : nn::stage_entries(kind))
        for (const nn::Setting& s : e.settings) {
          if (!nn::can_be_built(e)) continue;
          ++tried;
          const std::string setting = fmt::format("{}:{}=", e.name, s.name);
          CAPTURE(setting);
          auto row = [&](double x) {
            return fmt::format("{}: {} {} [{}, {}] got {}", e.name, s.name, s.whole ? "integer" : "number", s.least,
                               s.most, x);
          };
          auto set = [&](auto value) { nn::stage_from(kind, fmt::format("{}{}", setting, value)); };
          std::vector<double> wrong = outside({s.least, s.most}, s.whole);
          if (s.whole) wrong.push_back(s.least + 0.5);
          for (double x : wrong) refuses(row(x).c_str(), [&] { set(x); });
          for (double x : ends({s.least, s.most}, s.whole)) CHECK_NOTHROW(set(x));
          refuses(row(kNan).c_str(), [&] {
            nn::completed_stage(kind, {.name = e.name, .settings = {{s.name, kNan}}});
          });
          refuses(("attention: number got wide " + setting + "wide").c_str(), [&] { set("wide"); });
        }
    CHECK(tried > 100);
  }
}
