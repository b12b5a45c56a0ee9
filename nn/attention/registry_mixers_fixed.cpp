// Mixers whose mixing is fixed or learned as it is; and heads that talk.
#include "nn/attention/growth.h"
#include "nn/attention/mixers/fnet.h"
#include "nn/attention/mixers/gmlp.h"
#include "nn/attention/mixers/mlp_mixer.h"
#include "nn/attention/mixers/talking_heads.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {

std::vector<CatalogueEntry> fixed_mixer_entries() {
  const Setting longest{"max_source", 300, "number of positions of the longest sentence", 1, 16384};
  const std::string shapes = "x [B, T, D] -> [B, T, D]";
  return {{.id = "E15",
           .name = "talking_heads",
           .kind = Kind::mixer,
           .family = "mixers",
           .formula = "W_g = softmax(sum_h e_h L_hg),  U_f = sum_g W_g M_gf,  context f = U_f v_f",
           .paper = "Shazeer, Lan, Cheng, Ding and Hou, 2020 (arXiv 2003.02436)",
           .year = 2020,
           .tier = 4,
           .shapes = shapes,
           .cost = "2 T^2 D + 2 H^2 T^2 products beside the projections; 4 D^2 + 2 H^2 parameters",
           .own = {"unmixed_heads_are_attention", "mixing_two_heads_alike_makes_them_one"},
           .mixer = made_as<Mixer, TalkingHeadsMixer>},
          {.id = "G20",
           .also = {"Fourier mixing"},
           .name = "fnet",
           .kind = Kind::mixer,
           .family = "mixers",
           .formula = "Y = Re(F_T X F_D),  F_n[i, j] = exp(-2 pi i j sqrt(-1) / n)",
           .paper = "Lee-Thorp, Ainslie, Eckstein and Ontanon, NAACL 2022",
           .year = 2022,
           .tier = 3,
           .shapes = shapes,
           .cost = "2 T D (T + D) products; no parameters",
           .own = {"it_is_the_2d_fourier_transform", "twice_is_the_mean_with_its_mirror"},
           .exempt = {{kNeverCausal, "it mixes all words by a fixed matrix"}},
           .mixer = made_as<Mixer, FNetMixer>},
          {.id = "G21",
           .also = {"spatial gating unit"},
           .name = "gmlp",
           .kind = Kind::mixer,
           .family = "mixers",
           .formula = "Z = gelu(X U + b_u),  Y = (Z_1 * (W LN(Z_2) + b)) V + b_v;  W [T, T]",
           .paper = "Liu, Dai, So and Le, NeurIPS 2021",
           .year = 2021,
           .tier = 3,
           .shapes = shapes,
           .cost = "T^2 E + 3 T D E products; 3 D E + N^2 + N parameters, biases and a norm",
           .own = {"without_mixing_it_is_a_feed_forward_network", "the_gate_is_a_sum_over_words"},
           .settings = {{"inner", 2, "width of the gate, in widths of the model", 1, 16}, longest},
           .mixer = made_as<Mixer, GmlpMixer>},
          {.id = "G22",
           .also = {"token mixing"},
           .name = "mlp_mixer",
           .kind = Kind::mixer,
           .family = "mixers",
           .formula = "y_(*,d) = W_2 gelu(W_1 x_(*,d) + b_1) + b_2",
           .paper = "Tolstikhin et al., NeurIPS 2021",
           .year = 2021,
           .tier = 3,
           .shapes = shapes,
           .cost = "2 T M D products; 2 N M + N + M parameters",
           .own = {"entries_do_not_mix", "it_is_a_network_along_the_words", kLinearCost},
           .exempt = {{kNeverCausal, "each of its hidden units reads all words"}},
           .settings = {{"hidden", 64, "M, width of the network along the words", 1, 4096}, longest},
           .mixer = made_as<Mixer, MlpMixer>}};
}

}  // namespace heed::nn
