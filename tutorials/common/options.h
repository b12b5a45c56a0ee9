// Command-line options whose errors are full sentences. Only parse_options.cpp uses the parsing library.
//
//   Options options("heed translate", "Trains a small attention translator and translates what you type.");
//   options.add("--epochs", &epochs, "passes over the training sentences").between(1, 1000);
//   options.flag("--retrain", &retrain, "train again even if a saved model matches");
//   options.add_all(nn::fields_of(model_options));   // --hidden, --learning-rate, ..: as the struct describes them
//   options.parse(argc, argv);
//
// The value of the target before parse is the default that --help shows. --help prints to standard output and ends the
// program with exit code 0. Anything that cannot be parsed is an InputError, which ends it with exit code 2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "nn/options.h"

namespace heed::app {

// Thrown to end the program early, after --help.
struct ExitProgram {
  int code = 0;
};

// Where the value goes: what a field of a struct can be (nn/options.h), and what only a command line has: values that
// may not be given, and lists.
using OptionTarget = std::variant<std::int64_t*, double*, bool*, std::string*, nn::TextPlace, std::vector<std::string>*,
                                  std::optional<std::int64_t>*, std::optional<double>*, std::optional<std::string>*>;

std::string in_words(const nn::Range& range);  // "0 to below 1", "at least 1"; its least must be finite
std::string option_name(std::string field);    // as it is typed: learning_rate is --learning-rate

// One option: a field with a target. The setters restrict what it accepts and return it, so that calls can be chained.
class Option {
 public:
  Option(std::string name, OptionTarget target, std::string help);
  explicit Option(nn::OptionField field);  // with its name, place, range and names

  Option& between(double low, double high);  // for numbers; low and high are allowed
  Option& at_least(double low);
  Option& above(double low);                         // low itself is refused
  Option& one_of(std::vector<std::string> choices);  // for strings
  Option& required();
  Option& whole();                        // of a list: a text with commas is one element
  Option& placeholder(std::string text);  // in --help: DIR, N, ...

  void assign(const std::string& text);    // InputError if the text is not acceptable
  std::vector<std::string> rules() const;  // for --help, in brackets: choices or range

 private:
  friend class Options;
  friend class Lesson;
  template <typename Number>
  void check_range(Number value, const std::string& text) const;
  std::string rule() const;
  std::string shown_default() const;

  nn::OptionField field_;  // its place is `target_`
  OptionTarget target_;
  bool required_ = false, whole_ = false;
};

class Options {
 public:
  Options(std::string program, std::string description);
  ~Options();

  Option& add(const std::string& name, OptionTarget target, const std::string& help);  // "--epochs"
  Option& add(nn::OptionField field);                 // called by its name of an option, if it has one
  void add_all(std::vector<nn::OptionField> fields);  // all but those that are no option
  Option& flag(const std::string& name, bool* target, const std::string& help);
  Option& positional(const std::string& name, OptionTarget target, const std::string& help);  // "INPUT"; in order
  void epilogue(std::string text);  // printed below the options by --help
  void parse(int argc, char** argv);
  std::string help() const;
  const std::set<std::string>& given() const { return given_; }  // after parse: --epochs, ..
  void require_effects() const;                                  // of those that were given, as below

 private:
  friend class Lesson;
  std::string program_, description_, epilogue_;
  std::set<std::string> given_;
  std::vector<std::unique_ptr<Option>> named_, positional_;
};

// The options that every program has. `threads` not set: one per processor. `out` empty: the default of the program.
struct Common {
  bool quick = false;
  std::int64_t seed = 1;
  std::optional<std::int64_t> threads;
  std::string out;
};
void add_common(Options& options, Common* common);
void apply_common(const Common& common);  // after parse: sets the number of threads

// InputError if one of the names, as they were given, is that of fields which change nothing since what they need is
// not so (nn::Need). The command: "train".
void require_effects(const std::string& command, const std::vector<nn::OptionField>& fields,
                     const std::set<std::string>& given);

// A finite decimal number; no "nan", no "inf", no hexadecimal, no spaces.
std::optional<double> decimal_number(const std::string& text);

using nn::nearest;

}  // namespace heed::app
