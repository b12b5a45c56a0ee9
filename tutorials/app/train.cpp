// `heed train`: a translator from parallel files, in a run that can be stopped at any moment and goes on exactly.
//
//   heed train --src F --tgt F --valid-src F --valid-tgt F --preset rnn-attention --out DIR
//   heed train --pairs F --cell lstmn --out DIR
//   heed train --out DIR --resume --max-epochs 20
//   heed train --from DIR --labels F --out DIR        published models: tune.h
//
// What the folder holds: train_run.h. What can be set: train_options.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "distributed/join.h"
#include "nn/io/file.h"
#include "nn/io/pack.h"
#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/thread_pool.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/train_line.h"
#include "tutorials/app/train_ranks.h"
#include "tutorials/app/train_run.h"
#include "tutorials/app/tune.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

// According to the checkpoint: the records may contain later epochs.
int64_t finished_epochs(const nn::RunFolder& folder) {
  if (!folder.has("last.safetensors")) return 0;
  io::SafeTensors last = io::load_safetensors(folder.file("last.safetensors"));
  const Tensor* history = last.find("progress.history");
  return history && history->rank() == 2 ? history->size(0) : 0;
}

void print_results(const nn::RunFolder& folder, const TrainRun& run, const TrainOptions& o, const TranslateData& d) {
  nn::Translator best = nn::Translator::load(folder.file("model.safetensors"));
  Figures f = figures_of(best, d, o.beam);
  tell("epochs                  {}\nsteps                   {}\n", run.epochs(), run.steps());
  tell("validation perplexity   {:.3f}\n", f.perplexity);
  tell("validation BLEU         {:.2f} ({})\n", f.bleu,
       o.beam > 1 ? fmt::format("beam {}", o.beam) : std::string("greedy"));
  tell("model                   {}\n", folder.file("model.safetensors"));
  if (folder.has("report.html")) tell("report                  {}\n", folder.file("report.html"));
}

// A run without a model was stopped early, or has diverged: nothing in its folder is worth keeping.
std::string in_the_way(const std::string& folder) {
  bool model = io::exists(folder + "/model.safetensors");
  return fmt::format("train: a new run needs a folder without one; got \"{}\"{}; hint: --resume goes on with its run{}",
                     folder, model ? "" : ", which has no model yet",
                     model ? "" : fmt::format(", rm -r {} makes room for a new one", folder));
}

// What rank 0 finds out before anything is made: the options, the texts, the configuration to write.
struct Start {
  TrainOptions options;
  TranslateData data;
  io::Json described;
};

Start start_of(TrainLine& c) {
  if (c.quick && c.resume) throw InputError("train: --quick begins a run, --resume goes on with one; got both");
  std::string config_path = c.out + "/config.json";
  io::require_own(c.out, nn::training_run());
  bool exists = io::exists(config_path);
  if (c.resume && !exists)
    throw InputError(fmt::format("train: --resume needs the folder of a run; got \"{}\" without config.json", c.out));
  if (!c.resume && exists) throw InputError(in_the_way(c.out));
  if (c.resume && !io::exists(c.out + "/last.safetensors") &&
      io::exists(c.out + "/model.safetensors"))  // training anew would overwrite the model
    throw InputError(fmt::format(
        "train: --resume needs last.safetensors, the state of the run; got \"{}\" with a model and without it; "
        "hint: a new run in another folder, --out",
        c.out));

  io::Json config;
  Start start;
  TrainOptions& o = start.options;
  if (c.resume) {
    config = io::parse(io::read_file(config_path), config_path);
    o = resumed(c, config, c.files);
    require_files(c.files);
  } else {
    o = preset(c.preset.empty() ? TrainOptions().preset : c.preset);
    if (c.quick) o.limit = 1000, o.max_epochs = 2;
    apply(c, o);
    require_files(c.files);
    require_possible(o);
  }
  start.data = read_data(c.files, o);
  start.described = config_of(c.files, o, start.data);
  if (c.resume && config.inner("data").text("fingerprint") != start.described.at("data").text("fingerprint"))
    throw InputError(
        fmt::format("train: --resume needs the data that the run in \"{}\" began with; got other sentences", c.out));
  for (const auto& note : start.data.notes) say(note);
  if (o.fit.precision == "bf16" && !has_bf16_products())
    say("this processor has no AVX512-BF16: products in bf16 are emulated, with the same bits, much slower than f32");
  return start;
}

int train(nn::Ranks& ranks, int argc, char** argv) {
  if (asks_to_tune(argc, argv)) return train_published(ranks, argc, argv);
  TrainLine c;
  parse(argc, argv, c);
  require_one_program(ranks, argc, argv);
  Common common;
  common.threads = c.threads;
  if (ranks.size() > 1 && !c.threads) common.threads = distributed::share_of_processors();
  apply_common(common);
  std::string config_path = c.out + "/config.json";
  Start start;
  const std::string texts = from_root(ranks, [&] {
    start = start_of(c);
    if (ranks.size() == 1) return std::string();
    io::Packer out;
    out.add(to_json(start.options).dump()), out.add(packed(start.data));
    return out.bytes;
  });
  if (!ranks.root()) {
    io::Unpacker in(texts);
    start.options = train_options_from(io::parse(in.text(), "rank 0's options"));
    start.data = unpacked_data(in.text());
  }
  const TrainOptions& o = start.options;

  TrainRun run = [&] {
    try {
      return TrainRun(o, start.data, ranks, c.shard);
    } catch (const ValueError& error) {  // options that do not fit together: the user's error
      throw InputError(error.what());
    }
  }();
  std::optional<nn::RunFolder> folder;
  const bool state = from_root(ranks, [&] {
                       const bool begun = io::exists(c.out + "/last.safetensors");
                       folder.emplace(c.out);
                       if (!c.resume && folder->has("config.json"))  // another process has started a run here meanwhile
                         throw InputError(in_the_way(c.out));
                       if (int64_t finished = finished_epochs(*folder); finished > o.max_epochs)
                         throw InputError(fmt::format("train: the run has finished {} epochs; got --max-epochs {}",
                                                      finished, o.max_epochs));
                       if (c.resume && !begun) say("no saved state: beginning anew");
                       // The first state needs a configuration before it; a state that is refused leaves the
                       // configuration as it was.
                       if (!begun) io::atomic_write(config_path, start.described.dump(2) + "\n");
                       return std::string(begun ? "begun" : "");
                     }) == "begun";
  run.open(folder ? &*folder : nullptr, state);
  if (state && folder) io::atomic_write(config_path, start.described.dump(2) + "\n");
  if (run.steps() > 0 && folder) say(fmt::format("going on at step {}, after {} epochs", run.steps(), run.epochs()));
  const TrainRun::End end = run.run();
  const std::vector<std::string> memory =
      ranks.gather(fmt::format("{:.1f} MB", static_cast<double>(allocator_stats().peak_bytes) / 1e6));
  if (end == TrainRun::End::interrupted) {
    if (folder)
      say(fmt::format("interrupted: saved at step {}; heed train --out {} --resume goes on", run.steps(), c.out));
    return 130;
  }
  if (!folder) return 0;
  print_results(*folder, run, o, start.data);
  if (ranks.size() > 1) tell("most memory by rank     {}\n", fmt::join(memory, ", "));
  return 0;
}

}  // namespace

int train_main(int argc, char** argv) { return with_ranks(argc, argv, train); }

}  // namespace heed::app
