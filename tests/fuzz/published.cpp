// Fuzzes the opening of published models. The target copies the folder of a small one and changes it as the input says:
//
// clang-format off
//   qwen3           the first line is a folder of tests/golden/published
//   key=7           sets a key of config.json; a value that is not JSON is a text
//   -key            takes a key out
//   !name 3 4       the tensor gets another shape; !name alone: it is missing
//   graph           the other lines are the model.json of a graph with its weights in files a and b
// clang-format on
//
// Only an IoError may refuse the folder. A model that was opened must read a few tokens, or refuse them with an
// InputError, and must have the same tensors when it is saved and opened again.
#include <sstream>

#include "nn/io/file.h"
#include "nn/io/graph_weights.h"
#include "nn/published/model.h"
#include "tests/fuzz/options_lines.h"
#include "tests/source_dir.h"

using namespace heed;
using fuzz::accepted_from_model, fuzz::must, fuzz::Scratch;
namespace published = heed::nn::published;

namespace {

void reshape_tensor(io::SafeTensors& file, const std::string& line) {
  std::istringstream in(line);
  std::string name;
  in >> name;
  std::vector<int64_t> sizes;
  for (int64_t n; in >> n && n >= 0 && n < 100 && sizes.size() < 4;) sizes.push_back(n);
  std::erase_if(file.tensors, [&](const auto& tensor) { return tensor.first == name; });
  if (!sizes.empty()) file.tensors.emplace_back(name, Tensor::zeros(Shape(sizes)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  std::istringstream in(fuzz::text_of(data, size));
  std::string kind, line;
  std::getline(in, kind);
  if (kind == "graph") {
    io::make_folder(Scratch::file("graph"));
    for (const char* one : {"/a", "/b"}) io::atomic_write(Scratch::file("graph") + one, std::string(64, '\0'));
    io::atomic_write(Scratch::file("graph") + "/model.json", fuzz::text_of(data, size).substr(kind.size()));
    accepted_from_model<IoError>([&] {
      int64_t numbers = 0;
      for (const auto& one : io::load_graph_weights(Scratch::file("graph"))) numbers += one.second.count();
      must(4 * numbers <= 1024, "the numbers are those of the files");
    });
    return 0;
  }
  const char* known[] = {"electra", "opt", "opt_narrow", "gpt_neox", "qwen3", "llama3", "modernbert", "t5_gated"};
  const char* name = known[0];
  for (const char* one : known)
    if (kind == one) name = one;
  const std::string golden = source_dir() + "/tests/golden/published/" + name;
  io::Json config = io::parse(io::read_file(golden + "/config.json"), "config.json");
  io::SafeTensors file = io::load_safetensors(golden + "/model.safetensors");
  while (std::getline(in, line)) {
    if (line.starts_with("!") && io::is_utf8(line)) {
      reshape_tensor(file, line.substr(1));
    } else if (line.starts_with("-")) {
      io::Json without = io::Json::object();
      for (const io::Member& one : config.items())
        if (one.key != line.substr(1)) without.set(one.key, one.value);
      config = without;
    } else {
      config = fuzz::changed(config, {line});
    }
  }
  const std::string folder = Scratch::file("folder"), again = Scratch::file("again");
  io::make_folder(folder);
  if (!accepted_from_model<ValueError>([&] { io::save_safetensors(folder + "/model.safetensors", file); })) return 0;
  io::atomic_write(folder + "/config.json", config.dump());
  accepted_from_model<InputError>([&] {
    auto model = published::open(folder);
    const Tensor ids = Tensor::from(std::vector<int64_t>{1, 2, 0, 3, 1, 2}, {2, 3});
    const published::Inputs words{.ids = ids, .target_ids = ids};
    const Tensor once = model->read(words).of_heads().last().value();
    published::save(*model, again);
    const Tensor twice = published::open(again)->read(words).of_heads().last().value();
    must(once.to_vector() == twice.to_vector(), "a model that was saved is the same");
  });
  return 0;
}
