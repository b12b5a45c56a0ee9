// A language model that attends to its own previous outputs, each split into one, two or three parts (Daniluk; separate
// keys and values: Miller).
//
//   h_t = [k_t]            attention             one vector is key, value and prediction: k = v = p = h
//   h_t = [k_t; v_t]       key-value             p = v
//   h_t = [k_t; v_t; p_t]  key-value-predict
//   r_t = sum_i w_ti v_i                  0 at the first word, which has nothing before it
//
// The part by which a word is found (the key) can differ from the content that is read (the value) and from the part
// that predicts the next word. The values do not influence the weights. The paper's score is `additive`.
#pragma once

#include "nn/attention/attention.h"
#include "nn/attention/stage.h"
#include "nn/attention/structures/output_memory.h"
#include "nn/layers.h"

namespace heed::nn {

struct KeyValueOptions {
  int64_t width;            // N
  int64_t parts = 3;        // 1, 2 or 3; must divide N
  int64_t window = 5;       // L
  ScoreOptions score = {};  // default: additive; its widths are set to P
  NormaliserOptions normaliser = {};
};

struct KeyValueParts {
  Variable key, value, predict;  // [B, T, P]
};
KeyValueParts key_value_parts(const Variable& h, int64_t parts);  // views of h [B, T, N]

struct KeyValueOutput {
  Variable output, context;  // [B, T, P]
  Variable weights;          // [B, T, T]
};

struct KeyValueAttention : Module {
  using Options = KeyValueOptions;
  KeyValueAttention(const Options& options, Generator& rng);
  KeyValueOutput operator()(const Variable& h) const;  // [B, T, N]
  // One output h_t [B, N] after the previous ones, past [B, l, N] (undefined before the first): the same numbers.
  // Appends h_t to past, of which the last L are kept.
  Variable step(const Variable& h, Variable& past) const;  // -> output_t [B, P]
  void visit(Visitor& v) {
    v.child("attention", attention);
    v.child("read", read);
    v.child("predict", predict);
  }
  Options options;
  Attention attention;
  Linear read, predict;  // W_r, W_p [P, P], without biases
};

// As the memory of a decoder (output_memory.h): key_value:parts=3,window=5.
struct KeyValueMemory final : OutputMemory {
  struct Settings {
    int64_t parts = 3;
    int64_t window = 5;
    void fields(OptionFields& f) {
      f("parts", parts, "1: one vector is key, value and prediction; 2: key and value; 3: all apart", {1, 3});
      f("window", window, "L, the number of previous outputs that a step attends to", {1, 100000});
    }
  };
  static constexpr About about{
      .names = {"E3", "key_value", "key-value-predict"},
      .formula = "h = [k; v; p];  w_ti = softmax(score(k_t, k_i)), t - L <= i < t;  y = tanh(W_r sum w v + W_p p)",
      .paper = {"Daniluk et al., ICLR 2017; Miller et al., EMNLP 2016", 2017, 1},
      .idea =
          "The output of a recurrent cell is cut into a part that is compared, a part that is read, and a part that "
          "predicts. One vector then no longer has to serve three purposes. The paper finds that such models still "
          "attend mostly to the last five words or so.",
      .wrong = "With two parts the value also has to predict the next word. Only three parts separate all roles.",
      .shapes = "h [B, T, N] -> [B, T, N / parts]",
      .cost = "T L scores; 2 P^2 parameters plus those of the score, P = N / parts",
      .own = {"one_part_is_plain_attention", "values_have_no_say", "looks_only_at_its_past"},
      .exempt = {{"empty_row_reads_zero", "it takes no mask; only the row of the first word is empty"},
                 {"masked_keys_are_absent", "each word attends to previous words only, which are never padding"},
                 {"padding_is_never_read", "it takes no mask"},
                 {"rows_sum_to_one", "the first word has no previous words, so its row of weights is 0"}},
      .cases = "KeyValueAttention",
      .more = "the decoder's memory of its own outputs; the parts must divide --hidden",
  };

  KeyValueMemory(const StageOptions& options, Generator& rng);  // options.key is N
  Variable sequence(const Variable& h) const override { return attention(h).output; }
  Variable step(const Variable& h, Variable& past) const override { return attention.step(h, past); }
  int64_t width() const override { return attention.options.score.key; }
  void visit(Visitor& v) override { v.child("", attention); }
  KeyValueAttention attention;

 private:
  KeyValueMemory(int64_t width, const Settings& settings, Generator& rng);
};

}  // namespace heed::nn
