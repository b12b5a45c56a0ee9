// The memory of a differentiable neural computer ("Hybrid computing using a neural network with dynamic external
// memory", methods). A neural Turing machine (ntm_head.h) finds free cells and neighbours by their place; here the
// memory records which cells are in use, and in which order they were written.
//
//   usage u       u <- (u + w - u w) prod_r (1 - f_r v_r)       written cells fill up, cells that were read are freed
//   allocation    a[o_j] = (1 - u[o_j]) prod_{i<j} u[o_i]       o sorts the cells by usage: the emptiest first
//   write w       w = g (h a + (1 - h) content)                 then erase and add, as in ntm_head.h
//   precedence p  p <- (1 - sum w) p + w                        where the last writing was
//   link L        L_ij <- (1 - w_i - w_j) L_ij + w_i p_j        i was written right after j; L_ii = 0
//   read v_r      v_r = m_1 L^T v_r + m_2 content + m_3 L v_r   backward, by content or forward in the order of writing
//
// f free gates, g write gate, h allocation gate, m_1 .. m_3 modes that sum to 1, each from the controller.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/memory_properties.cpp use it.
#pragma once

#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct DNCState {
  Variable memory;                      // [B, N, W]
  Variable usage, precedence, written;  // u, p, w [B, N]
  Variable link;                        // L [B, N, N]
  Variable read;                        // v [B, R, N]
  Variable vectors;                     // what was read [B, R, W]
};

Variable dnc_allocation(const Variable& usage);  // a of u [B, N]
// L after a write with weights w, where p is the precedence before it.
Variable dnc_link(const Variable& link, const Variable& written, const Variable& precedence);

struct DNCOptions {
  int64_t controller, cells, width;  // C, N, W
  int64_t reads = 1;                 // R
};

struct DNCMemory : Module {
  static constexpr About about{
      .names = {"E26d", "dnc", "differentiable neural computer", "DNC"},
      .formula =
          "u <- (u + w - u w) prod_r (1 - f_r v_r);  a[o_j] = (1 - u[o_j]) prod_{i<j} u[o_i];  L_ij <- (1 - w_i - w_j) "
          "L_ij + w_i p_j;  v = m_1 L^T v + m_2 content + m_3 L v",
      .paper = {"Graves et al., Nature 2016", 2016, 4},
      .idea =
          "The memory of a neural Turing machine also keeps a number for the usage of each cell, and a matrix that "
          "says which cell was written after which. Without them it can overwrite what it still needs. A head can take "
          "a free cell, and can read what was written in the order of writing, forward or backward.",
      .wrong =
          "The links must be updated before the precedence, with its value of the step before. The other order links "
          "each cell to itself.",
      .shapes = "h [B, C], state -> memory [B, N, W], link [B, N, N], read [B, R, N]",
      .cost = "(R + 1) N^2 for links and allocation, 2 (R + 1) N W for contents, per step",
      .own = {"usage_and_links_are_bounded", "allocation_takes_the_emptiest", "links_replay_the_order_of_writing",
              "freed_cells_are_used_again"},
      .exempt = {{"empty_row_reads_zero", "it takes no mask: every cell of its memory exists"},
                 {"masked_keys_are_absent", "it takes no mask: every cell of its memory exists"},
                 {"padding_is_never_read", "it takes no mask: every cell of its memory exists"},
                 {"rows_sum_to_one", "a head may read less than everything: the rows of the links sum to at most 1"}},
      .cases = "DNCMemory",
      .more = "a part for a controller of your own, nn::DNCMemory; no option of heed train has it",
  };

  using Options = DNCOptions;
  DNCMemory(const Options& options, Generator& rng);
  DNCState begin(int64_t batch) const;                             // an empty memory
  DNCState step(const Variable& h, const DNCState& before) const;  // h [B, C]
  void visit(Visitor& v) { v.child("control", map); }
  Options options;
  Linear map;
};

}  // namespace heed::nn
