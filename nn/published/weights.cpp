#include "nn/published/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "nn/io/file.h"
#include "nn/io/half.h"
#include "nn/module.h"
#include "tensor/indexing.h"

namespace heed::nn::published {
namespace {

namespace fs = std::filesystem;
constexpr const char* kOneFile = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
// Tensors that programs saved beside the weights, and that follow from the configuration.
constexpr const char* kBuffers[] = {"position_ids", "token_type_ids", "rotary_emb.inv_freq",
                                    ".attn.bias",   ".masked_bias",   ".attention.bias",
                                    ".version"};

std::string today(std::string name) {
  for (const auto& [old, now] : {std::pair{".gamma", ".weight"}, {".beta", ".bias"}})
    if (name.ends_with(old)) return name.substr(0, name.size() - std::string(old).size()) + now;
  return name;
}

std::string with_number(std::string text, int64_t n) {
  for (size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(n));
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The rows of a table for the parameters that a model has: .weight and .bias written out, # replaced by numbers.
std::vector<Stored> rows_of(const std::vector<Name>& names, const std::map<std::string, Variable*>& parameters) {
  std::vector<Stored> rows;
  auto add = [&](const Name& name, int64_t n) {
    bool any = false;
    const std::string file = with_number(name.file, n), ours = with_number(name.ours, n);
    const bool whole = ours.ends_with(".weight") || ours.ends_with(".bias");
    for (const char* suffix : {".weight", ".bias"}) {
      Stored row{file + (whole ? "" : suffix), {}, name.layout, {}};
      for (const std::string& one : words_of(ours)) row.ours.push_back(one + (whole ? "" : suffix));
      if (row.layout == Layout::transposed && !row.ours[0].ends_with(".weight")) row.layout = Layout::plain;
      if (!row.ours.empty() && parameters.contains(row.ours[0])) rows.push_back(row), any = true;
      if (whole) break;
    }
    return any;
  };
  for (const Name& name : names) {
    if (name.file.find('#') == std::string_view::npos) {
      add(name, 0);
      continue;
    }
    for (int64_t n = 0; add(name, n) || n == 0; ++n) {  // the first layer may lack a part (ModernBERT's norm)
    }
  }
  return rows;
}

int64_t heads_of(const Model& model) {
  return (model.options.decoder ? model.options.decoder : model.options.encoder)->block().heads;
}

// The shape in the file of parameters that are stored together.
Shape stored_shape(const Stored& row, const std::map<std::string, Variable*>& parameters) {
  Shape shape = parameters.at(row.ours[0])->shape();
  for (size_t i = 1; i < row.ours.size(); ++i) shape[0] += parameters.at(row.ours[i])->shape()[0];
  return row.layout == Layout::transposed ? Shape{shape[1], shape[0]} : shape;
}

Shape grouped(const Shape& shape, int64_t heads, int64_t parts) {  // [H parts K, ..] -> [H, parts, K, ..]
  Shape out{heads, parts, shape[0] / heads / parts};
  if (shape.rank() == 2) out = {heads, parts, shape[0] / heads / parts, shape[1]};
  return out;
}

// Does a list of names have this one, with the prefix of the family or without it?
const Tensor* found(const WeightFiles& files, const std::string& prefix, const std::string& name, std::string* where) {
  for (const std::string& full : {prefix + name, name})
    if (const Tensor* t = files.find(full)) {
      *where = full;
      return t;
    }
  return nullptr;
}

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& rule) {
  throw IoError(fmt::format("open: \"{}\": {}", folder, rule));
}

std::map<std::string, Variable*> parameters_of(const Model& model) {
  detail::Collector all = detail::collect(const_cast<Model&>(model));  // visit only lists them
  std::map<std::string, Variable*> out;
  for (size_t i = 0; i < all.members.size(); ++i) out[all.parameters[i].name] = all.members[i];
  return out;
}

// The file that says how large the model is.
std::string described_by(const Model& model) { return fs::path(model.config.file).filename().string(); }

// The bias by distance is a table that no product and no embedding reads.
bool may_be_narrow(const std::string& parameter) { return parameter.find(".distances.") == std::string::npos; }

// A matrix that has stayed in the file: its parts in 16 bits, or all of it in f32 where a part cannot stay so (shared
// out by heads, not finite, ..). One matrix at a time is in memory, and only its parts stay there.
struct Taken {
  std::vector<std::shared_ptr<const HalfMatrix>> parts;
  Tensor all;
};
Taken take_half(const WeightFiles::Half& half, const Stored& row, const Shape& shape,
                const std::map<std::string, Variable*>& parameters) {
  const int64_t n = shape[0] * shape[1];
  const Tensor memory = Tensor::empty({(n + 1) / 2});  // for 16-bit numbers
  half.file->read(half.place.at, memory.data<float>(), 2 * n);
  const auto* bits = reinterpret_cast<const uint16_t*>(memory.data<float>());
  const bool turned = row.layout == Layout::transposed;
  Taken out;
  int64_t first = 0;
  for (const std::string& one : row.ours) {
    const Shape wanted = parameters.at(one)->shape();
    std::shared_ptr<const HalfMatrix> part;
    if (row.layout != Layout::by_head && wanted.rank() == 2 && may_be_narrow(one))
      part = HalfMatrix::of({half.place.format, bits + first * (turned ? 1 : shape[1]), wanted[0], wanted[1],
                             turned ? 1 : shape[1], turned ? shape[1] : 1});
    if (!part) break;
    first += wanted[0];
    out.parts.push_back(std::move(part));
  }
  if (out.parts.size() == row.ours.size()) return out;
  out.parts.clear();
  out.all = Tensor::empty(shape);
  for (int64_t i = 0; i < n; ++i)
    out.all.data<float>()[i] = half.place.format == HalfFormat::f16 ? io::widen_f16(bits[i]) : io::widen_bf16(bits[i]);
  return out;
}

// Why there is no file to read: what is there in its place.
[[noreturn]] void refuse_without_weights(const std::string& folder) {
  std::string pickle, other;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string(), kind = entry.path().extension().string();
    if (kind == ".bin" || kind == ".pt" || kind == ".pth" || kind == ".ckpt") pickle = name;
    if (kind == ".gguf" || kind == ".h5" || kind == ".msgpack" || kind == ".onnx") other = name;
  }
  if (!pickle.empty())
    refuse_folder(folder,
                  fmt::format("weights must be in model.safetensors; got {}, a pickle, which can run any program "
                              "when it is read and is never opened; hint: convert it where you trust it, in "
                              "Python: AutoModel.from_pretrained(folder).save_pretrained(folder)",
                              pickle));
  refuse_folder(folder, fmt::format("weights must be in {} or in the files of {}; got {}", kOneFile, kIndex,
                                    other.empty() ? "neither" : other));
}

}  // namespace

WeightFiles::WeightFiles(std::string path, std::map<std::string, Tensor> all)
    : folder(std::move(path)), tensors(std::move(all)) {}

WeightFiles::WeightFiles(const std::string& path, const io::MapOptions& options) : folder(path) {
  std::map<std::string, std::string> file_of;  // of the index: tensor -> file
  std::set<std::string> names;
  if (io::exists(folder + "/" + kIndex)) {
    const std::string where = folder + "/" + kIndex;
    const io::Json index = io::parse(io::read_file(where), where);
    for (const io::Member& one : index.inner("weight_map").items()) {
      const std::string name = one.value.as_string();
      if (name.find('/') != std::string::npos || !name.ends_with(".safetensors"))
        refuse_folder(folder, fmt::format("{} must list safetensors files of the folder; got \"{}\"", kIndex, name));
      file_of[one.key] = name, names.insert(name);
    }
    if (names.empty()) refuse_folder(folder, fmt::format("{} must list files; got none", kIndex));
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("model") && name.ends_with(".safetensors") && !names.contains(name))
        refuse_folder(folder,
                      fmt::format("a file of weights must be listed in {}; got {}, which is not", kIndex, name));
    }
  } else {
    if (!io::exists(folder + "/" + kOneFile)) refuse_without_weights(folder);
    names.insert(kOneFile);
  }
  for (const std::string& name : names) {
    if (!io::exists(folder + "/" + name))
      refuse_folder(folder, fmt::format("every file that {} lists must be there; got none called {}", kIndex, name));
    io::MappedTensors shard = io::map_safetensors(folder + "/" + name, options);
    if (shard.file) files.push_back(shard.file);
    for (const auto& [key, place] : shard.halves) halves.emplace(today(key), Half{place, shard.file});
    for (auto& [key, tensor] : shard.contents.tensors) {
      auto listed = file_of.find(key);
      if (!file_of.empty() && listed == file_of.end())
        refuse_folder(folder, fmt::format("a tensor of {} must be listed in {}; got {}", name, kIndex, key));
      if (listed != file_of.end() && listed->second != name)
        refuse_folder(folder, fmt::format("a tensor must be in the file that {} names; got {} in {} and in {}", kIndex,
                                          key, name, listed->second));
      if (!tensors.emplace(today(key), std::move(tensor)).second)
        refuse_folder(folder, fmt::format("a tensor must be there once; got {} twice", today(key)));
    }
  }
  for (const auto& [key, name] : file_of)
    if (!find(today(key)))
      refuse_folder(folder, fmt::format("{} must have the tensors that {} lists; got no {}", name, kIndex, key));
}

const Tensor* WeightFiles::find(const std::string& name) const {
  auto at = tensors.find(name);
  return at == tensors.end() ? nullptr : &at->second;
}

void bind(Model& model, const WeightFiles& files, const OpenOptions& options) {
  if (options.keep_16_bits && (options.trainable || options.dtype != DType::f32))
    throw ValueError(fmt::format("open: weights that stay in 16 bits are read as f32, and not trained; got {}",
                                 options.trainable ? "trainable" : name_of(options.dtype)));
  const std::map<std::string, Variable*> parameters = parameters_of(model);
  const auto& ties = model.options.ties;
  std::set<std::string> used;                                // names of the file
  std::vector<std::pair<std::string, std::string>> missing;  // parameters, and what their tensors would be called
  std::set<std::string> bound;                               // parameters
  for (Stored& row : rows_of(model.family.names, parameters)) {
    std::string where;
    const Tensor* t = found(files, model.family.prefix, row.name, &where);
    const bool again = bound.contains(row.ours[0]) || ties.contains(row.ours[0]);
    if (!t) {
      if (!again) missing.emplace_back(row.ours[0], row.name);
      continue;
    }
    used.insert(where);
    if (again) continue;  // a copy of a tied matrix, or an older name of the same tensor
    row.name = where, row.shape = t->shape();
    const Shape wanted = stored_shape(row, parameters);
    Tensor all = *t;
    Taken taken;
    while (all.rank() > wanted.rank() && all.size(0) == 1) all = all.squeeze(0);  // [1, V] of Marian's bias
    if (!(all.shape() == wanted) || (all.dtype() != DType::f32 && all.dtype() != DType::f64))
      refuse_folder(files.folder,
                    fmt::format("the tensor {} must have the shape {} by {}, and floats; got {} {}", where,
                                to_string(wanted), described_by(model), name_of(t->dtype()), to_string(t->shape())));
    if (const auto left = files.halves.find(where); left != files.halves.end()) {
      taken = take_half(left->second, row, t->shape(), parameters);
      if (taken.all.defined()) all = taken.all.view(wanted);
    }
    all = all.to(options.dtype);
    const Tensor in_file = all;
    bool looked_at = options.keep_16_bits;  // a matrix in 16 bits has finite numbers
    if (row.layout == Layout::transposed) all = all.transpose(0, 1);
    const auto parts = static_cast<int64_t>(row.ours.size());
    int64_t first = 0;
    for (size_t i = 0; i < row.ours.size(); ++i) {
      Variable& p = *parameters.at(row.ours[i]);
      const int64_t rows = p.shape()[0];
      Tensor part = row.layout == Layout::by_head ? all.view(grouped(all.shape(), heads_of(model), parts))
                                                        .select(1, static_cast<int64_t>(i))
                                                        .reshape(p.shape())
                                                  : all.slice(0, first, first + rows);
      if (options.trainable) part = part.contiguous();
      first += rows;
      const bool narrow = options.keep_16_bits && may_be_narrow(row.ours[i]);
      if (auto half = !taken.parts.empty() ? taken.parts[i] : narrow ? HalfMatrix::of(part) : nullptr) {
        p = Variable(half->stand_in());
        model.halves.push_back(std::move(half));
      } else {
        p = Variable(part, Variable::kRequiresGrad), looked_at = false;
      }
      bound.insert(row.ours[i]);
    }
    if (!looked_at) model.unchecked.emplace_back(where, in_file);
    model.stored.push_back(row);
  }
  for (const auto& [alias, of] : ties) {
    if (!bound.contains(of)) continue;
    *parameters.at(alias) = *parameters.at(of);
    bound.insert(alias);
  }
  for (const auto& [name, called] : missing)
    if (!bound.contains(name))
      refuse_folder(files.folder, fmt::format("the weights of {} must have the tensor {} {} by {}; got none",
                                              model.config.family(), model.family.prefix + called,
                                              to_string(parameters.at(name)->shape()), described_by(model)));
  for (const auto& one : files.tensors) {
    const std::string& name = one.first;
    auto ends_so = [&](const char* end) { return name.ends_with(end); };
    if (used.contains(name) || std::any_of(std::begin(kBuffers), std::end(kBuffers), ends_so)) continue;
    const std::string bare = name.starts_with(model.family.prefix) ? name.substr(model.family.prefix.size()) : name;
    auto unneeded = [&](const Name& row) { return row.ours.empty() && (row.file == name || row.file == bare); };
    if (std::any_of(model.family.names.begin(), model.family.names.end(), unneeded)) continue;
    refuse_folder(files.folder,
                  fmt::format("the weights must have no other tensors than those of {} with this "
                              "{}; got {} {}",
                              model.config.family(), described_by(model), name, to_string(one.second.shape())));
  }
  model.folder = files.folder, model.files = files.files;
}

void name_all(Model& model) {
  const std::map<std::string, Variable*> parameters = parameters_of(model);
  std::set<std::string> named;
  for (const auto& [alias, of] : model.options.ties) *parameters.at(alias) = *parameters.at(of), named.insert(alias);
  model.stored.clear();
  for (Stored& row : rows_of(model.family.names, parameters)) {
    if (!named.insert(row.ours[0]).second) continue;  // tied, or an older name of the same tensor
    const bool head = row.ours[0].starts_with("heads.") && !row.ours[0].starts_with("heads.pooler.");
    if (!head) row.name = model.family.prefix + row.name;
    row.shape = stored_shape(row, parameters);
    model.stored.push_back(row);
  }
}

io::SafeTensors unbound(const Model& model) {
  const std::map<std::string, Variable*> parameters = parameters_of(model);
  io::SafeTensors out;
  out.metadata["format"] = "pt";
  for (const Stored& row : model.stored) {
    std::vector<Tensor> parts;
    for (const std::string& one : row.ours) {
      Tensor t = parameters.at(one)->value();
      if (const HalfMatrix* half = HalfMatrix::behind(t)) t = half->widened();
      if (row.layout == Layout::by_head) t = t.contiguous().view(grouped(t.shape(), heads_of(model), 1));
      parts.push_back(t);
    }
    Tensor all = parts.size() == 1 ? parts[0] : concat(parts, row.layout == Layout::by_head ? 1 : 0);
    if (row.layout == Layout::transposed) all = all.transpose(0, 1);
    out.tensors.emplace_back(row.name, all.contiguous().view(row.shape));
  }
  return out;
}

}  // namespace heed::nn::published
