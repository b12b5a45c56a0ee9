#include "nn/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>

#include "nn/io/file.h"
#include "nn/io/json.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "the elements of a file are little-endian");

constexpr uint64_t kMaxHeader = 100'000'000;  // the limit of the reference implementation
constexpr const char* kMetadata = "__metadata__";

enum class Code { f32, f64, i64, boolean, f16, bf16 };
struct Format {
  const char* name;
  Code code;
  int64_t bytes;
  DType dtype;  // of the tensor it becomes
};
constexpr std::array<Format, 6> kFormats = {{{"F32", Code::f32, 4, DType::f32},
                                             {"F64", Code::f64, 8, DType::f64},
                                             {"I64", Code::i64, 8, DType::i64},
                                             {"BOOL", Code::boolean, 1, DType::boolean},
                                             {"F16", Code::f16, 2, DType::f32},
                                             {"BF16", Code::bf16, 2, DType::f32}}};

const Format& format_of(DType dtype) {
  return *std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.dtype == dtype; });
}

struct Entry {
  std::string name;
  const Format* format = nullptr;
  Shape shape;
  int64_t begin = 0, end = 0;
};

// 1 sign, 5 exponent and 10 mantissa bits; below the normal numbers the value is mantissa * 2^-24.
float widen_f16(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  float magnitude = exponent == 0    ? std::ldexp(static_cast<float>(mantissa), -24)
                    : exponent == 31 ? std::bit_cast<float>(0x7f800000u | static_cast<uint32_t>(mantissa) << 13)
                                     : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return std::copysign(magnitude, h >> 15 ? -1.0f : 1.0f);
}
float widen_bf16(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }  // the upper half of f32

class Reader {
 public:
  explicit Reader(const std::string& path) : what_(fmt::format("load: \"{}\"", path)) {
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) refuse("must be a file that exists", error ? error.message() : "no such file");
    if (!fs::is_regular_file(status)) refuse("must be a file", fs::is_directory(status) ? "a folder" : "a device");
    stream_.open(path, std::ios::binary);
    if (!stream_) refuse("must be a file that can be opened", std::strerror(errno));
    stream_.seekg(0, std::ios::end);
    auto size = static_cast<int64_t>(stream_.tellg());
    stream_.seekg(0);
    uint64_t length = 0;
    if (size < 8) refuse("a safetensors file begins with 8 bytes of header length", fmt::format("{} bytes", size));
    read(&length, 8);
    if (length > kMaxHeader)
      refuse(fmt::format("the header must have at most {} bytes", kMaxHeader),
             fmt::format("{}; is this a safetensors file?", length));
    if (length > static_cast<uint64_t>(size - 8))
      refuse("the header must lie inside the file", fmt::format("{} bytes of header in {} bytes", length, size));
    header_.resize(length);
    read(header_.data(), static_cast<int64_t>(length));
    start_ = 8 + static_cast<int64_t>(length);
    available_ = size - start_;
  }

  SafeTensors load() {
    SafeTensors out;
    if (header_.empty() || header_[0] != '{')
      refuse("the header must be a JSON object", header_.empty() ? "nothing" : quoted(header_.substr(0, 1)));
    Json header = parse(header_, what_);
    std::vector<Entry> entries;
    for (const Member& member : header.items()) {
      if (member.key == kMetadata)
        read_metadata(member.value, out.metadata);
      else
        entries.push_back(entry_of(member.key, member.value));
    }
    check_layout(entries);
    for (const Entry& e : entries) out.tensors.emplace_back(e.name, elements_of(e));
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& got) const {
    throw IoError(fmt::format("{}: {}; got {}", what_, rule, got));
  }
  static std::string quoted(std::string text) { return Json(std::move(text)).dump(); }

  void read(void* to, int64_t bytes) {
    if (!stream_.read(static_cast<char*>(to), bytes))
      refuse("must be readable to its end", "an error or a shorter file");
  }

  void read_metadata(const Json& json, std::map<std::string, std::string>& metadata) const {
    if (!json.is_object()) refuse(fmt::format("{} must be an object of texts", kMetadata), json.kind());
    for (const Member& m : json.items()) {
      if (!m.value.is_string()) refuse(fmt::format("{} {} must be a text", kMetadata, quoted(m.key)), m.value.kind());
      metadata[m.key] = m.value.as_string();
    }
  }

  // A key of a tensor's entry.
  const Json& part(const std::string& tensor, const Json& json, const char* key) const {
    const Json* found = json.find(key);
    if (!found) refuse(fmt::format("tensor {} must have a {}", quoted(tensor), key), "none");
    return *found;
  }
  // A list of integers of at least 0.
  std::vector<int64_t> sizes(const std::string& tensor, const Json& json, const char* key) const {
    const Json& list = part(tensor, json, key);
    std::string rule = fmt::format("tensor {}: {} must be a list of sizes", quoted(tensor), key);
    if (!list.is_array()) refuse(rule, list.kind());
    std::vector<int64_t> out;
    for (const Json& d : list.elements()) {
      if (!d.is_integer()) refuse(rule, d.is_number() ? d.dump() : d.kind());
      if (d.as_integer() < 0) refuse(rule, d.dump());
      out.push_back(d.as_integer());
    }
    return out;
  }

  Entry entry_of(const std::string& name, const Json& json) const {
    Entry e;
    e.name = name;
    if (!json.is_object()) refuse(fmt::format("tensor {} must be an object", quoted(name)), json.kind());
    const Json& dtype = part(name, json, "dtype");
    if (!dtype.is_string()) refuse(fmt::format("tensor {}: dtype must be a text", quoted(name)), dtype.kind());
    for (const Format& f : kFormats)
      if (dtype.as_string() == f.name) e.format = &f;
    if (!e.format)
      refuse(fmt::format("tensor {}: dtype must be F32, F64, I64, BOOL, F16 or BF16", quoted(name)), dtype.dump());

    std::vector<int64_t> shape = sizes(name, json, "shape"), offsets = sizes(name, json, "data_offsets");
    if (shape.size() > kMaxRank)
      refuse(fmt::format("tensor {} must have at most {} axes", quoted(name), kMaxRank), std::to_string(shape.size()));
    e.shape = Shape(shape);
    int64_t bytes = e.format->bytes;  // with sizes of 0 read as 1: strides must be countable too
    for (int64_t d : shape)
      if (__builtin_mul_overflow(bytes, std::max<int64_t>(d, 1), &bytes) || bytes > int64_t{1} << 46)
        refuse(fmt::format("tensor {} must have at most 2^46 bytes", quoted(name)), to_string(e.shape));
    bytes = element_count(e.shape) * e.format->bytes;
    if (offsets.size() != 2)
      refuse(fmt::format("tensor {}: data_offsets must be two numbers", quoted(name)), std::to_string(offsets.size()));
    e.begin = offsets[0], e.end = offsets[1];
    if (e.begin > e.end || e.end > available_)
      refuse(fmt::format("tensor {}: data_offsets must lie in order within [0, {}]", quoted(name), available_),
             fmt::format("[{}, {}]", e.begin, e.end));
    if (e.end - e.begin != bytes)
      refuse(fmt::format("tensor {}: shape and data_offsets must agree", quoted(name)),
             fmt::format("{} {} ({} bytes) and [{}, {}] ({} bytes)", e.format->name, to_string(e.shape), bytes, e.begin,
                         e.end, e.end - e.begin));
    return e;
  }

  // Sorted by position, each must begin where the one before it ends, and the last must end with the file.
  void check_layout(const std::vector<Entry>& entries) const {
    std::vector<const Entry*> order;
    for (const Entry& e : entries) order.push_back(&e);
    std::sort(order.begin(), order.end(),
              [](const Entry* a, const Entry* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
    int64_t at = 0;
    for (const Entry* e : order) {
      if (e->begin != at)
        refuse("tensors must fill the file without holes or overlap",
               fmt::format("{} at [{}, {}] after byte {}", quoted(e->name), e->begin, e->end, at));
      at = e->end;
    }
    if (at != available_)
      refuse("tensors must fill the file to its end", fmt::format("{} bytes of {} in use", at, available_));
  }

  Tensor elements_of(const Entry& e) {
    try {
      Tensor t = Tensor::empty(e.shape, e.format->dtype);
      stream_.seekg(start_ + e.begin);
      int64_t n = t.count();
      if (n > 0) fill(e, t, n);
      return t;
    } catch (const std::bad_alloc&) {
      refuse(fmt::format("tensor {} must fit into memory", quoted(e.name)), fmt::format("{} bytes", e.end - e.begin));
    }
  }

  void fill(const Entry& e, Tensor& t, int64_t n) {
    if (e.format->code == Code::f16 || e.format->code == Code::bf16) {
      std::vector<uint16_t> half(static_cast<size_t>(n));
      read(half.data(), 2 * n);
      auto widen = e.format->code == Code::f16 ? widen_f16 : widen_bf16;
      std::transform(half.begin(), half.end(), t.data<float>(), widen);
      return;
    }
    void* to = t.storage().data();
    read(to, e.end - e.begin);
    if (e.format->code != Code::boolean) return;
    auto* bytes = static_cast<const unsigned char*>(to);
    for (int64_t i = 0; i < n; ++i)
      if (bytes[i] > 1)
        refuse(fmt::format("tensor {}: a BOOL must be 0 or 1", quoted(e.name)),
               fmt::format("{} at element {}", bytes[i], i));
  }

  std::string what_, header_;
  std::ifstream stream_;
  int64_t start_ = 0, available_ = 0;  // first byte of the elements, bytes from there to the end
};

// JSON holds UTF-8 alone: text that would come back changed is refused.
void require_text(const std::string& text) {
  if (parse(Json(text).dump(), "save").as_string() != text)
    throw ValueError(fmt::format("save: names and metadata must be UTF-8; got {}", Json(text).dump()));
}

}  // namespace

const Tensor* SafeTensors::find(std::string_view name) const {
  for (const auto& [key, tensor] : tensors)
    if (key == name) return &tensor;
  return nullptr;
}

SafeTensors load_safetensors(const std::string& path) { return Reader(path).load(); }

void save_safetensors(const std::string& path, const SafeTensors& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) {
    Json metadata = Json::object();
    for (const auto& [key, text] : file.metadata) {
      require_text(key);
      require_text(text);
      metadata.set(key, text);
    }
    header.set(kMetadata, std::move(metadata));
  }
  // Wide elements first, so that each lies at a multiple of its size; otherwise in the order given.
  std::set<std::string> names;
  std::vector<size_t> order;
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, tensor] = file.tensors[i];
    require_text(name);
    if (name == kMetadata) throw ValueError(fmt::format("save: the name {} is reserved; got a tensor of it", name));
    if (!names.insert(name).second)
      throw ValueError(fmt::format("save: a name must be given once; got {} twice", name));
    if (!tensor.defined()) throw ValueError(fmt::format("save: tensors must be defined; got {} undefined", name));
    order.push_back(i);
  }
  auto width = [&](size_t i) { return size_of(file.tensors[i].second.dtype()); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return width(a) > width(b); });
  std::vector<int64_t> begin(file.tensors.size());
  int64_t at = 0;
  for (size_t i : order) {
    begin[i] = at;
    at += file.tensors[i].second.count() * static_cast<int64_t>(width(i));
  }
  std::string text = header.dump();
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, tensor] = file.tensors[i];
    std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
    int64_t end = begin[i] + tensor.count() * static_cast<int64_t>(width(i));
    Json entry = Json::object({{"dtype", format_of(tensor.dtype()).name},
                               {"shape", Json(shape)},
                               {"data_offsets", Json::array({Json(begin[i]), Json(end)})}});
    text.insert(text.size() - 1, fmt::format("{}{}:{}", text.size() > 2 ? "," : "", Json(name).dump(), entry.dump()));
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kMaxHeader)
    throw ValueError(fmt::format("save: the header must have at most {} bytes; got {}", kMaxHeader, text.size()));

  AtomicFile out(path);
  uint64_t length = text.size();
  out.write(&length, 8);
  out.write(text);
  for (size_t i : order) {
    Tensor dense = file.tensors[i].second.contiguous();
    dispatch(dense.dtype(), [&](auto zero) {
      out.write(dense.data<decltype(zero)>(), static_cast<size_t>(dense.count()) * sizeof(zero));
    });
  }
  out.commit();
}

}  // namespace heed::io
