// Hyena ("Hyena hierarchy: towards larger convolutional language models", section 3; the layer is standalone_hyena.py
// of the authors, with order 2): a convolution as long as the text between two gates.
//
//   [x0; x1; v] = conv_3(x W + b) + bias        u = x1 v
//   y_t = x0_t (sum_(j <= t) h_j u_(t - j) + d u_t),  output y W_o + b_o
//
// The filter h has a value for each distance and feature. It is not stored: a small network computes it from the
// distance j, so a filter of any length has the same parameters.
//
// clang-format off
//   p_j = [t; cos(f w); -sin(f w)]        t = j / (L - 1), w = 2 pi j / L; f from 1e-4 to bands - 1
//   h_j = M4 s(M3 s(M2 s(M1 p_j))) (exp(-t r) + shift)
//   s(x) = sin(frequency x)               a learned frequency for each unit, the same in all layers
// clang-format on
//
// r grows over the features from |ln 0.01| / 1.5 to |ln 0.01| / 0.3: at the distance L the slowest filter has fallen to
// 0.05, the fastest to e^-15. L is the setting `max_source`, not the number of words: so h_j does not change when a
// word is added. Causal by itself; an encoder adds the same pass from the right, a choice of this library.
//
// The authors multiply Fourier transforms of 2 T points (shorter ones would wrap round). Their rounding errors would
// carry later words into earlier ones, so the sum is taken as it stands, by matrices of C x C distances. It also has no
// state of constant size: decoding keeps all inputs. F width of the small network.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"

namespace heed::nn {

struct HyenaMixer final : Mixer {
  struct Settings {
    int64_t chunk = 32;
    int64_t width = 12;
    int64_t bands = 1;
    int64_t max_source = 1024;
    double shift = 0;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words whose distances to C others are one matrix", {1, 4096});
      f("width", width, "F, units of the network that computes the filter", {1, 4096});
      f("bands", bands, "frequencies by which a distance is described", {1, 256});
      f("max_source", max_source, "L, words of the longest sentence: the unit of distances", {1, 1048576});
      f("shift", shift, "what the filter keeps at any distance, as a share", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"J4", "hyena", "Hyena", "implicit long convolution"},
      .formula = "[x0; x1; v] = conv_3(x W),  y = x0 (h * (x1 v) + d x1 v) W_o,  h_j = MLP(p_j) exp(-j r / (L - 1))",
      .paper = {"Poli et al., ICML 2023", 2023, 4},
      .idea =
          "Words are mixed by weights that depend on the distance only, one filter for each feature over the whole "
          "text. Content enters by two gates that multiply before and after. A small network computes the filter from "
          "the distance.",
      .wrong =
          "Distances are in units of the longest sentence that the model was built for. Units of the present sentence "
          "would change the filter with every word that is added.",
      .cost =
          "T^2 D / 2 + T D (4 D + 9) products and T (F (2 F + 3) + F D) for the filter; 4 D^2 + 17 D + F (2 F + D + 7) "
          "parameters; decoding keeps all inputs",
      .own = {"direct_sum_is_the_fourier_product", "a_filter_of_one_word_is_a_gated_product",
              "filter_depends_on_the_longest_sentence"},
  };

  HyenaMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable filter(int64_t T) const;                                // h [T, D]
  Variable convolved(const Variable& h, const Variable& u) const;  // sum_(j <= t) h_j u_(t - j), [B, T, D]
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("filter1", filter1), v.child("filter2", filter2), v.child("filter3", filter3), v.child("filter4", filter4);
    v.parameter("frequency", frequency), v.parameter("skip", skip), v.child("output", output);
  }
  MixerOptions options;
  Settings settings;
  Linear projection;  // [x0; x1; v], 3 D rows
  ShortConvolution convolution;
  Linear filter1, filter2, filter3, filter4;  // M1 [F, 2 bands + 1], M2, M3 [F, F], M4 [D, F]
  Variable frequency, skip;                   // [F]; d [D]
  Linear output;

 private:
  Variable pass(const Variable& x, const Tensor& words) const;
};

}  // namespace heed::nn
