// Attention with memory that is learned and not read from the sentence: N vectors that every word can attend to besides
// the words. Keys and values are [H, N, K], or learned inputs [N, D]. Sukhbaatar et al. show that enough of these
// vectors can replace the feed-forward network, which has the same form: relu in the place of the softmax. N = 0 is
// ordinary attention. In a sentence without words, a query reads the memory alone. The returned weights are those of
// the words only, so rows sum to less than 1.
#pragma once

#include <utility>

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutPersistent{
    .names = {"E19", "persistent", "all-attention"},
    .formula = "w = softmax of q . k over the words and N learned keys of each head, which have learned values",
    .paper = {"Sukhbaatar et al., 2019", 2019, 4},
    .idea =
        "Every head has learned keys and values beside those of the words. All sentences see the same vectors, so they "
        "can hold knowledge that does not depend on the input. With enough of them the feed-forward network can be "
        "left out.",
    .wrong =
        "The learned keys are not part of the sentence, so they must stay visible where a key padding mask hides all "
        "words.",
    .cost = "as multi-head attention with N more keys; 2 N D more parameters",
    .own = {"no_memory_is_attention", "no_words_read_the_memory"},
};

inline constexpr About kAboutMemoryTokens{
    .names = {"E19b", "memory_tokens", "memory transformer"},
    .formula = "w = softmax of q . k over the words and N learned inputs, projected like words",
    .paper = {"after Burtsev et al., 2020", 2020, 4},
    .idea =
        "Learned vectors are put beside the words and projected to keys and values as words are. Every word can read "
        "them, as if the sentence had a few more words. Without any it is ordinary attention.",
    .wrong =
        "In the paper the memory tokens pass through all layers and are rewritten on the way. Here each layer has "
        "tokens of its own, which are only read.",
    .cost = "as multi-head attention with N more keys; N D more parameters",
    .own = {"no_memory_is_attention", "no_words_read_the_memory"},
};

struct PersistentMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t memories = 16;
    void fields(OptionFields& f) {
      f("memories", memories, "N, learned vectors beside the words; 0: none", {0, 65536});
    }
  };

  PersistentMixer(const MixerOptions& options, Generator& rng);
  std::pair<Variable, Variable> memory_heads() const;  // keys and values [H, N, K]
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.parameter("keys", keys), v.parameter("values", values), v.parameter("tokens", tokens);
  }
  Variable keys, values;  // [H, N, K], of persistent
  Variable tokens;        // [N, D], of memory_tokens

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
