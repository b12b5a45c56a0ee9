// The one description of a struct of options: a member `fields`, next to the values that it describes.
//
//   struct DropoutOptions {
//     double p = 0.1;                                        the only place of the default
//     bool locked = false;
//     void fields(OptionFields& f) {
//       f("dropout", p, "dropout probability", kFraction);
//       f("locked", locked, "one mask for all words");
//     }
//   };
//
// Everything else is a loop over fields_of(options): JSON both ways, checks, options of the command line and their
// help, what a text such as window:64 sets. A field holds the address of the value that it describes, so the struct
// must outlive the list and stay where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heed::io {
class Json;
}

namespace heed::nn {

inline constexpr double kNoEnd = std::numeric_limits<double>::infinity();

// Of a number: [least, most], or without the ends themselves. NaN and infinite numbers lie in kAnyNumber alone.
struct Range {
  enum Ends { kClosed, kAbove, kBelow, kOpen };  // kAbove: (least, most]; kBelow: [least, most); kOpen: (least, most)
  double least = 0, most = kNoEnd;
  Ends ends = kClosed;

  bool above() const { return ends == kAbove || ends == kOpen; }
  bool below() const { return ends == kBelow || ends == kOpen || most == kNoEnd; }
  bool holds(long double x) const {
    if (least == -kNoEnd && most == kNoEnd) return true;
    return (above() ? x > least : x >= least) && (below() ? x < most : x <= most);
  }
};
inline constexpr Range kPositive{0, kNoEnd, Range::kAbove}, kFraction{0, 1, Range::kBelow}, kAnyNumber{-kNoEnd};

// A value that is written as text and stored as something else: a stage of attention with its settings.
struct TextPlace {
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;  // ValueError for an invalid text
};
using Place = std::variant<int64_t*, double*, bool*, std::string*, TextPlace>;

// What another option must be for a value to have an effect: {"schedule", "noam", [this] { return .. }}.
struct Need {
  std::string option, value;  // its name, and what it must be, in words
  std::function<bool()> met;  // also for a value that asks for nothing, such as false or 0
};

struct OptionField {
  std::string name;  // the key in JSON
  Place place;
  std::string help;
  std::vector<std::string> names = {};  // of a text: those allowed, "" among them if it may be empty; of a TextPlace:
                                        // those from which its texts are made
  bool any_text = false;                // the names are examples, and a text may be another
  Range range = {};                     // of a number
  bool may_change = false;              // of a run: it may be another when the run goes on
  std::string option = {};              // the name in `heed train`, where it is another; kNoOption: none
  std::string value = {};               // what --help calls its value: DIR. Empty: N, or TEXT
  std::optional<Need> needs = {};
  std::string usual = {};  // its default in words, where a number would not tell: "as --dropout"
};
inline const std::string kNoOption = "-";

// What `fields` is given: one call for each value. The result can be changed further: f(..).may_change = true.
class OptionFields {
 public:
  OptionField& operator()(std::string name, int64_t& x, std::string help, Range range = {});
  OptionField& operator()(std::string name, double& x, std::string help, Range range = {});
  OptionField& operator()(std::string name, bool& x, std::string help);
  OptionField& operator()(std::string name, std::string& x, std::string help, std::vector<std::string> names = {});
  OptionField& operator()(std::string name, TextPlace x, std::string help, std::vector<std::string> names);
  // A member that is itself a struct of options: its fields are called encoder.hidden, encoder.layers, ..
  template <class Options>
  void nested(const std::string& name, Options& options) {
    const std::string outer = prefix_;
    prefix_ += name + ".";
    options.fields(*this);
    prefix_ = outer;
  }

  std::vector<OptionField> all;

 private:
  OptionField& add(std::string name, Place place, std::string help);
  std::string prefix_;
};

template <class Options>
std::vector<OptionField> fields_of(Options& options) {
  OptionFields f;
  options.fields(f);
  return std::move(f.all);
}

// encoder.hidden is also called hidden: a name without a path means every field of that name.
bool is_called(const OptionField& field, const std::string& name);
bool is_whole(const OptionField& field);     // an integer or a bool
double number_of(const OptionField& field);  // true is 1; ValueError for a text
std::string text_of(const OptionField& field);
std::string range_of(const OptionField& field);       // "[0, 1)", or "" for what is not a number
void set_number(const OptionField& field, double x);  // x must be an integer if is_whole(field)
// Back from text_of, to the same bits. ValueError for a text that is no value of its kind; the range is not checked.
void set_text(const OptionField& field, const std::string& text);
// The same for each field that is called so; the number of them.
int64_t set_called(const std::vector<OptionField>& fields, const std::string& name, const std::string& text);
std::optional<int64_t> whole_number(std::string_view text);

io::Json json_of(const std::vector<OptionField>& fields);
// A missing key leaves the value as it is. IoError for a value of another kind, or a key that is neither a field nor
// among the `others`; ValueError for a text that a TextPlace refuses.
void read_option_fields(const std::vector<OptionField>& fields, const io::Json& json,
                        const std::vector<std::string>& others = {});
// ValueError, which begins with the owner's name, for a number outside its range or a text that is not among the names.
void require_options(const std::string& owner, const std::vector<OptionField>& fields);

// The name among `known` that is most similar to `given` by edit distance; "" if none is similar.
std::string nearest(const std::string& given, const std::vector<std::string>& known);

}  // namespace heed::nn
