// Scopes that depend on the places only, and padding, which is a mask of every call. i is the place of the query, j
// that of the key.
#pragma once

#include "nn/attention/scopes/masks.h"
#include "nn/attention/scopes/scope.h"

namespace heed::nn {

inline constexpr About kAboutPadding{
    .names = {"C13", "padding", "key padding mask"},
    .formula = "s < length of the source",
    .paper = {"no single paper: used in every batch of sentences of different lengths since Bahdanau et al., 2015",
              2015, 1},
    .idea =
        "A mask gives the weight zero to the symbols that fill up the shorter sentences of a batch. They mean nothing, "
        "and nobody may attend to them. Then the result for a sentence does not depend on the other sentences of the "
        "batch.",
    .wrong =
        "The mask hides keys, which are columns of the scores, not rows of queries. A large negative number in place "
        "of minus infinity may leave some weight on the padding.",
    .shapes = "lengths [B] -> mask [B, 1, S]",
    .cost = "T (length) scores have an effect",
    .own = {"keys_are_masked_not_queries", "a_batch_is_its_sentences_alone"},
    .tried = "global",
    .cases = "Attention dot",
};

// A source whose last quarter is padding: its length [1], and what its mask looks like.
Tensor padded_source(const Places& places);
Tensor padding_picture(const Places& places);

struct GlobalScope final : Scope {
  static constexpr About about{
      .names = {"C1", "global"},
      .formula = "every key",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "Every query may attend to every key. It is the scope that is meant if none is named. Its cost grows with "
          "the product of both lengths.",
      .wrong = "Global means all real words: padding is masked all the same.",
      .shapes = "no mask",
      .cost = "T S scores",
      .own = {"nothing_is_masked"},
      .cases = "Attention dot",
      .default_for = {Role::stage},
  };
  static Tensor picture(const Places& m) { return picture_of({.name = about.name()}, m); }

  GlobalScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override { return {}; }
  bool only_limits_order() const override { return true; }
};

struct CausalScope final : Scope {
  static constexpr About about{
      .names = {"C11", "causal", "autoregressive", "masked self-attention"},
      .formula = "j <= i",
      .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
      .idea =
          "A query attends to itself and to earlier words. So a model can be trained on all positions of a sentence at "
          "once without seeing what it has to predict. In decoding nothing changes, because later words do not exist "
          "yet.",
      .wrong =
          "A query must be allowed to attend to its own position. With a cache the mask must be shifted by the number "
          "of words that are already in it.",
      .shapes = "mask [T, S]",
      .cost = "T (T + 1) / 2 scores have an effect",
      .own = {"itself_and_nothing_later", "a_cache_shifts_the_diagonal"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
      .default_for = {Role::causal},
  };
  static Tensor picture(const Places& m) { return picture_of({.name = about.name()}, m); }

  CausalScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override { return {.right = 0}; }
  bool causal() const override { return true; }
  bool only_limits_order() const override { return true; }
};

struct WindowScope final : Scope {
  struct Settings {
    int64_t window = 10;
    void fields(OptionFields& f) { f("window", window, "D, keys on each side", {0, 1e9}); }
  };
  static constexpr About about{
      .names = {"C4", "window", "sliding window"},
      .formula = "|i - j| <= D",
      .paper = {"Child et al., 2019; Beltagy, Peters and Cohan, 2020", 2019, 1},
      .idea =
          "A query attends to keys at most D positions away. The number of scores that are not masked grows with the "
          "length, and no longer with its square. Words that are farther away are reached through several layers.",
      .wrong =
          "Here D counts the keys on one side; some papers give the width of both sides together. After L layers a "
          "word can have received information from at most L times D positions away.",
      .shapes = "mask [T, S]",
      .cost = "T (2 D + 1) scores have an effect",
      .own = {"receptive_field_grows_by_one_window_a_layer", kLinearCost},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<WindowScope>({.window = 2}), m); }

  WindowScope(const ScopeOptions& o, Generator&) : width(o.settings.as<Settings>().window) {}
  Restriction operator()(const Variable&, const Variable&, StageContext&) const override {
    return {.left = width, .right = width};
  }
  std::optional<int64_t> reach() const override { return width; }
  int64_t width;  // D
};

struct DilatedScope final : Scope {
  struct Settings {
    int64_t window = 10;
    int64_t gap = 2;
    void fields(OptionFields& f) {
      f("window", window, "D, keys on each side", {0, 1e9});
      f("gap", gap, "g, the distance between neighbouring keys", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C5", "dilated"},
      .formula = "i - j = m g for some |m| <= D",
      .paper = {"Beltagy, Peters and Cohan, 2020 (Longformer)", 2020, 1},
      .idea =
          "The window has holes, so that the same number of keys reaches further. With a gap of one it is the plain "
          "window. Different heads or layers usually get different gaps.",
      .wrong = "With a gap of two in every layer, no information passes between even and odd positions.",
      .shapes = "mask [T, S]",
      .cost = "T (2 D + 1) scores have an effect; a mask of T S bytes",
      .own = {"gap_one_is_window", "keys_stand_a_gap_apart", kLinearCost},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<DilatedScope>({.window = 1, .gap = 2}), m); }

  DilatedScope(const ScopeOptions& o, Generator&) : settings(o.settings.as<Settings>()) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    const auto [D, g] = settings;
    return {.left = D * g, .right = D * g, .allowed = dilated_mask(context.places, D, g)};
  }
  std::optional<int64_t> reach() const override { return settings.window * settings.gap; }
  Settings settings;
};

}  // namespace heed::nn
