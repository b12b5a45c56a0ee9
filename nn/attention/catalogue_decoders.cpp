// The catalogue's decoder options and training rules: D9, D11 and D11b (nn/models/seq2seq.h, nn/train/).
#include "nn/attention/catalogue.h"

namespace heed::nn {

std::vector<CatalogueEntry> decoder_entries() {
  return {
      {.id = "D9",
       .name = "input_feeding",
       .kind = Kind::block_option,
       .family = "decoders",
       .formula = "s_t = cell([y_t; r_{t-1}], s_{t-1}),  r_t = tanh(W_r [s_t; c_t]),  r_0 = 0",
       .paper = "Luong, Pham and Manning, EMNLP 2015",
       .year = 2015,
       .tier = 1,
       .shapes = "y_t [B, E], r [B, R] -> the cell's input [B, E + R]",
       .cost = "3 N R more parameters in a GRU; the steps cannot run in parallel",
       .own = {"zero_fed_columns_are_no_feeding"},
       .cases = "Seq2Seq"},
      {.id = "D11",
       .name = "scheduled_sampling",
       .kind = Kind::training_rule,
       .family = "decoders",
       .formula = "the next input is the true word with probability p, else the word that the model predicts",
       .paper = "Bengio et al., NIPS 2015",
       .year = 2015,
       .tier = 1,
       .shapes = "target_in [B, T] -> logits [B, T, V]",
       .cost = "one argmax over V per step; the steps cannot run in parallel",
       .own = {"ends_are_teacher_forcing_and_greedy"}},
      {.id = "D11b",
       .also = {"MRT"},
       .name = "minimum_risk",
       .kind = Kind::training_rule,
       .family = "decoders",
       .formula = "loss = sum_n Q_n risk_n,  Q_n = p(y_n)^alpha / sum_m p(y_m)^alpha over the candidates of a sentence",
       .paper = "Shen et al., ACL 2016",
       .year = 2016,
       .tier = 1,
       .shapes = "log p [B, N], risk [B, N] -> loss [B]",
       .cost = "N candidates per sentence, each scored once with teacher forcing",
       .own = {"golden_two_candidates", "it_is_the_expected_risk"}},
  };
}

}  // namespace heed::nn
