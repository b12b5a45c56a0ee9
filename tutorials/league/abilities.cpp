#include "tutorials/league/abilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/catalogue/catalogue.h"
#include "nn/models/paper.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/penalties.h"
#include "nn/train/interrupt.h"
#include "nn/train/progress.h"
#include "nn/train/run_folder.h"
#include "nn/transformer/language_model.h"
#include "tensor/error.h"
#include "tensor/profile.h"
#include "tutorials/common/output.h"
#include "tutorials/league/league.h"

namespace heed::league {
namespace {

constexpr int64_t kWidth = 32, kHeads = 2, kLayers = 2, kInner = 64, kMeasured = 256;

// Those that carry the ideas: positions, scopes and normalisers of softmax attention, then states of constant size.
constexpr const char* kIdeas =
    "softmax,none,alibi,forgetting,path,stick_breaking,sigmoid,differential,top_k,latent,window,sparse_strided,"
    "moba,native_sparse,infini,linear,retention,gated_linear,gated_slots,based,hgrn2,rg_lru,s4d,h3,hyena,mamba,mamba2,"
    "rwkv,rwkv6,rwkv7,mlstm,slstm,log_linear,delta_rule,gated_delta,delta_product,kda,mesa,ttt_linear,neural_memory";

nn::TransformerOptions baseline_of(int64_t vocabulary) {
  nn::TransformerOptions o;
  o.target_vocabulary = o.source_vocabulary = vocabulary;
  o.model = kWidth, o.heads = kHeads, o.inner = kInner, o.encoder_layers = 1, o.decoder_layers = kLayers;
  o.norm_first = true, o.dropout = 0, o.max_positions = 8192, o.tie = "target", o.positions = "rope";
  return o;
}

int64_t parameters_of(const nn::TransformerOptions& o) {
  Generator rng(1);
  nn::LanguageModel model(o, rng);
  return nn::count_parameters(model);
}

double rate_at(int64_t step, int64_t steps) {
  const double rise = std::max(1.0, static_cast<double>(steps) / 20), s = static_cast<double>(step);
  return 2e-3 * std::min({1.0, (s + 1) / rise, 1 - (s - rise) / (static_cast<double>(steps) - rise + 1)});
}

struct Right {
  double answers = 0, exact = 0;  // %
};
Right right_of(const nn::LanguageModel& model, const data::AbilityTask& task, int64_t size, int64_t sequences,
               Generator rng) {
  NoGrad guard;
  nn::Evaluating evaluating;
  double right = 0, all = 0, exact = 0;
  for (int64_t done = 0; done < sequences;) {
    const int64_t rows = std::clamp<int64_t>(4096 / std::max<int64_t>(size, 1), 1, sequences - done);
    const data::AbilityBatch b = data::ability_batch(task, size, rows, rng);
    const Tensor best = argmax(model(b.words).value(), -1);  // [B, T]
    const int64_t *wanted = b.answers.data<int64_t>(), *found = best.data<int64_t>();
    for (int64_t r = 0; r < rows; ++r) {
      bool whole = true;
      for (int64_t t = 0; t < b.words.size(1); ++t, ++wanted, ++found)
        if (*wanted != 0) right += *wanted == *found, ++all, whole = whole && *wanted == *found;
      exact += whole;
    }
    done += rows;
  }
  return {100 * right / std::max(all, 1.0), 100 * exact / static_cast<double>(sequences)};
}

// What decoding keeps after 256 words, and the multiply-adds of a word.
void measure_cost(AbilityRow& row, const nn::LanguageModel& model, const data::AbilityTask& task) {
  NoGrad guard;
  nn::Evaluating evaluating;
  Tensor words = Tensor::full({1, kMeasured}, 1, DType::i64);
  for (int64_t t = 0; t < kMeasured; ++t) words.set({0, t}, static_cast<double>(1 + t % (task.vocabulary - 1)));
  {
    Profile profile;
    model(words);
    for (const ProfileRow& r : profile.rows()) row.work += r.work / static_cast<double>(kMeasured);
  }
  std::vector<nn::LayerCache> caches;
  for (int64_t t = 0; t < kMeasured; ++t) model(words.slice(1, t, t + 1), &caches);
  for (const nn::LayerCache& cache : caches) row.bytes += static_cast<double>(cache.self->bytes());
}

void train_and_measure(AbilityRow& row, const data::AbilityTask& task, const AbilitySizes& sizes,
                       const std::function<bool(double)>& step) {
  const nn::TransformerOptions options = ability_model(row.entrant, task.vocabulary);
  Generator rng(row.seed, 1 << 20), drawn(row.seed, 1 << 21), asked(row.seed, 1 << 22);
  nn::LanguageModel model(options, rng);
  nn::assign_paths(model, "");
  row.parameters = nn::count_parameters(model);
  nn::Adam adam(nn::named_parameters(model), {});
  const int64_t every = std::max<int64_t>(1, sizes.steps / 20), some = std::min<int64_t>(50, sizes.asked);
  const int64_t largest = task.tested[static_cast<size_t>(row.trained) - 1];
  int faultless = 0;
  for (; row.steps < sizes.steps && faultless < 2; ++row.steps) {
    const int64_t size = data::size_for_training(task, drawn);
    const int64_t rows = std::clamp<int64_t>(64 * sizes.batch / size, 1, sizes.batch);  // of long texts fewer
    const data::AbilityBatch b = data::ability_batch(task, size, rows, drawn);
    adam.learning_rate = rate_at(row.steps, sizes.steps);
    adam.zero_grad();
    nn::Penalties penalties;
    Variable loss = cross_entropy(model(b.words), b.answers, {.ignore_index = 0});
    backward(penalties.empty() ? loss : loss + penalties.total());
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    if (step && !step(loss.item())) return;
    if ((row.steps + 1) % every != 0) continue;
    const double right = right_of(model, task, largest, some, asked).answers;
    if (right >= 95 && row.to_95 < 0) row.to_95 = row.steps + 1;
    faultless = right == 100 ? faultless + 1 : 0;
  }
  for (int64_t size : task.tested) {
    const Right r = right_of(model, task, size, size > 1024 ? std::min<int64_t>(20, sizes.asked) : sizes.asked, asked);
    row.sizes.push_back(static_cast<double>(size)), row.right.push_back(r.answers), row.exact.push_back(r.exact);
  }
  measure_cost(row, model, task);
}

}  // namespace

std::vector<Entrant> ability_entrants(const std::string& variants) {
  return entrants(variants == "ideas" ? kIdeas : variants, "transformer");
}

nn::TransformerOptions ability_model(const Entrant& e, int64_t vocabulary) {
  const int64_t wanted = parameters_of(baseline_of(vocabulary));
  if (e.option == "encoder_mixers")
    throw InputError(fmt::format("{}: cannot be causal, and the abilities are those of a causal model", e.name));
  auto with = [&](const std::string& positions, int64_t inner) {
    nn::TransformerOptions o = baseline_of(vocabulary);
    o.positions = positions, o.inner = inner;
    if (!e.option.empty()) nn::set_called(nn::fields_of(o), e.option, e.text);
    Generator rng(1);
    nn::LanguageModel tried(o, rng);  // refuses what does not fit together
    return o;
  };
  auto equal = [&](const std::string& positions) {  // parameters rise with the width in a straight line
    const int64_t there = parameters_of(with(positions, kInner)),
                  each = parameters_of(with(positions, kInner + 1)) - there;
    const double more = static_cast<double>(wanted - there) / static_cast<double>(std::max<int64_t>(each, 1));
    return with(positions, std::max<int64_t>(4, kInner + std::llround(more)));
  };
  try {
    if (e.option == "mixers") return equal("none");
    try {
      return equal("rope");
    } catch (const Error&) { return equal("sinusoidal"); }
  } catch (const InputError&) { throw; } catch (const Error& error) {
    throw InputError(error.what());
  }
}

AbilityRow measure_ability(const Entrant& entrant, const data::AbilityTask& task, const AbilitySizes& sizes,
                           uint64_t seed, const std::function<bool(double)>& step) {
  AbilityRow row{.entrant = entrant, .task = task.name, .seed = seed};
  const auto inside =
      std::count_if(task.tested.begin(), task.tested.end(), [&](int64_t size) { return size <= task.trained.most; });
  row.trained = std::max<int64_t>(1, inside);
  try {
    train_and_measure(row, task, sizes, step);
  } catch (const Error& error) { row.refused = error.what(); }
  return row;
}

int run_abilities(const AbilityCommand& c) {
  const std::vector<Entrant> all = ability_entrants(c.variants);
  nn::RunFolder folder(c.out, {.command = "attention",
                               .owner = "heed attention --compare --abilities",
                               .files = {"abilities.json", "report.html", "figures.json"}});
  AbilityResults results{c.sizes};
  std::set<std::string> done;
  if (folder.has("abilities.json")) {
    results = read_abilities(folder.file("abilities.json"));
    if (results.sizes != c.sizes)
      throw InputError("attention: the abilities in this folder were measured with other sizes; hint: another --out");
    for (const AbilityRow& row : results.rows) done.insert(key_of(row));
  }
  std::vector<AbilityRow> runs;  // what is to be measured
  for (const std::string& task : tasks_of(c.tasks, data::ability_names()))
    for (const Entrant& e : all)
      for (int64_t seed = c.seed; seed < c.seed + c.seeds; ++seed)
        if (AbilityRow run{.entrant = e, .task = task, .seed = static_cast<uint64_t>(seed)};
            !done.contains(key_of(run)))
          runs.push_back(run);
  if (!done.empty()) app::say(fmt::format("{} results in {}, {} to go", done.size(), c.out, runs.size()));
  nn::Interrupt interrupt;
  nn::Progress progress(std::ssize(runs) * c.sizes.steps, {.label = "abilities", .unit = "steps"});
  std::optional<data::AbilityTask> task;
  double last_loss = 0;
  for (const AbilityRow& run : runs) {
    if (!task || task->name != run.task)
      task = data::ability(run.task, {.symbols = c.sizes.symbols, .longest = c.sizes.symbols});
    progress.note(fmt::format("{}, {} {}", run.task, run.entrant.id, run.entrant.name));
    int64_t steps = 0;
    AbilityRow row = measure_ability(run.entrant, *task, c.sizes, run.seed, [&](double loss) {
      progress.step({.loss = last_loss = loss, .items = 1}), ++steps;
      return !nn::Interrupt::requested();
    });
    if (nn::Interrupt::requested()) break;
    progress.step({.loss = last_loss, .items = 0, .steps = c.sizes.steps - steps});
    results.rows.push_back(std::move(row));
    write_abilities(folder.file("abilities.json"), results);
  }
  progress.finish();
  ability_page(results, "What variants of attention can do").write(folder.file("report.html"));
  if (nn::Interrupt::requested()) {
    app::say(fmt::format("interrupted: {} results are saved; the same command continues", results.rows.size()));
    return 130;
  }
  for (const std::string& line : ability_table(results, io::console(1))) fmt::print("{}\n", line);
  app::tell("\nresults                 {}\nreport                  {}\n", folder.file("abilities.json"),
            folder.file("report.html"));
  return 0;
}

}  // namespace heed::league
