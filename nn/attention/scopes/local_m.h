// local-m, "monotonic" attention (section 3.2 of the paper): target word t attends to the source words [t - D, t + D].
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct LocalMScope final : Scope {
  struct Settings {
    int64_t window = 10;
    void fields(OptionFields& f) { f("window", window, "D, keys on each side", {0, 1e9}); }
  };
  static constexpr About about{
      .names = {"C2", "local_m", "monotonic local attention"},
      .formula = "|s - t| <= D; after the source's end the window is centred at its last word",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "The decoder attends to a window of source words around the position of the word that it writes. Nothing has "
          "to be learned to place the window. It works if both languages have nearly the same word order, and fails if "
          "the target is the reversed source.",
      .wrong =
          "The window follows the target position, so it assumes that source and target have about the same length. "
          "Beyond the end of the source the window must not become empty.",
      .shapes = "mask [B, T, S]",
      .cost = "T (2 D + 1) scores have an effect",
      .own = {"nothing_outside_the_window", "wide_window_is_global", "never_empty"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& places);  // of a source whose last quarter is padding

  LocalMScope(const ScopeOptions& o, Generator&) : width(o.settings.as<Settings>().window) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  int64_t width;  // D
};

}  // namespace heed::nn
