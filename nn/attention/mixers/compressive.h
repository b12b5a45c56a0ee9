// Compressive attention, after the compressive transformer (section 3 of the paper): recent words are kept one by one,
// older ones as one mean for every c of them.
//
//   group j    words j c .. j c + c - 1, as the mean of their inputs, projected to a key and a value like a word
//   word t     reads the words of all groups that do not end before t - W + 1, and the means of those that do
//
// c = 1, or W >= T, is ordinary attention. The paper moves whole segments from one memory to the next, without
// gradients through them, and compares ways to compress, of which the mean is the simplest; here the window slides and
// gradients pass. In an encoder far words on both sides are compressed. W window, c rate.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct CompressiveMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t window = 16;
    int64_t rate = 4;
    void fields(OptionFields& f) {
      f("window", window, "W, words that are read one by one", {1, 65536});
      f("rate", rate, "c, older words that are read as one mean", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"E19c", "compressive", "compressive transformer"},
      .formula = "w = softmax of q . k over the last W words and the means of groups of c older words",
      .paper = {"after Rae et al., ICLR 2020", 2020, 4},
      .idea =
          "Recent words are read one by one, and older words in groups, each group as the mean of its inputs. So far "
          "more words fit into the same number of keys. With groups of one word it is ordinary attention.",
      .wrong =
          "A group may be read as a mean only when all of its words are old. Otherwise its last words would be read "
          "twice, or a causal model would read words that are still to come.",
      .cost = "as multi-head attention; a decoder would keep W + T / c keys; no more parameters",
      .own = {"rate_one_is_attention", "old_words_are_read_as_means"},
  };

  CompressiveMixer(const MixerOptions& options, Generator& rng);
  Settings settings;

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
