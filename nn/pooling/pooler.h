// A pooling as a stage: from one vector per word to one vector per sentence, x [B, S, D] -> [B, width].
//
// A stage is a line of all.cpp, and is chosen by its name with its settings, as in structured:rows=4. Pooling
// (pooling.h) puts several side by side. B batch, S words, D width of x.
#pragma once

#include <memory>
#include <string>

#include "nn/attention/registry.h"
#include "nn/module.h"

namespace heed::nn {

struct PoolerOptions {
  std::string name = {};
  int64_t width = 0;            // D
  SettingValues settings = {};  // all those of its row
  ScoreOptions score = {};      // where a learned query is compared with the words
};

struct Pooler : Module {
  using Stage = Pooler;
  Pooler() = default;
  Pooler(Pooler&&) = default;
  Pooler& operator=(Pooler&&) = default;
  virtual ~Pooler() = default;
  // `words` is the padding mask: bool [B, S], false for padding; undefined: no padding. Without words: 0, except where
  // the pooling has a bias.
  virtual Variable operator()(const Variable& x, const Tensor& words) const = 0;
  virtual int64_t width() const = 0;  // of the result
  virtual void visit(Visitor&) {}
};

std::vector<CatalogueEntry> pooling_entries();  // also of structures that are poolings
const Stages& poolings();                       // those that are chosen by name
std::vector<Stages> all_stages();               // of all kinds: those of attention, and these

// From a text such as structured:rows=4. ValueError for an unknown name or setting.
std::unique_ptr<Pooler> make_pooler(const std::string& text, int64_t width, const ScoreOptions& score, Generator& rng);

}  // namespace heed::nn
