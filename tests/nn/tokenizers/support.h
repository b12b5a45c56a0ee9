// What the tests of the tokenizers share: golden files of the `tokenizers`, transformers and sentencepiece libraries.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "nn/tokenizers/published_tokenizer.h"
#include "tensor/error.h"
#include "tests/source_dir.h"

namespace heed::tokenizer_test {

using nlohmann::json;
using tokenizers::PublishedTokenizer;

// The folder of golden files and published vocabularies that are not in the repository; `shared` beside the sources.
inline std::string shared(const std::string& path) {
  const char* folder = std::getenv("HEED_SHARED");
  return std::string(folder ? folder : source_dir() + "/../shared") + "/" + path;
}

inline json read(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

inline json offsets_of(const tokenizers::Encoding& encoding) {
  json all = json::array();
  for (tokenizers::Span at : encoding.offsets()) all.push_back({at.begin, at.end});
  return all;
}
inline json names_of(const tokenizers::Encoding& encoding) {
  json all = json::array();
  for (const tokenizers::Token& token : encoding.tokens) all.push_back(token.text);
  return all;
}

// A folder of links to the files of `folder` except those in `drop`, and to those of the folder `more`.
struct Changed {
  Changed(const std::string& folder, const std::vector<std::string>& drop, const std::string& more = "") {
    path = (std::filesystem::temp_directory_path() / fmt::format("heed-tokenizer-{}", static_cast<const void*>(this)))
               .string();
    std::filesystem::create_directories(path);
    for (const std::string& from : {folder, more})
      if (!from.empty())
        for (const auto& file : std::filesystem::directory_iterator(from))
          if (file.is_regular_file() && std::find(drop.begin(), drop.end(), file.path().filename()) == drop.end())
            std::filesystem::create_symlink(std::filesystem::absolute(file.path()),
                                            path + "/" + file.path().filename().string());
  }
  ~Changed() { std::filesystem::remove_all(path); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  std::string path;
};

struct Counts {
  size_t equal = 0, of = 0;
  std::string first = {};  // the first difference
  void add(bool same, const std::string& what) {
    ++of;
    if (same)
      ++equal;
    else if (first.empty())
      first = what;
  }
};

// Every case, pair and truncation of a golden.json.
inline Counts compare(const PublishedTokenizer& tokenizer, const json& golden) {
  Counts counts;
  for (const json& c : golden.at("cases")) {
    const std::string text = c.at("text");
    tokenizers::Encoding encoding = tokenizer.encode(text);
    std::vector<int64_t> ids = encoding.ids();
    std::string back = tokenizer.decode(ids, {.skip_special = false, .clean_up = false});
    std::string plain_back = tokenizer.decode(ids, {.skip_special = true, .clean_up = false});
    bool same = json(ids) == c.at("ids") && names_of(encoding) == c.at("tokens") &&
                offsets_of(encoding) == c.at("offsets") &&
                json(encoding.special_mask()) == c.at("special_tokens_mask") && json(back) == c.at("decoded") &&
                json(plain_back) == c.at("decoded_skip_special") &&
                json(tokenizer.encode(text, {.add_special = false}).ids()) == c.at("plain_ids");
    counts.add(same, json(text).dump() + "\n got  " + json(ids).dump() + names_of(encoding).dump() +
                         offsets_of(encoding).dump() + json(back).dump() + "\n want " + c.at("ids").dump() +
                         c.at("tokens").dump() + c.at("offsets").dump() + c.at("decoded").dump());
  }
  for (const json& c : golden.at("pairs")) {
    tokenizers::Encoding encoding =
        tokenizer.encode(c.at("text").at(0).get<std::string>(), c.at("text").at(1).get<std::string>());
    json sequences = json::array();
    for (const tokenizers::Token& t : encoding.tokens) sequences.push_back(t.sequence < 0 ? json() : json(t.sequence));
    bool same = json(encoding.ids()) == c.at("ids") && names_of(encoding) == c.at("tokens") &&
                json(encoding.type_ids()) == c.at("type_ids") && offsets_of(encoding) == c.at("offsets") &&
                json(encoding.special_mask()) == c.at("special_tokens_mask") && sequences == c.at("sequence_ids");
    counts.add(same, c.at("text").dump() + json(encoding.ids()).dump() + json(encoding.type_ids()).dump() +
                         offsets_of(encoding).dump() + "\n want " + c.dump());
  }
  for (const json& c : golden.at("truncation")) {
    const std::string strategy = c.at("strategy");
    tokenizers::EncodeOptions options{.max_length = c.at("max_length"), .truncate_left = c.at("side") == "left"};
    if (strategy == "only_first") options.truncation = tokenizers::Truncation::only_first;
    if (strategy == "only_second") options.truncation = tokenizers::Truncation::only_second;
    json ids, types;
    try {
      const std::string first = c.at("text").at(0);
      tokenizers::Encoding encoding = c.at("text").size() == 1
                                          ? tokenizer.encode(first, options)
                                          : tokenizer.encode(first, c.at("text").at(1).get<std::string>(), options);
      ids = encoding.ids(), types = encoding.type_ids();
    } catch (const InputError&) {}
    bool same = c.contains("error") ? ids.is_null() : ids == c.at("ids") && types == c.at("type_ids");
    counts.add(same, "truncation " + ids.dump() + " want " + c.dump());
  }
  return counts;
}

}  // namespace heed::tokenizer_test
