// config.json of a published model. A reader asks for the keys that it implements; whatever else is in the file is
// either on the list of keys that change no number (config.cpp), or null, or refused by its name:
//
//   Config config(folder);
//   options.model = config.size("hidden_size");       // must be there
//   options.eps = config.number("layer_norm_eps", 1e-12);
//   config.only("position_embedding_type", "absolute");   // the one value that is implemented
//   config.require_known();
//
// Defaults are those of the library that wrote the files (transformers), which leaves keys out.
#pragma once

#include <set>
#include <string>

#include "nn/io/json.h"

namespace heed::nn::published {

class Config {
 public:
  // IoError if the folder has no config.json with a model_type, or has what heed never opens: code (auto_map), or
  // weights of few bits (quantization_config).
  explicit Config(const std::string& folder);
  Config(io::Json contents, std::string name);  // of a model that has no folder yet; `name`: for messages

  int64_t size(const std::string& key, int64_t most = 1 << 24) const;  // at least 1
  int64_t size_or(const std::string& key, int64_t fallback) const;     // null counts as missing here and below
  int64_t integer(const std::string& key, int64_t fallback) const;     // -1 is a usual fallback: none
  double number(const std::string& key, double fallback) const;
  bool flag(const std::string& key, bool fallback) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  const io::Json* find(const std::string& key) const;  // nullptr for null
  void only(const std::string& key, const io::Json& value) const;
  void ignore(const std::string& key) const { asked_.insert(key); }
  // IoError "<file>: key \"k\" <rule>; got <its value>; <hint>".
  [[noreturn]] void refuse(const std::string& key, const std::string& rule, const std::string& hint = "") const;

  std::string family() const { return text("model_type", ""); }
  std::string architecture() const;  // BertForMaskedLM; "" if the file has none
  bool is_for(const std::string& task) const { return architecture().find("For" + task) != std::string::npos; }
  int64_t labels() const;  // classes of a text or of a word
  void require_known() const;

  io::Json json;
  std::string file;  // its path, for messages

 private:
  mutable std::set<std::string> asked_;
};

}  // namespace heed::nn::published
