// Attention sinks (Xiao et al., "Efficient streaming language models with attention sinks", ICLR 2024): decoding keeps
// the keys of the first s words and of the last w, so texts without end need the memory of s + w words.
//
//   place of a key = its place in the memory, 0 .. s + w - 1;  place of the query = that of the last key
//
// A softmax must put its weights somewhere, and trained models put them on the first words, which all later words see.
// A plain window (ring.h) drops them and breaks the model. Since places are counted in the memory, no distance is
// larger than s + w - 1, and a rotary model never meets one that it was not trained on. Keys are therefore kept before
// the position turns them, and turned at each step.
#pragma once

#include "nn/attention/evaluators/forgetful.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct StreamingEvaluator final : ForgetfulEvaluator {
  struct Settings {
    int64_t window = 1020;
    int64_t sinks = 4;
    bool text_places = false;
    void fields(OptionFields& f) {
      f("window", window, "w, last words that decoding keeps", {1, 1e9});
      f("sinks", sinks, "s, first words that decoding keeps", {0, 1e9});
      f("text_places", text_places, "words keep their places in the text");
    }
  };
  static constexpr About about{
      .names = {"G4b", "streaming", "StreamingLLM", "attention sinks"},
      .formula = "word t reads the words 0 .. s - 1 and t - w + 1 .. t, whose places are 0, 1, .. in this order",
      .paper = {"Xiao et al., ICLR 2024", 2024, 3},
      .idea =
          "Decoding keeps the keys of the first few words and of a window of last ones. The first words get large "
          "weights in every trained model, whatever they are, so a window without them breaks it. Places are counted "
          "within the memory, so a text of any length has only distances that training had.",
      .wrong =
          "A key that was turned at its place in the text has a wrong place as soon as a word between was forgotten. "
          "Keys are kept as they were before the rotary position, and turned at every step.",
      .shapes = "[B, G, s + w, K] and [B, G, s + w, V]",
      .cost = "2 (s + w) D products per step; G (s + w) (K + V) numbers per sentence",
      .own = {"sinks_are_a_mask", "sinks_have_bounded_distances", "room_for_all_forgets_nothing"},
      .cases = "MultiHeadAttention",
      .architecture = "transformer",
      .option = "evaluator",
      .text = "streaming",
  };

  StreamingEvaluator(const EvaluatorOptions& o, Generator&) : StreamingEvaluator(o.settings.as<Settings>()) {}
  explicit StreamingEvaluator(const Settings& s)
      : ForgetfulEvaluator({.first = s.sinks, .last = s.window, .renumbered = !s.text_places}) {}
};

}  // namespace heed::nn
