#include "nn/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <optional>

#include "nn/io/checksum.h"
#include "nn/io/half.h"
#include "nn/io/json_scanner.h"
#include "nn/io/mapped_file.h"
#include "nn/io/safetensors_header.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "the elements of a file are little-endian");

// Reads n elements of type From, applies f to each, and writes them to `to`.
template <class From, class To, class F>
void widen(const std::vector<char>& from, size_t n, To* to, F f) {
  for (size_t i = 0; i < n; ++i) {
    From v;
    std::memcpy(&v, from.data() + i * sizeof(From), sizeof(From));
    to[i] = static_cast<To>(f(v));
  }
}

// Widens elements of a format that a tensor cannot hold directly. U64 keeps its bits; the caller checks the sign.
void widen(Stored stored, const std::vector<char>& from, size_t n, Tensor& to, int64_t at) {
  auto same = [](auto v) { return v; };
  float* real = to.dtype() == DType::f32 ? to.data<float>() + at : nullptr;
  int64_t* whole = to.dtype() == DType::i64 ? to.data<int64_t>() + at : nullptr;
  switch (stored) {
    case Stored::f16:
      return widen<uint16_t>(from, n, real, widen_f16);
    case Stored::bf16:
      return widen<uint16_t>(from, n, real, widen_bf16);
    case Stored::i8:
      return widen<int8_t>(from, n, whole, same);
    case Stored::u8:
      return widen<uint8_t>(from, n, whole, same);
    case Stored::i16:
      return widen<int16_t>(from, n, whole, same);
    case Stored::u16:
      return widen<uint16_t>(from, n, whole, same);
    case Stored::i32:
      return widen<int32_t>(from, n, whole, same);
    case Stored::u32:
      return widen<uint32_t>(from, n, whole, same);
    case Stored::u64:
      return widen<uint64_t>(from, n, whole, same);
    case Stored::f32:
    case Stored::f64:
    case Stored::i64:
    case Stored::boolean:
      break;  // these formats are read directly into the tensor
  }
}

class Reader {
 public:
  explicit Reader(const std::string& path) : what_(fmt::format("load: \"{}\"", path)) {
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) refuse("must be a file that exists", error ? error.message() : "no such file");
    if (!fs::is_regular_file(status))
      refuse("must be a file", fs::is_directory(status) ? "a folder" : "a pipe or a device");
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
    std::string json(length, ' ');
    read(json.data(), static_cast<int64_t>(length));
    begin_ = 8 + static_cast<int64_t>(length);
    header_ = read_header(json, size - begin_, what_);
    auto stored = header_.metadata.extract(kChecksum);
    size_t at = checksum_at(json);
    if (!stored || at == std::string::npos) return;  // rewritten by another program, a checksum says nothing
    stored_ = stored.mapped();
    json.replace(at, 16, kNoChecksum);
    checksum_.add(json.data(), json.size());
  }

  // The elements need not be read; null if a checksum makes all of them count.
  std::shared_ptr<const MappedFile> map(const std::string& path, const MapOptions& options) {
    if (!stored_) mapped_ = std::make_shared<const MappedFile>(path);
    leave_halves_ = mapped_ && options.leave_halves;
    return mapped_;
  }
  std::map<std::string, HalfPlace>& halves() { return halves_; }

  // The elements are read once, in the order of the file, for the tensors and for the checksum.
  SafeTensors load() {
    SafeTensors out;
    out.metadata = std::move(header_.metadata);
    std::vector<size_t> order(header_.entries.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return header_.entries[a].begin < header_.entries[b].begin; });
    for (const HeaderEntry& e : header_.entries) out.tensors.emplace_back(e.name, Tensor());
    for (size_t i : order) out.tensors[i].second = elements_of(header_.entries[i]);
    if (stored_ && checksum_.digits() != *stored_)
      refuse("the contents must have the checksum that was saved with them, " + *stored_,
             fmt::format("{}; hint: the file is damaged; another program that changes it on purpose must leave out the "
                         "metadata {}",
                         checksum_.digits(), kChecksum));
    for (size_t i = 0; i < order.size(); ++i) require_values(header_.entries[i], out.tensors[i].second);
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& got) const {
    throw IoError(fmt::format("{}: {}; got {}", what_, rule, got));
  }

  void read(void* to, int64_t bytes) {
    if (!stream_.read(static_cast<char*>(to), bytes))
      refuse("must be readable to its end", "an error or a shorter file");
  }
  void read_elements(void* to, int64_t bytes) {
    read(to, bytes);
    if (stored_) checksum_.add(to, static_cast<size_t>(bytes));
  }

  Tensor elements_of(const HeaderEntry& e) {
    if (mapped_ && e.format->stored == Stored::f32)
      if (Tensor pages = mapped_->tensor(begin_ + e.begin, e.shape); pages.defined()) {
        stream_.seekg(e.end - e.begin, std::ios::cur);
        return pages;
      }
    const bool half = e.format->stored == Stored::f16 || e.format->stored == Stored::bf16;
    if (leave_halves_ && half && e.shape.rank() == 2 && e.end > e.begin) {
      stream_.seekg(e.end - e.begin, std::ios::cur);
      halves_[e.name] = {e.format->stored == Stored::f16 ? HalfFormat::f16 : HalfFormat::bf16, begin_ + e.begin};
      return Tensor::full({1, 1}, NAN).expand(e.shape);
    }
    try {
      Tensor t = Tensor::empty(e.shape, e.format->dtype);
      if (t.count() > 0) fill(e, t);
      return t;
    } catch (const std::bad_alloc&) {
      refuse(fmt::format("tensor {} must fit into memory", shown(e.name)), fmt::format("{} bytes", e.end - e.begin));
    }
  }

  void fill(const HeaderEntry& e, Tensor& t) {
    // Blocks that stay in the processor's cache until the checksum has read them.
    constexpr int64_t kBlock = 1 << 15;  // elements
    const int64_t n = t.count(), width = e.format->bytes;
    const bool direct = e.format->stored <= Stored::boolean;
    std::vector<char> block(direct ? 0 : static_cast<size_t>(std::min(n, kBlock) * width));
    for (int64_t at = 0; at < n; at += kBlock) {
      int64_t m = std::min(kBlock, n - at);
      read_elements(direct ? static_cast<char*>(static_cast<void*>(t.storage().data())) + at * width : block.data(),
                    m * width);
      if (!direct) widen(e.format->stored, block, static_cast<size_t>(m), t, at);
    }
  }

  void require_values(const HeaderEntry& e, const Tensor& t) const {
    const int64_t n = t.count();
    if (e.format->stored == Stored::boolean && n > 0) {
      auto* bytes = static_cast<const unsigned char*>(static_cast<const void*>(t.storage().data()));
      const unsigned char* bad = std::find_if(bytes, bytes + n, [](unsigned char b) { return b > 1; });
      if (bad != bytes + n)
        refuse(fmt::format("tensor {}: a BOOL must be 0 or 1", shown(e.name)),
               fmt::format("{} at element {}", *bad, bad - bytes));
    }
    if (e.format->stored == Stored::u64) {
      const int64_t* values = t.data<int64_t>();
      const int64_t* bad = std::find_if(values, values + n, [](int64_t v) { return v < 0; });
      if (bad != values + n)
        refuse(fmt::format("tensor {}: a U64 must be below 2^63", shown(e.name)),
               fmt::format("{} at element {}", static_cast<uint64_t>(*bad), bad - values));
    }
  }

  std::shared_ptr<const MappedFile> mapped_;
  bool leave_halves_ = false;
  std::map<std::string, HalfPlace> halves_;
  std::string what_;
  std::ifstream stream_;
  int64_t begin_ = 0;  // of the elements
  Header header_;
  std::optional<std::string> stored_;  // the checksum in the file
  Checksum checksum_;                  // of what has been read so far
};

}  // namespace

const Tensor* SafeTensors::find(std::string_view name) const {
  for (const auto& [key, tensor] : tensors)
    if (key == name) return &tensor;
  return nullptr;
}

SafeTensors load_safetensors(const std::string& path) { return Reader(path).load(); }

MappedTensors map_safetensors(const std::string& path, const MapOptions& options) {
  Reader reader(path);
  MappedTensors out;
  out.file = reader.map(path, options);
  out.contents = reader.load();
  out.halves = std::move(reader.halves());
  return out;
}

}  // namespace heed::io
