// Fuzzes the loading of models and training runs (Translator, SentenceEncoder, RunFolder). The target saves a small
// model and changes its file as the input says:
//
// clang-format off
//   encoder         the first line is the kind of model: a paper, or encoder
//   hidden=7        sets an option; only before the first line with @
//   @heed.kind      the lines that follow become the metadata with this key, or, for the names
//                   config.json, metrics.jsonl, lock and report.html, that file of a run folder
//   !name 3 4       the tensor gets another shape
//   !name           the tensor is missing
// clang-format on
//
// Only an IoError may refuse the file. A model that was loaded must translate or embed (or refuse that with an
// InputError), and must give the same file when it is saved again.
#include <map>
#include <sstream>

#include "nn/sentence/sentence_encoder.h"
#include "nn/train/run_folder.h"
#include "tests/fuzz/options_lines.h"

using namespace heed;
using namespace heed::nn;
using fuzz::accepted_from_model, fuzz::must, fuzz::Scratch;

namespace {

void save(const std::string& kind, const AnyPaper& o, const std::string& path) {
  const text::Vocabulary words({{"a", "b", "b"}}, {.more_specials = text::masked_specials});
  if (kind == "encoder")
    return SentenceEncoder({.tokenizer = {}, .vocabulary = words}, *o.as<Transformer>(), 1).save(path);
  Translator t({.tokenizers = {}, .source = words, .target = words}, o, 1);
  t.epochs = 1;
  t.save(path, {});
}

bool is_small(AnyPaper paper) {
  if (const auto* o = paper.as<Transformer>()) return transformer_parameters(*o) < 20000;
  for (const OptionField& f : paper.fields())
    if (is_whole(f) && number_of(f) > (is_called(f, "layers") ? 4 : 16)) return false;
  return true;
}

// The file of a small model. If the options of the lines are valid and give a small model too, it is that model. The
// options in its metadata are those of the lines in any case.
io::SafeTensors saved(const std::string& kind, const std::vector<std::string>& lines) {
  AnyPaper o = fuzz::paper_or_bahdanau(kind == "encoder" ? "transformer" : kind);
  for (const char* small : {"embedding", "hidden", "model", "inner"}) set_called(o.fields(), small, "4");
  for (const char* one : {"encoder_layers", "decoder_layers"}) set_called(o.fields(), one, "1");
  set_called(o.fields(), "heads", "2"), set_called(o.fields(), "max_positions", "16");
  const std::string path = Scratch::file("saved");
  save(kind, o, path);
  accepted_from_model<IoError, ValueError, ShapeError>([&] {
    AnyPaper other = paper_from(fuzz::changed(to_json(o), lines));
    if (is_small(other) && (kind != "encoder" || other.as<Transformer>())) save(kind, other, path);
  });
  io::SafeTensors file = io::load_safetensors(path);
  io::Json described = fuzz::changed(io::parse(file.metadata["heed.options"], "its options"), lines);
  file.metadata["heed.options"] = described.dump();
  return file;
}

void change(io::SafeTensors& file, const std::string& line) {
  std::istringstream in(line);
  std::string name;
  in >> name;
  std::vector<int64_t> sizes;
  for (int64_t n; in >> n && n >= 0 && n < 100 && sizes.size() < 4;) sizes.push_back(n);
  std::erase_if(file.tensors, [&](const auto& tensor) { return tensor.first == name; });
  if (line.size() > name.size()) file.tensors.emplace_back(name, Tensor::zeros(Shape(sizes)));
}

template <class Model>
void check(const std::string& path) {
  const std::string once = Scratch::file("once"), twice = Scratch::file("twice");
  Model loaded = Model::load(path);
  loaded.save(once, {});
  Model::load(once).save(twice, {});
  must(Scratch::contents(once) == Scratch::contents(twice), "a model that was loaded is saved as it was");
  accepted_from_model<InputError>([&] {
    if constexpr (std::is_same_v<Model, Translator>)
      loaded.translate("a b c");
    else
      loaded.vectors(std::vector<std::string>{"a b c"});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 2000) return 0;
  std::vector<std::string> lines = fuzz::split(fuzz::text_of(data, size), "\n"), options, tensors;
  std::string kind = lines[0], key;
  std::map<std::string, std::string> texts;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("@"))
      texts[key = lines[i].substr(1)];
    else if (lines[i].starts_with("!"))
      tensors.push_back(lines[i].substr(1));
    else if (!key.empty())
      texts[key] += lines[i] + "\n";
    else
      options.push_back(lines[i]);
  }
  io::SafeTensors file = saved(kind, options);
  for (const std::string& line : tensors) change(file, line);
  const std::string folder = Scratch::file("run"), path = Scratch::file("changed");
  std::filesystem::remove_all(folder);
  for (const auto& [name, text] : texts) {
    if (name == "config.json" || name == "metrics.jsonl" || name == "lock" || name == "report.html") {
      std::filesystem::create_directories(folder);
      Scratch::written("run/" + name, text);
    } else {
      file.metadata[name] = name == "heed.kind" || name == "heed.epochs" ? text.substr(0, text.find('\n')) : text;
    }
  }
  if (!accepted_from_model<ValueError>([&] { io::save_safetensors(path, file); }))
    return 0;  // names that a file cannot contain
  accepted_from_model<IoError>([&] { kind == "encoder" ? check<SentenceEncoder>(path) : check<Translator>(path); });
  if (!std::filesystem::exists(folder)) return 0;
  accepted_from_model<IoError>([&] {
    RunFolder run(folder);
    run.lines("metrics.jsonl");
    run.cut("metrics.jsonl", 3);
    for (const io::Json& line : run.lines("metrics.jsonl")) must(line.integer("step") <= 3, "later steps are cut");
  });
  return 0;
}
