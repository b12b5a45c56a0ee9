// A head of a neural Turing machine (Graves, Wayne and Danihelka, 2014, section 3): attention over the N cells of a
// memory, by content and by place. A controller (any network) gives the numbers on the left at each step.
//
//   key k, strength b > 0       w^c_i = softmax_i(b cos(k, M_i))                 by content             eq. 5, 6
//   gate g in (0, 1)            w^g   = g w^c + (1 - g) w_before                 or where it was        eq. 7
//   shift s, sums to 1          w~_i  = sum_r s_r w^g_{i - r}, i - r modulo N    moved by r cells       eq. 8
//   sharpening y >= 1           w_i   = w~_i^y / sum_j w~_j^y                    against the blur       eq. 9
//   read                        sum_i w_i M_i                                                           eq. 2
//   erase e in (0, 1), add a    M_i <- M_i (1 - w_i e) + w_i a                   a write head           eq. 3, 4
//
// The cosine is k . M_i / (|k| |M_i| + 1e-6). s has an entry for each r in -R .. R, in this order: all weight on the
// last entry moves the head to higher cells. With g = 0, s = (0, 1, 0) and y = 1 the weights stay as they are; with the
// shift +1 in place of 0 the head walks through the memory as through a list, which content alone cannot do. B batch, N
// cells, W width of a cell, C width of the controller.
#pragma once

#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

Variable ntm_content(const Variable& key, const Variable& strength,
                     const Variable& memory);                            // [B, W], [B, 1] -> [B, N]
Variable ntm_shifted(const Variable& weights, const Variable& shift);    // [B, N], [B, 2R + 1]
Variable ntm_sharpened(const Variable& weights, const Variable& power);  // [B, N], [B, 1]
Variable ntm_read(const Variable& weights, const Variable& memory);      // -> [B, W]
Variable ntm_written(const Variable& weights, const Variable& memory, const Variable& erase, const Variable& add);

struct NTMHeadOptions {
  int64_t controller, width;  // C, W
  int64_t reach = 1;          // R
  bool writes = false;        // has it an erase and an add vector?
};

struct NTMControl {
  Variable key, strength, gate, shift, power;  // [B, W], [B, 1], [B, 1], [B, 2R + 1], [B, 1]
  Variable erase, add;                         // [B, W]; undefined for a head that only reads
};

struct NTMHead : Module {
  static constexpr About about{
      .names = {"E10", "ntm_head", "NTM", "neural Turing machine"},
      .formula =
          "w^g = g softmax_i(b cos(k, M_i)) + (1 - g) w;  w~_i = sum_r s_r w^g_{i-r};  w_i = w~_i^y / sum w~^y;  M_i "
          "<- M_i (1 - w_i e) + w_i a",
      .paper = {"Graves, Wayne and Danihelka, 2014", 2014, 2},
      .idea =
          "A head chooses the cells of a memory by their content, or by its weights of the step before, or by a "
          "mixture of both. A shift then moves the weights by a cell, and a power makes them sharp again. A head that "
          "writes erases a share of each cell that it attends to and adds a vector there.",
      .wrong =
          "The shift is a convolution and not a correlation. A weight on +1 must move the head to the next higher "
          "cell, and a correlation moves it to the next lower one.",
      .shapes = "h [B, C], M [B, N, W], w [B, N] -> w [B, N], read [B, W]",
      .cost =
          "2 N W products and 2 R + 1 shifted copies of N weights per step; C (W + 2 R + 4) parameters, and 2 C W for "
          "a head that writes",
      .own = {"idle_head_stays", "a_shift_rotates_the_weights", "sharpening_by_hand", "erase_and_add_overwrite",
              "content_is_the_cosine"},
      .exempt = {{"empty_row_reads_zero", "it takes no mask: every cell of its memory exists"},
                 {"masked_keys_are_absent", "it takes no mask: every cell of its memory exists"},
                 {"padding_is_never_read", "it takes no mask: every cell of its memory exists"}},
      .cases = "NTMHead",
      .more = "a part for a controller of your own, nn::NTMHead; no option of heed train has it",
  };

  using Options = NTMHeadOptions;
  NTMHead(const Options& options, Generator& rng);
  NTMControl control(const Variable& h) const;  // h [B, C]
  // The weights [B, N] of this step, given those of the step before and memory [B, N, W].
  Variable address(const NTMControl& control, const Variable& memory, const Variable& before) const;
  // Both at once, for a head that reads.
  Variable operator()(const Variable& h, const Variable& memory, const Variable& before) const {
    return address(control(h), memory, before);
  }
  void visit(Visitor& v) { v.child("control", map); }
  Options options;
  Linear map;
};

}  // namespace heed::nn
