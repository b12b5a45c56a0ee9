// Part 6 of the lesson: a batch shared by R processes. Each has the whole model, computes the gradient of its own
// sentences, and gets the sum of all gradients from a ring, in which everybody sends to the right only:
//
// clang-format off
//   rank          0    1    2                     a message has n / R numbers
//   at first      a..  b..  c..                   each has its own gradient, in R pieces
//   R - 1 steps   the pieces travel round, and each adds its own: rank r has the sum of piece r + 1
//   R - 1 steps   the sums travel round:  everybody has all of them
// clang-format on
//
// A rank sends 2 (R - 1) n / R numbers, less than 2 n however many ranks there are. If rank 0 collects all gradients
// and sends the sum back, it receives and sends (R - 1) n. (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009.)
//
// Here the ranks are models in one process that take turns; nn/train/exchange.h does the same with real processes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tutorials/31_scale/accumulate.h"
#include "tutorials/common/show.h"

namespace scale {

using Vectors = std::vector<std::vector<float>>;  // [R][n], a vector for each rank

// Replaces each rank's vector by the sum of all. Returns the most numbers that one rank has sent.
inline int64_t ring_sum(Vectors& x) {
  const auto R = std::ssize(x), n = std::ssize(x[0]);
  auto begin = [&](int64_t piece) { return n * piece / R; };
  std::vector<int64_t> sent(x.size());
  // Rank r sends piece `first + r - step`; all send at once, so the messages are made before they are used.
  auto round = [&](int64_t first, bool add) {
    for (int64_t step = 0; step < R - 1; ++step) {
      Vectors messages;
      for (int64_t r = 0; r < R; ++r) {
        const int64_t piece = (first + r - step + R) % R;
        const auto& own = x[static_cast<size_t>(r)];
        messages.emplace_back(own.begin() + begin(piece), own.begin() + begin(piece + 1));
        sent[static_cast<size_t>(r)] += begin(piece + 1) - begin(piece);
      }
      for (int64_t r = 0; r < R; ++r) {
        const int64_t piece = (first + r - step + R) % R;
        const auto& message = messages[static_cast<size_t>(r)];
        auto to = x[static_cast<size_t>((r + 1) % R)].begin() + begin(piece);
        for (float value : message) *to = add ? *to + value : value, ++to;
      }
    }
  };
  round(0, true);
  round(1, false);
  return *std::ranges::max_element(sent);
}

// What the ranks may do wrong.
struct Sharing {
  std::string name;
  int64_t ranks = 4;
  bool own_order = false;  // each rank adds the gradients up itself, its own first
  bool own_mean = false;   // each divides by its own words, and the gradients are averaged
};

struct Shared {
  std::vector<double> losses;  // of the whole batch
  int64_t differ = 0;          // parameters that are not the same on all ranks at the end, of `parameters`
  int64_t parameters = 0;
};

// Trains R copies of the model of part 1 for the same steps. Rank r has the sentences r, r + R, .. of the sorted batch.
inline Shared train_shared(const Grammar& g, const Sharing& way, const Setting& s) {
  struct Rank {
    std::unique_ptr<nn::LanguageModel> model;
    std::unique_ptr<nn::Adam> adam;
  };
  std::vector<Rank> ranks;
  for (int64_t r = 0; r < way.ranks; ++r) {
    heed::Generator rng(s.seed);  // the same parameters on all
    nn::TransformerOptions options = speaking::options_of(g, s.model, s.layers);
    options.activation = "gelu";
    Rank rank;
    rank.model = std::make_unique<nn::LanguageModel>(options, rng);
    rank.adam =
        std::make_unique<nn::Adam>(nn::named_parameters(*rank.model), nn::Adam::Options{.learning_rate = s.rate});
    ranks.push_back(std::move(rank));
  }
  heed::Generator dice(s.seed, 1ull << 40);
  Shared out;
  for (int64_t t = 0; t < s.steps; ++t) {
    const Sentences batch = micro_batches(speaking::draw(g, s.batch, dice), 1)[0];  // sorted
    const auto words = static_cast<double>(speaking::words_of(batch));
    Vectors gradients;
    double loss = 0;
    for (int64_t r = 0; r < way.ranks; ++r) {
      Sentences own;
      for (int64_t i = r; i < std::ssize(batch); i += way.ranks) own.push_back(batch[static_cast<size_t>(i)]);
      const Lines lines = speaking::lines_of(own);
      Rank& rank = ranks[static_cast<size_t>(r)];
      const Variable sum =
          cross_entropy((*rank.model)(lines.in), lines.out,
                        {.ignore_index = speaking::Vocabulary::pad, .reduction = heed::Reduction::sum});
      loss += sum.item() / words;
      const double divisor =
          way.own_mean ? static_cast<double>(speaking::words_of(own) * way.ranks) : words;  // of all ranks
      backward(sum / divisor);
      std::vector<float>& flat = gradients.emplace_back();
      for (const heed::NamedVariable& p : rank.adam->parameters()) {
        const Tensor grad = p.variable.grad().contiguous();
        flat.insert(flat.end(), grad.data<float>(), grad.data<float>() + grad.count());
      }
    }
    out.losses.push_back(loss);
    if (way.own_order) {
      const Vectors each = gradients;
      for (size_t r = 0; r < each.size(); ++r)
        for (size_t other = 1; other < each.size(); ++other)
          for (size_t i = 0; i < each[r].size(); ++i) gradients[r][i] += each[(r + other) % each.size()][i];
    } else {
      ring_sum(gradients);
    }
    for (size_t r = 0; r < ranks.size(); ++r) {
      const float* from = gradients[r].data();
      for (const heed::NamedVariable& p : ranks[r].adam->parameters()) {
        Tensor grad = p.variable.grad();
        std::copy(from, from + grad.count(), grad.data<float>());
        grad.mark_written("gradient");
        from += grad.count();
      }
      nn::clip_grad_norm(ranks[r].adam->parameters(), s.clip);
      ranks[r].adam->step();
      ranks[r].adam->zero_grad();
    }
  }
  for (size_t p = 0; p < ranks[0].adam->parameters().size(); ++p) {
    const Tensor first = ranks[0].adam->parameters()[p].variable.value();
    out.parameters += first.count();
    for (int64_t i = 0; i < first.count(); ++i)
      out.differ += std::ranges::any_of(ranks, [&](const Rank& rank) {
        return rank.adam->parameters()[p].variable.value().data<float>()[i] != first.data<float>()[i];
      });
  }
  return out;
}

// ---- 6  a batch for several processes
// --------------------------------------------------------------------------------
struct Together {
  double apart = 0, mean_apart = 0;  // from the curve of one batch
  Shared right, own_order;
  double most = 0, star = 0;  // numbers that a rank sends, in units of the gradient
};

inline Together the_ring(heed::app::Lesson& lesson, int64_t processes, const Grammar& g, const Setting& s,
                         const Run& one) {
  heed::app::heading(fmt::format(
      "6  A batch for {} processes: each has a share of the sentences, gradients travel in a ring", processes));
  Together t;
  auto from_one = [&](const Shared& run) {
    double worst = 0;
    for (size_t i = 0; i < run.losses.size(); ++i) worst = std::max(worst, std::abs(run.losses[i] - one.losses[i]));
    return worst;
  };
  heed::report::TablePanel table{.title = "A batch for several processes",
                                 .text =
                                     "Largest difference from the loss curve of one process, and the parameters that "
                                     "are not the same in all processes after the training.",
                                 .header = {"way", "curves apart", "parameters that differ"}};
  for (const Sharing& way : {Sharing{.name = "sum in a ring", .ranks = processes},
                             Sharing{.name = "sum, each in its own order", .ranks = processes, .own_order = true},
                             Sharing{.name = "mean of the processes' means", .ranks = processes, .own_mean = true}}) {
    const Shared run = train_shared(g, way, s);
    table.rows.push_back(
        {way.name, fmt::format("{:.1e}", from_one(run)), fmt::format("{} of {}", run.differ, run.parameters)});
    if (way.own_order)
      t.own_order = run;
    else if (way.own_mean)
      t.mean_apart = from_one(run);
    else
      t.right = run, t.apart = from_one(run);
  }
  heed::app::show(lesson, table);
  Vectors many(64, std::vector<float>(6400, 1));
  t.most = static_cast<double>(ring_sum(many)) / 6400;
  t.star = 63;
  heed::app::tell(
      "\n   64 processes: in the ring each sends {:.2f} times the gradient; a process that collects all sends {}\n",
      t.most, t.star);
  return t;
}

}  // namespace scale
