// The description of an options struct: one list of its fields, from which everything else about them is made.
//
// clang-format off
//   auto fields = option_fields_of(options);   name, place, help, range or names: written once,
//                                              next to the struct
//   json_of(fields)                            the options as JSON
//   read_option_fields(fields, json)           and back
//   require_options("Seq2Seq", fields)         checks numbers and names
// clang-format on
//
// The options of `heed train` are made from the same lists (tutorials/app/train_options.cpp). A field holds the address
// of the value that it describes, so the struct must outlive it and stay where it is.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "nn/io/json.h"

namespace heed::nn {

// A value that is written as text and stored as something else: a stage of attention with its settings.
struct TextPlace {
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;  // ValueError for a text that cannot be
};
using Place = std::variant<int64_t*, double*, bool*, std::string*, TextPlace>;

struct OptionField {
  std::string name;  // the key in JSON
  Place place;
  std::string help;
  std::vector<std::string> names = {};  // of a text: those allowed, "" among them if it may be empty; of a TextPlace:
                                        // those from which its texts are made
  double least = 0, most = 0;           // of a number
  bool below = false;                   // `most` itself is too large
  bool above = false;                   // `least` itself is too small
  bool later = false;                   // added later: a file without it means the default
  bool may_change = false;              // of a run: it may be another when the run goes on
  std::string option = {};              // the name in `heed train`, where it is another; kNoOption: none
};
inline const std::string kNoOption = "-";
inline constexpr double kNoEnd = std::numeric_limits<double>::infinity();  // `most` of a number that may be any size

std::string text_of(const OptionField& field);
io::Json json_of(const std::vector<OptionField>& fields);
// IoError for a missing key or a value of another kind; ValueError for a text that a TextPlace refuses.
void read_option_fields(const std::vector<OptionField>& fields, const io::Json& json);
// ValueError, which begins with the owner's name, for a number outside its range or a text that is not among the names.
void require_options(const std::string& owner, const std::vector<OptionField>& fields);
std::string range_of(const OptionField& field);  // "[0, 1)", or "" for what is not a number

}  // namespace heed::nn
