// Thousands of corrupted files, each made the same way every time. What a corruption did is read off the bytes by a
// second, slow reader: a file that differs from the good one in the bytes of elements alone must load to exactly that
// difference, since no format without checksums can see it; for any other the load is refused in one sentence, or
// gives the good tensors (a number of spaces), or the tensors under a changed name or in another order.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "nn/io/file.h"
#include "tensor/allocator.h"
#include "tensor/random.h"
#include "tests/nn/io/support.h"

using namespace heed;
using namespace heed::io_test;
using io::SafeTensors;

namespace {

struct Good {
  std::string bytes;
  size_t data;  // where the elements begin
};

Good good_file(const Folder& folder, int kind) {
  Generator rng(11);
  SafeTensors file;
  auto put = [&](const char* name, const Tensor& t) { file.tensors.emplace_back(name, t); };
  if (kind == 0) {
    put("weight", Tensor::normal({3, 2}, rng));
    put("bias", Tensor::normal({2}, rng));
    file.metadata = {{"format", "pt"}};
  } else if (kind == 1) {
    put("a", Tensor::normal({2, 2}, rng, 0, 1, DType::f64));
    put("steps", Tensor::arange(3));
    put("mask", Tensor::from_bools({1, 0, 1}, {3}));
    put("none", Tensor::empty({0, 4}));
    put("scalar", Tensor::scalar(3));
  }
  std::string path = folder / "good";
  if (kind < 2) {
    io::save_safetensors(path, file);
  } else {  // formats that others write
    write_file(path,
               file_of("{" + entry("h", "F16", "[2,2]", "[0,8]") + "," + entry("b", "BF16", "[2]", "[8,12]") + "," +
                           entry("i", "I32", "[1]", "[12,16]") + "," + entry("u", "U8", "[3]", "[16,19]") + "}   ",
                       "\x01\x3C\x02\xC0\x01\x02\x03\x04\x80\x3F\x40\xC0\xFE\xFF\xFF\xFF\x07\x08\x09"));
  }
  Good good{io::read_file(path), 0};
  uint64_t length;
  std::memcpy(&length, good.bytes.data(), 8);
  good.data = 8 + length;
  return good;
}

// A tensor as text that tells every bit: dtype, shape, elements.
std::string image(const Tensor& t) {
  std::string out = fmt::format("{} {} ", name_of(t.dtype()), to_string(t.shape()));
  return out.append(reinterpret_cast<const char*>(t.storage().data()),
                    static_cast<size_t>(t.count()) * size_of(t.dtype()));
}
std::multiset<std::string> images(const SafeTensors& file) {
  std::multiset<std::string> out;
  for (const auto& [name, t] : file.tensors) out.insert(image(t));
  return out;
}
std::map<std::string, std::string> named_images(const SafeTensors& file) {
  std::map<std::string, std::string> out;
  for (const auto& [name, t] : file.tensors) out[name] = image(t);
  return out;
}

struct Counts {
  int made = 0, refused = 0, same = 0, renamed = 0, data = 0, reread = 0;
};

class Judge {
 public:
  explicit Judge(int kind) : good_(good_file(folder_, kind)), whole_(io::load_safetensors(folder_ / "good")) {}
  const std::string& bytes() const { return good_.bytes; }
  size_t data() const { return good_.data; }

  void operator()(const std::string& bytes) {
    if (bytes == good_.bytes) return;
    ++counts.made;
    std::string path = folder_ / "bad";
    write_file(path, bytes);
    reset_peak();
    uint64_t before = allocator_stats().live_bytes;
    try {
      SafeTensors file = io::load_safetensors(path);
      accept(bytes, file);
    } catch (const IoError& error) {
      ++counts.refused;
      std::string text = error.what();
      if (text.rfind("load: \"" + path + "\": ", 0) != 0 || text.size() > 1000 || text.find('\n') != text.npos)
        FAIL_CHECK("no sentence: " << text);
    } catch (const std::exception& error) { FAIL_CHECK("another kind of exception: " << error.what()); }
    if (allocator_stats().peak_bytes - before > 4096 + 64 * good_.bytes.size()) FAIL_CHECK("too much memory");
  }

  Counts counts;

 private:
  // Elements may differ where the bytes do; otherwise only names, their order, and metadata. What the header says of a
  // place (dtype and shape of the same size) can be changed without a trace too: then the bytes must be those there.
  void accept(const std::string& bytes, const SafeTensors& file) {
    bool header_same =
        bytes.size() == good_.bytes.size() && bytes.compare(0, good_.data, good_.bytes, 0, good_.data) == 0;
    auto now = named_images(file), then = named_images(whole_);
    if (header_same) {
      ++counts.data;
      // Each tensor differs exactly if its bytes do: put them back, and it is as it was.
      if (now == then) FAIL_CHECK("changed bytes of elements were not seen in the tensors");
      if (now.size() != then.size()) FAIL_CHECK("tensors were lost");
      for (const auto& [name, t] : whole_.tensors) {
        if (!file.find(name) || !(file.find(name)->shape() == t.shape()) || file.find(name)->dtype() != t.dtype())
          FAIL_CHECK("a flip in the elements changed the form of " << name);
      }
      if (changed_elements(file) > changed_bytes(bytes)) FAIL_CHECK("more elements changed than bytes");
    } else if (now == then) {
      ++counts.same;
    } else if (images(file) == images(whole_)) {
      ++counts.renamed;
    } else {
      ++counts.reread;  // the same bytes under another dtype or shape, or fewer of them: all of the file is in use
      int64_t used = 0;
      for (const auto& [name, t] : file.tensors) used += t.count();
      if (used > static_cast<int64_t>(bytes.size())) FAIL_CHECK("more elements than bytes");
    }
  }
  int changed_bytes(const std::string& bytes) const {
    int n = 0;
    for (size_t i = good_.data; i < bytes.size(); ++i) n += bytes[i] != good_.bytes[i];
    return n;
  }
  int changed_elements(const SafeTensors& file) const {
    int n = 0;
    for (const auto& [name, t] : whole_.tensors) {
      const Tensor* other = file.find(name);
      if (!other) return 1 << 20;
      size_t width = size_of(t.dtype());
      auto *a = reinterpret_cast<const char*>(t.storage().data()),
           *b = reinterpret_cast<const char*>(other->storage().data());
      for (size_t i = 0; i < static_cast<size_t>(t.count()); ++i)
        n += std::memcmp(a + i * width, b + i * width, width) != 0;
    }
    return n;
  }

  Folder folder_;
  Good good_;
  SafeTensors whole_;
};

std::string with_length(std::string bytes, uint64_t length) { return bytes.replace(0, 8, bytes_of(length)); }
// A header of another length, with the length told truthfully: the fault is not that one.
std::string with_header(const Judge& judge, const std::string& header) {
  return file_of(header, judge.bytes().substr(judge.data()));
}

void truncations(Judge& judge) {
  for (size_t n = 0; n < judge.bytes().size(); ++n) judge(judge.bytes().substr(0, n));
  for (size_t n = 1; n <= 16; ++n) judge(judge.bytes() + std::string(n, '\0'));
}

void flips(Judge& judge) {
  Generator rng(7);
  std::string bytes = judge.bytes();
  for (size_t i = 0; i < bytes.size(); ++i)  // each byte loses or gains one bit, and in the header a second one
    for (int again = 0; again < (i < judge.data() ? 2 : 1); ++again) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << rng.below(8)));
      judge(bad);
    }
  for (int trial = 0; trial < 150; ++trial) {
    std::string bad = bytes;
    for (int64_t flips = 2 + trial % 7; flips > 0; --flips) {
      auto i = static_cast<size_t>(rng.below(static_cast<int64_t>(bad.size())));
      bad[i] = static_cast<char>(bad[i] ^ (1 << rng.below(8)));
    }
    judge(bad);
  }
}

void lengths(Judge& judge) {
  uint64_t length = judge.data() - 8;
  for (uint64_t other : {uint64_t{0}, uint64_t{1}, length - 8, length - 1, length + 1, length + 8, uint64_t{1} << 20,
                         uint64_t{100'000'000}, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 7})
    judge(with_length(judge.bytes(), other));
  for (uint64_t n = 0; n < judge.bytes().size(); n += 3) judge(with_length(judge.bytes(), n));
}

void inserted_and_deleted(Judge& judge) {
  Generator rng(13);
  std::string header = judge.bytes().substr(8, judge.data() - 8);
  for (size_t i = 0; i < header.size(); ++i) {
    judge(with_header(judge, std::string(header).erase(i, 1)));
    const char* some[] = {"0", "9", "\"", ",", ":", "{", "}", "[", "]", "-", ".", "\\", " ", "\xFF", "e", "x"};
    judge(with_header(judge, std::string(header).insert(i, some[rng.below(16)])));
  }
  for (size_t i = 0; i < judge.bytes().size(); i += 2) {  // the length as it was
    judge(std::string(judge.bytes()).erase(i, 1));
    judge(std::string(judge.bytes()).insert(i, 1, static_cast<char>(rng.below(256))));
  }
}

// Every number and every text of the header in turn becomes something else; and any two of them change places.
void tokens(Judge& judge) {
  std::string header = judge.bytes().substr(8, judge.data() - 8);
  struct Token {
    size_t at, size;
    bool number;
  };
  std::vector<Token> all;
  for (size_t i = 0; i < header.size();) {
    bool digit = header[i] >= '0' && header[i] <= '9', quote = header[i] == '"';
    size_t end = i + 1;
    if (digit)
      end = std::min(header.find_first_not_of("0123456789", i), header.size());
    else if (quote)
      end = header.find('"', i + 1) + 1;
    if (digit || quote) all.push_back({i, end - i, digit});
    i = end;
  }
  auto replaced = [&](const Token& t, const std::string& by) {
    judge(with_header(judge, std::string(header).replace(t.at, t.size, by)));
  };
  for (const Token& t : all) {
    std::string old = header.substr(t.at, t.size);
    if (t.number)
      for (std::string by : {"-1",
                             "-0",
                             "1.5",
                             "1e99",
                             "1e999",
                             "1E2",
                             "9223372036854775807",
                             "9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "4611686018427387904",
                             "99999999999",
                             "",
                             "null",
                             "true",
                             "\"4\"",
                             "[4]",
                             "{}",
                             "0",
                             "1",
                             "4",
                             "8",
                             "NaN",
                             "0x10",
                             "+4"})
        replaced(t, by);
    else
      for (std::string by : {"\"\"", "\"weight\"", "\"shape\"", "\"dtype\"", "\"__metadata__\"", "\"F64\"", "\"I32\"",
                             "\"BOOL\"", "\"\\ud800\"", "\"\xC0\x80\"", "0", "null", "{}", "[]"})
        replaced(t, by);
    replaced(t, "0" + old);
    replaced(t, old + old);
    replaced(t, old + "," + old);
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].number != all[j].number) continue;
      std::string bad = header, second = header.substr(all[j].at, all[j].size);
      bad.replace(all[j].at, all[j].size, header, all[i].at, all[i].size).replace(all[i].at, all[i].size, second);
      judge(with_header(judge, bad));
    }
}

}  // namespace

TEST_CASE("thousands of corrupted files load to what their bytes say, or are one sentence") {
  Counts all;
  for (int kind = 0; kind < 3; ++kind) {
    Judge judge(kind);
    int before = 0;
    for (auto corrupt : {truncations, flips, lengths, inserted_and_deleted, tokens}) {
      corrupt(judge);
      CHECK(judge.counts.made > before + 50);
      before = judge.counts.made;
    }
    Counts c = judge.counts;
    CHECK(c.made == c.refused + c.same + c.renamed + c.data + c.reread);
    all.made += c.made, all.refused += c.refused, all.same += c.same;
    all.renamed += c.renamed, all.data += c.data, all.reread += c.reread;
  }
  MESSAGE(all.made, " corrupted files: ", all.refused, " refused; ", all.made - all.refused, " loaded: ", all.data,
          " with other elements, ", all.same, " unchanged, ", all.renamed, " under other names, ", all.reread,
          " as another dtype or shape");
  CHECK(all.made >= 4000);
  CHECK(all.refused >= 3000);
  CHECK(all.data >= 50);
  CHECK(all.same >= 30);
  CHECK(all.renamed >= 30);
  CHECK(all.reread >= 5);
  CHECK(all.reread <= all.made / 20);
}
