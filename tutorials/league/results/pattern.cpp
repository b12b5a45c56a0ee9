#include "tutorials/league/results/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::league {

const std::vector<Statement>& statements() {
  using S = Statement;
  static const std::vector<Statement> all{
      {"Softmax attention recalls, with every kind of positions: it keeps every key.",
       "Arora et al., 2024 (Zoology)",
       "recall",
       S::can,
       {"softmax", "none", "alibi", "forgetting", "path", "top_k", "latent", "differential"}},
      {"A sum of constant size recalls less, with gates or without.",
       "Arora et al., 2024 (Zoology)",
       "recall",
       S::cannot,
       {"linear", "retention", "gated_linear", "s4d", "hyena", "h3", "mamba", "mamba2", "rwkv", "rwkv6", "hgrn2",
        "rg_lru"}},
      {"The delta rule replaces the value that a key had, and recalls with a state of the same size.",
       "Schlag et al., 2021; Yang et al., 2024",
       "recall",
       S::can,
       {"delta_rule", "gated_delta", "kda", "delta_product", "rwkv7", "mesa", "ttt_linear"}},
      {"Softmax attention copies what it has read.",
       "Jelassi et al., 2024",
       "copy",
       S::can,
       {"softmax", "none", "alibi", "forgetting", "path", "top_k", "latent", "differential"}},
      {"A state of constant size copies less well.",
       "Jelassi et al., 2024",
       "copy",
       S::cannot,
       {"linear", "retention", "gated_linear", "s4d", "mamba", "mamba2", "rwkv6", "hgrn2", "delta_rule",
        "gated_delta"}},
      {"Gates that read the words select: blanks leave the state as it is.",
       "Gu and Dao, 2024",
       "selective",
       S::can,
       {"mamba", "mamba2", "gated_linear", "rwkv6", "hgrn2", "mlstm", "slstm", "rg_lru", "gated_delta", "kda"}},
      {"Decays and filters that are the same for all words do not select.",
       "Gu and Dao, 2024",
       "selective",
       S::cannot,
       {"linear", "retention", "s4d", "h3", "hyena"}},
      {"Selective states find the word after the mark far beyond the length of training.",
       "Gu and Dao, 2024",
       "induction",
       S::beyond,
       {"mamba", "mamba2", "gated_delta", "rwkv7"}},
      {"A bias that grows with the distance holds beyond the length of training.",
       "Press et al., 2022; Lin et al., 2025",
       "induction",
       S::beyond,
       {"alibi", "forgetting"}},
      {"Softmax attention does not follow a state.",
       "Hahn, 2020; Merrill and Sabharwal, 2023",
       "parity",
       S::cannot,
       {"softmax", "none", "alibi", "forgetting", "top_k", "latent", "differential"}},
      {"Nor does a recurrence whose factors lie between 0 and 1.",
       "Merrill et al., 2024; Grazzi et al., 2025",
       "parity",
       S::cannot,
       {"linear", "retention", "gated_linear", "s4d", "mamba", "mamba2", "rwkv6", "hgrn2", "rg_lru", "mlstm",
        "delta_rule", "gated_delta", "kda"}},
      {"Factors down to -1, reflections, follow parity, and beyond the length of training.",
       "Grazzi et al., 2025; Siems et al., 2025",
       "parity",
       S::beyond,
       {"delta_product", "rwkv7", "path"}},
      {"So does a recurrence that is not linear in its state.", "Beck et al., 2024", "parity", S::beyond, {"slstm"}},
      {"Several reflections a word follow the permutations of three things.",
       "Siems et al., 2025",
       "permutations",
       S::can,
       {"delta_product", "rwkv7", "path", "slstm"}},
      {"One reflection a word, or none, does not.",
       "Merrill et al., 2024",
       "permutations",
       S::cannot,
       {"softmax", "forgetting", "gated_linear", "mamba", "mamba2", "mlstm", "delta_rule", "gated_delta"}},
      {"Attention to all words finds the needle.",
       "Mohtashami and Jaggi, 2023",
       "needle",
       S::can,
       {"softmax", "none", "alibi", "path", "top_k", "latent", "native_sparse", "moba"}},
      {"A window loses the needle.",
       "Mohtashami and Jaggi, 2023",
       "needle",
       S::cannot,
       {"window", "sparse_strided", "infini"}},
  };
  return all;
}

std::vector<Answer> answers(const AbilityResults& results) {
  std::vector<Answer> out;
  for (const Statement& s : statements()) {
    Answer answer{&s, {}, {}};
    for (const AbilitySeeds& seeds : ability_seeds(results.rows, s.task)) {
      const std::string& name = seeds.first().entrant.name;
      if (std::find(s.variants.begin(), s.variants.end(), name) == s.variants.end()) continue;
      const auto inside = static_cast<size_t>(seeds.first().trained) - 1;
      const size_t size = s.wanted == Statement::beyond ? inside + 1 : inside;
      const bool is_right = seeds.right(size) >= kRight && seeds.right(inside) >= kRight;
      (is_right == (s.wanted != Statement::cannot) ? answer.shown : answer.not_shown)
          .push_back(fmt::format("{} {:.0f}", name, std::floor(seeds.right(size))));
    }
    if (!answer.shown.empty() || !answer.not_shown.empty()) out.push_back(std::move(answer));
  }
  return out;
}

}  // namespace heed::league
