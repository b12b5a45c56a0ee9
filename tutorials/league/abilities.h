// The abilities of variants of attention: `heed attention --compare --abilities`. Each variant takes the place of
// self-attention in the same causal language model (two layers), and is trained on the tasks of
// nn/data/tasks/abilities.h with new sequences at every step.
//
//   positions   rotary, or what the variant is; sinusoidal where rotations are refused; none under a mixer, as in the
//               papers of recurrences: the causal order is then the mixer's own
//   equal       the feed-forward width is changed until the model has as many parameters as the one with softmax
//               attention (to 5 %, or the table shows it)
//   training    Adam, gradients clipped at 1, a rate that rises for a twentieth of the steps and then falls to 0; it
//               ends before if two measurements in a row find no error
#pragma once

#include <functional>

#include "nn/data/tasks/abilities.h"
#include "nn/transformer/transformer_options.h"
#include "tutorials/league/results/abilities.h"

namespace heed::league {

// As entrants (league.h); "ideas": the 40 variants that stand for all others.
std::vector<Entrant> ability_entrants(const std::string& variants);

// The model of an entrant for a vocabulary. InputError, one sentence, for a variant that it cannot have.
nn::TransformerOptions ability_model(const Entrant& entrant, int64_t vocabulary);

// Trains and measures one entrant. `step` is called after each step, and returns whether to go on; the row of a run
// that was stopped must not be used.
AbilityRow measure_ability(const Entrant& entrant, const data::AbilityTask& task, const AbilitySizes& sizes,
                           uint64_t seed, const std::function<bool(double loss)>& step = {});

struct AbilityCommand {
  std::string tasks = "all", variants = "all", out = "out/abilities";
  AbilitySizes sizes;
  int64_t seed = 1, seeds = 1;
};
// Trains and measures all that abilities.json in the folder lacks. Returns the exit code: 0, or 130 if interrupted.
int run_abilities(const AbilityCommand& command);

}  // namespace heed::league
