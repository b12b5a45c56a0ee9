// Command-line options that refuse in sentences. The parsing library stays inside parse_options.cpp.
//
//   Options options("heed translate", "Train a small attention translator, then translate what you type.");
//   options.add("--epochs", &epochs, "passes over the training sentences").between(1, 1000);
//   options.flag("--retrain", &retrain, "train anew even if a saved model fits");
//   options.parse(argc, argv);
//
// The target's value before parse is the default that --help shows. --help prints to standard output and leaves with 0;
// whatever cannot be understood is an InputError of one sentence, which ends the program with 2.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heed::app {

// Thrown where the program is simply done: after --help.
struct ExitProgram {
  int code = 0;
};

using OptionTarget = std::variant<std::int64_t*, double*, std::string*, std::vector<std::string>*, bool*,
                                  std::optional<std::int64_t>*, std::optional<double>*, std::optional<std::string>*>;

// One option; the setters narrow what it accepts and return it, so that they chain.
class Option {
 public:
  Option(std::string name, OptionTarget target, std::string help);

  Option& between(double low, double high);  // both ends allowed; for numbers
  Option& at_least(double low);
  Option& above(double low);                         // low itself refused
  Option& one_of(std::vector<std::string> choices);  // for strings
  Option& required();
  Option& placeholder(std::string text);  // in --help: DIR, N, ...

  void assign(const std::string& text);  // throws InputError where the text is not acceptable

 private:
  friend class Options;
  friend class Lesson;
  template <typename Number>
  void check_range(Number value, const std::string& text) const;
  std::string rule() const;
  std::string shown_default() const;

  std::string name_, help_, placeholder_;
  OptionTarget target_;
  std::vector<std::string> choices_;
  std::optional<double> low_, high_;
  bool low_open_ = false, required_ = false;
};

class Options {
 public:
  Options(std::string program, std::string description);
  ~Options();

  Option& add(const std::string& name, OptionTarget target, const std::string& help);  // "--epochs"
  Option& flag(const std::string& name, bool* target, const std::string& help);
  Option& positional(const std::string& name, OptionTarget target, const std::string& help);  // "INPUT"; in order
  void epilogue(std::string text);  // printed below the options by --help
  void parse(int argc, char** argv);
  std::string help() const;

 private:
  friend class Lesson;
  std::string program_, description_, epilogue_;
  std::vector<std::unique_ptr<Option>> named_, positional_;
};

// The options that every executable has. `threads` absent: all processors. `out` empty: the program's own default.
struct Common {
  bool quick = false;
  std::int64_t seed = 1;
  std::optional<std::int64_t> threads;
  std::string out;
};
void add_common(Options& options, Common* common);
void apply_common(const Common& common);  // after parse: the number of threads

// A finite decimal number; no "nan", no "inf", no hexadecimal, no spaces.
std::optional<double> decimal_number(const std::string& text);

// The name among `known` that `given` most resembles, "" where none is near (edit distance).
std::string nearest(const std::string& given, const std::vector<std::string>& known);

}  // namespace heed::app
