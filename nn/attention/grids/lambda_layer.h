// Lambda layer ("LambdaNetworks: modeling long-range interactions without attention", section 3): the context of a
// place becomes a small matrix, which is applied to its query.
//
//   lambda_t = sum_s kbar_s^T v_s + sum over s near t of E_(s - t)^T v_s      [K, V]
//   y_t      = [q_th lambda_t]_h                                              V = D / H
//
// There are H queries of a place, and one k and one v for all of them. kbar is the softmax of k over the places.
// q = BN(x W_q), v = BN(x W_v), k = x W_k, all without biases; K does not depend on D. E has a row for each difference
// of up to `reach` rows and columns (the lambda convolution of section 3.2), N(0, 1) at the start. With a reach of the
// whole picture it is the layer with all pairs. There is no projection after it.
#pragma once

#include "nn/attention/grids/grid.h"
#include "nn/batch_norm.h"

namespace heed::nn {

struct LambdaLayer final : GridMixer {
  struct Settings : GridSettings {
    int64_t inner = 16, reach = 11;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("inner", inner, "K, width of a query and of the key", {1, 65536});
      f("reach", reach, "rows and columns from a place to the farthest that has a position, 2 reach + 1 in all",
        {0, 4096});
    }
  };
  static constexpr About about{
      .names = {"M10", "lambda_layer", "LambdaNetworks", "lambda convolution"},
      .formula = "y_t = q_t (sum_s softmax_s(k)_s^T v_s + sum_s E_(s-t)^T v_s);  BN on q and v",
      .paper = {"Bello, ICLR 2021", 2021, 4},
      .idea =
          "The keys and values of all places are summed into one small matrix. A second matrix of each place adds the "
          "values around it by their relative position. A place multiplies its queries by both matrices, so that no "
          "place is compared with another.",
      .wrong = "The softmax is over the places and not over the features of a key, and only the content part has it.",
      .cost =
          "T (2 r + 1)^2 K D/H + 2 T K D products beside the projections; D (K H + K + D/H) + (2 r + 1)^2 K + 2 (K H "
          "+ D/H) parameters",
      .own = {"lambdas_are_weights_without_softmax", "positions_of_zero_are_linear_attention", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  LambdaLayer(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  Variable queries(const Variable& x) const;  // [B, T, H, K]
  Variable keys(const Variable& x) const;     // kbar [B, T, K]
  Variable values(const Variable& x) const;   // [B, T, V]
  void visit(Visitor& v) override;
  Settings settings;
  Linear query, key, value;
  BatchNorm query_norm, value_norm;
  Variable positions;  // E [2 reach + 1, 2 reach + 1, K]
};

}  // namespace heed::nn
