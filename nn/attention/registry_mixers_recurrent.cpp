// The mixers with a state of constant size: sums of outer products that decay or are corrected (mixers/decayed_sums.h).
#include "nn/attention/growth.h"
#include "nn/attention/mixers/delta_rule.h"
#include "nn/attention/mixers/gated_delta.h"
#include "nn/attention/mixers/gated_linear.h"
#include "nn/attention/mixers/mamba2.h"
#include "nn/attention/mixers/retention.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {

const char *const kMixers = "mixers", *const kSame = "x [B, T, D] -> [B, T, D]";

Setting chunk_setting(double words) {
  return {"chunk", words, "C, words that are read by one matrix product", 1, 1 << 20};
}

CatalogueEntry retention() {
  return {.id = "G17",
          .also = {"RetNet", "retentive network"},
          .name = "retention",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "S_t = gamma_h S_(t-1) + k_t^T v_t,  o_t = q_t S_t,  gamma_h = 1 - 2^(-5-h),  y = (swish(x W_g) "
              "norm(o)) W_o; q and k rotated",
          .paper = "Sun et al., 2023",
          .year = 2023,
          .tier = 3,
          .shapes = kSame,
          .cost = "5 T D^2 + 2 T D (C + K) products; 5 D^2 parameters; decoding keeps D K numbers",
          .own = {"three_forms_agree", "golden_decays", "weights_are_powers_of_the_decay", kLinearCost},
          .settings = {chunk_setting(64)},
          .mixer = made_as<Mixer, RetentionMixer>};
}

CatalogueEntry gated_linear() {
  return {.id = "G18",
          .also = {"gated linear attention", "GLA"},
          .name = "gated_linear",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "S_t = diag(a_t) S_(t-1) + k_t^T v_t,  o_t = q_t S_t,  a_t = sigmoid(x W_1 W_2 + b)^(1/16),  y = "
              "(swish(x W_g) norm(o)) W_o",
          .paper = "Yang et al., ICML 2024",
          .year = 2024,
          .tier = 4,
          .shapes = kSame,
          .cost =
              "5 T D^2 + 2 T D (C + K) products, T D C exponentials; 5 D^2 + 2 D r parameters; decoding keeps D K "
              "numbers",
          .own = {"three_forms_agree", "open_gates_are_causal_linear_attention", "one_rate_is_retention", kLinearCost},
          .settings = {chunk_setting(16),
                       {"rank", 16, "r, width between the two matrices of the decay", 1, 16384},
                       {"root", 16, "tau, the root of the decay", 1, 1e6, false}},
          .mixer = made_as<Mixer, GatedLinearMixer>};
}

CatalogueEntry fast_weights() {
  return {.id = "G12d",
          .also = {"fast weight programmer", "linear transformer with delta rule"},
          .name = "fast_weights",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  q, k = f(x W) / sum f(x W), f = elu + 1",
          .paper = "Schlag, Irie and Schmidhuber, ICML 2021",
          .year = 2021,
          .tier = 4,
          .shapes = kSame,
          .cost = "4 T D^2 + 3 T D (C + K) products; 4 D^2 + D H parameters; decoding keeps D K numbers",
          .own = {"three_forms_agree", "keys_sum_to_one", "same_key_replaces_the_value", kLinearCost},
          .settings = {chunk_setting(16)},
          .mixer = made_as<Mixer, DeltaRuleMixer>};
}

CatalogueEntry delta_rule() {
  return {.id = "G18b",
          .also = {"DeltaNet"},
          .name = "delta_rule",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  |k| = 1,  b = sigmoid(x W_b)",
          .paper = "Yang et al., NeurIPS 2024",
          .year = 2024,
          .tier = 4,
          .shapes = kSame,
          .cost = "4 T D^2 + 3 T D (C + K) products; 4 D^2 + D H parameters; decoding keeps D K numbers",
          .own = {"three_forms_agree", "same_key_replaces_the_value", "a_repeated_word_changes_nothing", kLinearCost},
          .settings = {chunk_setting(16)},
          .mixer = made_as<Mixer, DeltaRuleMixer>};
}

CatalogueEntry gated_delta() {
  return {.id = "G18c",
          .also = {"Gated DeltaNet"},
          .name = "gated_delta",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula = "S_t = a_t S_(t-1) + b_t k_t^T (v_t - k_t a_t S_(t-1)),  a_t = exp(-exp(A) softplus(x W_a + d))",
          .paper = "Yang, Kautz and Hatamizadeh, ICLR 2025",
          .year = 2025,
          .tier = 4,
          .shapes = kSame,
          .cost =
              "5 T D^2 + 3 T D (C + K + w) products; 5 D^2 + 2 D H + 3 D (w + 1) parameters; decoding keeps D K + "
              "3 D (w - 1) numbers",
          .own = {"three_forms_agree", "without_decay_is_the_delta_rule", "strong_decay_keeps_one_word", kLinearCost},
          .settings = {chunk_setting(16), {"taps", 4, "w, words that the short convolution reads", 1, 64}},
          .mixer = made_as<Mixer, GatedDeltaMixer>};
}

CatalogueEntry mamba2() {
  return {.id = "G18e",
          .also = {"Mamba-2", "SSD", "state space duality"},
          .name = "mamba2",
          .kind = Kind::mixer,
          .family = kMixers,
          .formula =
              "h_t = a_t h_(t-1) + d_t B_t^T x_t,  o_t = C_t h_t + D x_t,  a_t = exp(-exp(A) d_t),  y = norm(o "
              "silu(z)) W_o",
          .paper = "Dao and Gu, ICML 2024",
          .year = 2024,
          .tier = 4,
          .shapes = kSame,
          .cost =
              "with E = 2 D: 3 T D E + T E (C + 2 N) products; 3 D E + 2 D N parameters and some vectors; decoding "
              "keeps E N + (E + 2 N)(w - 1) numbers",
          .own = {"three_forms_agree", "matrix_form_is_the_recurrence", "steps_begin_small", kLinearCost},
          .settings = {chunk_setting(64),
                       {"state", 32, "N, width of the state of each feature", 1, 4096},
                       {"inner", 2, "E, inner features, in widths of the model", 1, 16},
                       {"taps", 4, "w, words that the short convolution reads", 1, 64}},
          .mixer = made_as<Mixer, Mamba2Mixer>};
}

}  // namespace

std::vector<CatalogueEntry> recurrent_mixer_entries() {
  return {retention(), gated_linear(), fast_weights(), delta_rule(), gated_delta(), mamba2()};
}

}  // namespace heed::nn
