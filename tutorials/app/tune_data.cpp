#include "tutorials/app/tune_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "nn/io/checksum.h"
#include "nn/text/reading.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed::app {
namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string::npos; }

constexpr size_t kPieceBytes = 1 << 16;

}  // namespace

std::vector<LabelledText> read_labelled(const std::string& path) {
  text::LineFile file(path);
  std::vector<LabelledText> texts;
  std::set<std::string> labels, different;
  for (std::string line; file.next(line);) {
    if (is_blank(line)) continue;
    const size_t tab = line.find('\t');
    const std::string label = line.substr(0, tab), text = tab == std::string::npos ? "" : line.substr(tab + 1);
    if (is_blank(label) || is_blank(text))
      throw InputError(fmt::format("train: {}, line {}: a line must be a label, a tab and a text; got \"{}\"",
                                   file.name(), file.line_number(), line));
    texts.push_back({label, text});
    labels.insert(label), different.insert(text);
  }
  if (texts.empty()) throw InputError(fmt::format("train: {} must have lines, label TAB text; got none", file.name()));
  if (labels.size() > different.size() || (texts.size() >= 10 && 2 * labels.size() > texts.size()))
    throw InputError(
        fmt::format("train: {} must have a label first and then a text; got {} different entries in the first column "
                    "and {} in the second, of {} lines; hint: are the columns the other way round?",
                    file.name(), labels.size(), different.size(), texts.size()));
  if (labels.size() < 2)
    throw InputError(fmt::format("train: {} must have at least two labels to choose from; got only \"{}\"", file.name(),
                                 *labels.begin()));
  return texts;
}

std::vector<std::string> labels_in(const std::vector<LabelledText>& texts) {
  std::set<std::string> labels;
  for (const LabelledText& one : texts) labels.insert(one.label);
  return {labels.begin(), labels.end()};
}

std::vector<bool> held_out_tenth(size_t lines, uint64_t seed) {
  std::vector<size_t> order(lines);
  for (size_t i = 0; i < lines; ++i) order[i] = i;
  Generator rng(seed);
  rng.shuffle(order);
  std::vector<bool> held(lines, false);
  for (size_t i = 0; i < std::max<size_t>(lines / 10, 1) && i < lines; ++i) held[order[i]] = true;
  return held;
}

std::vector<std::string> text_lines(const std::string& path) {
  text::LineFile file(path);
  std::vector<std::string> lines;
  for (std::string line; file.next(line);)
    if (!is_blank(line)) lines.push_back(line);
  if (lines.empty()) throw InputError(fmt::format("train: {} must have a text; got none", file.name()));
  return lines;
}

std::vector<int64_t> tokens_of(const tokenizers::PublishedTokenizer& tokenizer, const std::vector<std::string>& lines) {
  std::vector<int64_t> tokens;
  std::string piece;
  auto encode = [&] {
    for (int64_t id : tokenizer.encode(piece, {.add_special = false}).ids()) tokens.push_back(id);
    piece.clear();
  };
  for (const std::string& line : lines) {
    piece += line + "\n";
    if (piece.size() >= kPieceBytes) encode();
  }
  if (!piece.empty()) encode();
  return tokens;
}

std::string fingerprint_of(const std::vector<data::EncodedPair>& pairs) {
  io::Checksum sum;
  for (const data::EncodedPair& pair : pairs)
    for (const std::vector<int64_t>* side : {&pair.source, &pair.target}) {
      const int64_t n = std::ssize(*side);
      sum.add(&n, sizeof n), sum.add(side->data(), side->size() * sizeof(int64_t));
    }
  return sum.digits();
}

std::string fingerprint_of(const std::vector<std::string>& lines) {
  io::Checksum sum;
  for (const std::string& line : lines) sum.add(line.c_str(), line.size() + 1);  // with the 0 at its end
  return sum.digits();
}

std::string fingerprint_of(nn::published::Model& model) {
  io::Checksum sum;
  for (const auto& parameter : nn::named_parameters(model)) {
    const Tensor value = parameter.variable.value().contiguous();
    if (value.count() > 0)
      dispatch_float(value.dtype(), "fingerprint", [&](auto zero) {
        sum.add(value.data<decltype(zero)>(), static_cast<size_t>(value.count()) * sizeof zero);
      });
  }
  return sum.digits();
}

}  // namespace heed::app
