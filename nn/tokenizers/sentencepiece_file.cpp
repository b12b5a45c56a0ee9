// Reading the message, and the two models that it can mean.
#include "nn/tokenizers/sentencepiece_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "nn/io/file.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

// Calls field(number, value, bytes) for each; `bytes` is empty for those that are numbers.
template <class Field>
void fields_of(std::string_view message, const std::string& what, const Field& field) {
  size_t at = 0;
  auto cut = [&] { throw IoError(fmt::format("sentencepiece: must be a whole model; got a damaged one in {}", what)); };
  auto number = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (at >= message.size() || shift > 63) cut();
      auto byte = static_cast<unsigned char>(message[at++]);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  auto bytes = [&](uint64_t count) {
    if (count > message.size() - at) cut();
    at += count;
    return message.substr(at - count, count);
  };
  while (at < message.size()) {
    uint64_t key = number();
    switch (key & 7) {
      case 0:
        field(key >> 3, number(), std::string_view());
        break;
      case 1:
        field(key >> 3, uint64_t{0}, bytes(8));
        break;
      case 2:
        field(key >> 3, uint64_t{0}, bytes(number()));
        break;
      case 5:
        field(key >> 3, uint64_t{0}, bytes(4));
        break;
      default:
        cut();
    }
  }
}

double float_of(std::string_view bytes) {  // little-endian
  uint32_t bits = 0;
  for (size_t i = std::min<size_t>(bytes.size(), 4); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  return std::bit_cast<float>(bits);
}

}  // namespace

SentencepieceFile SentencepieceFile::read(const std::string& path) { return from_bytes(io::read_file(path), path); }

SentencepieceFile SentencepieceFile::from_bytes(std::string_view bytes, const std::string& what) {
  SentencepieceFile file;
  fields_of(bytes, what, [&](uint64_t part, uint64_t, std::string_view message) {
    Entry piece;
    fields_of(part <= 3 ? message : std::string_view(), what,
              [&](uint64_t field, uint64_t value, std::string_view text) {
                if (part == 1 && field == 1) piece.text = text;
                if (part == 1 && field == 2) piece.score = float_of(text);
                if (part == 1 && field == 3) piece.type = static_cast<Type>(value);
                if (part == 2 && field == 3) file.is_bpe = value == 2;
                if (part == 2 && field == 35) file.byte_fallback = value != 0;
                if (part == 2 && field == 40) file.unknown = static_cast<int64_t>(value);
                if (part == 3 && field == 2) file.charsmap = text;
                if (part == 3 && field == 3) file.spaces.add_dummy_prefix = value != 0;
                if (part == 3 && field == 4) file.spaces.remove_extra_whitespaces = value != 0;
              });
    if (part == 1) file.pieces.push_back(std::move(piece));
  });
  bool text = std::all_of(file.pieces.begin(), file.pieces.end(),
                          [](const Entry& piece) { return !piece.text.empty() && !text::invalid_utf8(piece.text); });
  if (!text || file.unknown < 0 || file.unknown >= static_cast<int64_t>(file.pieces.size()))
    throw IoError(fmt::format(
        "sentencepiece: must name its unknown token and its pieces, in UTF-8; got {} pieces and unknown {} in {}",
        file.pieces.size(), file.unknown, what));
  return file;
}

UnigramOptions SentencepieceFile::unigram_options() const {
  UnigramOptions options{.unknown = unknown, .byte_fallback = byte_fallback};
  for (const Entry& piece : pieces) options.pieces.emplace_back(piece.text, piece.score);
  return options;
}

TokenTable SentencepieceFile::table() const {
  std::vector<std::string> texts;
  for (const Entry& piece : pieces) texts.push_back(piece.text);
  return table_of(texts);
}

BytePairOptions SentencepieceFile::byte_pair_options() const {
  BytePairOptions options{
      .unknown = pieces[static_cast<size_t>(unknown)].text, .fuse_unknown = true, .byte_fallback = byte_fallback};
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return pieces[a].score > pieces[b].score; });
  TokenTable known = table();
  for (size_t i : order) {
    const std::string& text = pieces[i].text;
    for (size_t at = 0; at < text.size();) {
      text::next(text, at);
      if (at < text.size() && known.id_of(text.substr(0, at)) && known.id_of(text.substr(at)))
        options.merges.emplace_back(text.substr(0, at), text.substr(at));
    }
  }
  return options;
}

}  // namespace heed::tokenizers
