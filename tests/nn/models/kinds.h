// Every kind of recurrent encoder-decoder, as options of Seq2Seq.
#pragma once

#include <fmt/format.h>

#include "nn/cases/small_stages.h"
#include "nn/models/seq2seq.h"
#include "nn/pooling/pooler.h"

namespace heed::nn_test::seq2seq {

struct Kind {
  std::string name;
  nn::Seq2SeqOptions options;
};

inline nn::Seq2SeqOptions base() {
  nn::Seq2SeqOptions o{.source_vocabulary = 9, .target_vocabulary = 8, .embedding = 5, .hidden = 6};
  o.dropout = 0;
  return o;
}

inline std::vector<Kind> kinds() {
  std::vector<Kind> all;
  auto add = [&](const std::string& name, auto change) {
    Kind k{name, base()};
    change(k.options);
    all.push_back(k);
  };
  for (const char* cell : {"rnn", "gru", "lstm"})
    for (const char* context : {"attention", "initial_state", "every_step"})
      add(fmt::format("{} {}", cell, context), [&](auto& o) { o.cell = cell, o.context = context; });
  for (const char* cell : {"rnn", "gru", "lstm"})
    for (bool feeding : {false, true})
      add(fmt::format("luong {}{}", cell, feeding ? " feeding" : ""), [&](auto& o) {
        o.cell = cell, o.order = "luong", o.input_feeding = feeding, o.attention.score.name = "general";
      });
  for (const char* start : {"first_backward", "last", "mean", "zeros"})
    add(fmt::format("start {}", start), [&](auto& o) { o.start = start, o.cell = "lstm"; });
  for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::score))
    for (const char* order : {"bahdanau", "luong"})
      add(fmt::format("{} {}", entry.name, order), [&](auto& o) {
        o.attention.score.name = entry.name, o.order = order;
        nn::ScoreOptions tried = nn::small_stages(entry).score;
        if (tried.query == tried.key) o.bidirectional = false;  // a score that joins no two widths
        if (tried.query != tried.key) o.readout = 4;
      });
  for (const char* scope : {"local_m", "local_p"})
    for (const char* order : {"bahdanau", "luong"})
      add(fmt::format("{} {}", scope, order), [&](auto& o) {
        o.attention.scope = {.name = scope, .settings = {{"window", 1}}}, o.order = order;
      });
  for (const char* context : {"attention", "initial_state", "every_step"})
    add(fmt::format("lstmn {}", context), [&](auto& o) { o.cell = "lstmn", o.context = context; });
  add("lstmn luong", [](auto& o) { o.cell = "lstmn", o.order = "luong"; });
  add("lstmn stacked, a short tape", [](auto& o) { o.cell = "lstmn", o.layers = o.decoder_layers = 2, o.tape = 3; });
  for (const char* start : {"last", "mean", "zeros"})
    add(fmt::format("lstmn deep, start {}", start),
        [&](auto& o) { o.cell = "lstmn", o.order = "deep", o.bidirectional = false, o.start = start; });
  for (const char* order : {"bahdanau", "luong"})
    add(fmt::format("key_value {}", order), [&](auto& o) { o.memory = "key_value:parts=2,window=2", o.order = order; });
  add("key_value without attention", [](auto& o) { o.memory = "key_value", o.context = "initial_state"; });
  for (const std::string& name : nn::stage_names(nn::poolings()))
    add(name, [&](auto& o) {
      o.pooling = name == "hierarchical" ? name + ":segment=2" : name, o.context = "every_step";
      if (name == "structured") o.pooling += ":hidden=4";
      if (name == "squeeze_excite") o.pooling += ":reduction=1";  // one hidden unit may be 0 for all of these words
      if (name == "cls" || name == "lasttoken") o.pooling += ",mean";  // alone, one direction would have read one word
    });
  add("two poolings for the first state", [](auto& o) { o.pooling = "mean,max", o.context = "initial_state"; });
  add("a pooling beside attention", [](auto& o) { o.pooling = "attention"; });
  add("argmax", [](auto& o) { o.attention.normaliser.name = "argmax"; });
  add("stacked", [](auto& o) { o.layers = 2, o.decoder_layers = 3, o.cell = "lstm"; });
  add("stacked luong", [](auto& o) { o.layers = 2, o.decoder_layers = 2, o.order = "luong"; });
  add("direct", [](auto& o) { o.readout = nn::Seq2SeqOptions::kDirect, o.order = "luong"; });
  return all;
}

}  // namespace heed::nn_test::seq2seq
