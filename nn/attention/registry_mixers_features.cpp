// The mixers that weigh words for each feature or group of features by itself, without products of queries and keys:
// RWKV, the attention-free transformers, and short windows.
#include "nn/attention/growth.h"
#include "nn/attention/mixers/aft.h"
#include "nn/attention/mixers/convolution.h"
#include "nn/attention/mixers/rwkv.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {

const char *const kMixers = "mixers", *const kSame = "x [B, T, D] -> [B, T, D]";

CatalogueEntry rwkv() {
  return {.id = "G18d",
          .also = {"RWKV-4", "WKV"},
          .name = "rwkv",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "o_t = (sum_(s < t) e^(k_s - (t-1-s) w) v_s + e^(u + k_t) v_t) / (the sum of the weights),  y = "
              "(sigmoid(r) o) W_o",
          .paper = "Peng et al., EMNLP Findings 2023",
          .year = 2023,
          .tier = 4,
          .shapes = kSame,
          .cost = "4 T D^2 products and T C D exponentials; 4 D^2 + 5 D parameters; decoding keeps 3 D numbers",
          .own = {"weights_are_the_formula", "means_have_three_forms", "large_keys_stay_finite", kLinearCost},
          .settings = {{"chunk", 16, "C, words that are read by one softmax", 1, 1 << 20}},
          .mixer = made_as<Mixer, RwkvMixer>};
}

CatalogueEntry aft(const char* id, const char* name, const char* formula, const char* cost) {
  return {.id = id,
          .name = name,
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = formula,
          .paper = "Zhai et al., 2021",
          .year = 2021,
          .tier = 4,
          .shapes = kSame,
          .cost = cost,
          .mixer = made_as<Mixer, AftMixer>};
}

std::vector<CatalogueEntry> afts() {
  const Setting source{"max_source", 100, "number of positions of the longest sentence", 1, 16384},
      rank{"rank", 32, "r of the biases' factors", 1, 4096},
      window{"window", 16, "distances from here on have no bias", 1, 65536};
  CatalogueEntry full = aft("G19", "aft_full",
                            "y_t = (sigmoid(q_t) sum_s e^(k_s + w_ts) v_s / sum_s e^(k_s + w_ts)) W_o,  w = U V^T",
                            "4 T D^2 + 2 T^2 D products; 4 D^2 + 4 D + 2 r max_source parameters"),
                 simple = aft("G19b", "aft_simple",
                              "AFT with w = 0: y_t = (sigmoid(q_t) sum_s e^(k_s) v_s / sum_s e^(k_s)) W_o",
                              "4 T D^2 products; 4 D^2 + 4 D parameters; decoding keeps 2 D numbers"),
                 local = aft("G19c", "aft_local", "AFT with w_ts = (U V^T)_ts where |t - s| < window, 0 elsewhere",
                             "as aft_full"),
                 conv = aft("G19d", "aft_conv", "AFT with w_ts = table_h[t - s] where |t - s| < window, 0 elsewhere",
                            "4 T D^2 + 2 T^2 D products; 4 D^2 + 4 D + H (2 window - 1) parameters");
  full.also = {"attention-free transformer", "AFT"};
  full.own = {"weights_are_those_of_aft", "no_bias_is_aft_simple", "longer_sentences_are_refused"};
  full.settings = {source, rank};
  simple.own = {"weights_are_those_of_aft", "is_rwkv_without_decay", kLinearCost};
  local.own = {"weights_are_those_of_aft", "longer_sentences_are_refused", "far_words_have_no_bias"};
  local.settings = {source, rank, window};
  conv.own = {"weights_are_those_of_aft", "far_words_have_no_bias"};
  conv.settings = {window};
  return {full, simple, local, conv};
}

CatalogueEntry convolution(const char* id, const char* name, const char* formula, const char* cost) {
  return {.id = id,
          .name = name,
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = formula,
          .paper = "Wu et al., ICLR 2019",
          .year = 2019,
          .tier = 4,
          .shapes = kSame,
          .cost = cost,
          .settings = {{"taps", 7, "w, words of a window", 1, 4096}},
          .mixer = made_as<Mixer, ConvolutionMixer>};
}

}  // namespace

std::vector<CatalogueEntry> feature_mixer_entries() {
  std::vector<CatalogueEntry> all{rwkv()};
  for (const CatalogueEntry& e : afts()) all.push_back(e);
  all.push_back(convolution(
      "G23", "lightweight_conv", "o_t = sum_(j < w) softmax(kernel_h)_j u_(t - j),  u = a sigmoid(b),  [a; b] = x W",
      "3 T D^2 + T D w products; 3 D^2 + 3 D + H w parameters; decoding keeps D (w - 1) numbers"));
  all.back().own = {"one_tap_is_a_gated_layer", "windows_are_weighted_means", kLinearCost};
  all.push_back(convolution(
      "G23b", "dynamic_conv", "o_t = sum_(j < w) softmax(u_t W_k)_j u_(t - j),  u = a sigmoid(b),  [a; b] = x W",
      "3 T D^2 + T D (w + H w) products; 3 D^2 + 3 D + (D + 1) H w parameters; decoding keeps D (w - 1) numbers"));
  all.back().own = {"one_tap_is_a_gated_layer", "constant_kernels_are_lightweight", kLinearCost};
  return all;
}

}  // namespace heed::nn
