#include "nn/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nn/io/checksum.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

// "rank 1 (node7), rank 3 (node8)": those whose text is not this one.
std::string ranks_unlike(Ranks& ranks, const std::vector<std::string>& texts, const std::string& wanted) {
  const std::vector<std::string> hosts = ranks.gather(ranks.host());
  std::string out;
  for (size_t r = 0; r < texts.size(); ++r)
    if (texts[r] != wanted) out += fmt::format("{}rank {} ({})", out.empty() ? "" : ", ", r, hosts[r]);
  return out;
}

}  // namespace

Ranks::Started Ranks::start_sum(Tensor) { return std::make_unique<Work>(); }
Ranks::Started Ranks::start_scattered_sum(Tensor parts, Tensor own) {
  copy_into(own, parts.select(0, 0));
  return std::make_unique<Work>();
}
Ranks::Started Ranks::start_gather(Tensor own, Tensor parts) {
  Tensor row = parts.select(0, 0);
  copy_into(row, own);
  return std::make_unique<Work>();
}

Ranks& alone() {
  static Ranks one;
  return one;
}

std::vector<int64_t> share_of(const std::vector<int64_t>& members, int64_t rank, int64_t size) {
  const auto n = static_cast<int64_t>(members.size());
  if (idle_share(n, rank)) return {members.front()};
  std::vector<int64_t> own;
  for (int64_t i = rank; i < n; i += size) own.push_back(members[static_cast<size_t>(i)]);
  return own;
}

void require_same_tensors(Ranks& ranks, const std::vector<Tensor>& tensors, const std::string& when) {
  if (ranks.size() == 1) return;
  io::Checksum sum;
  for (const Tensor& t : tensors) {
    const Tensor whole = t.contiguous();
    dispatch(whole.dtype(), [&](auto zero) {
      using T = decltype(zero);
      sum.add(whole.data<T>(), static_cast<size_t>(whole.count()) * sizeof(T));
    });
  }
  const std::vector<std::string> all = ranks.gather(sum.digits());
  std::map<std::string, int64_t> count;
  for (const std::string& digits : all) ++count[digits];
  std::string most = all[0];  // of as many, rank 0's
  for (const auto& [digits, n] : count)
    if (n > count[most]) most = digits;
  if (const std::string others = ranks_unlike(ranks, all, most); !others.empty())
    throw InputError(fmt::format(
        "ranks: all must hold the same parameters; got others {} on {}; hint: machines of one kind, memory without "
        "faults; the last saved state is from before",
        when, others));
}

void require_same(Ranks& ranks, const std::string& what, const std::string& text) {
  if (ranks.size() == 1) return;
  io::Checksum sum;
  sum.add(text.data(), text.size());
  const std::vector<std::string> all = ranks.gather(sum.digits());
  if (const std::string others = ranks_unlike(ranks, all, all[0]); !others.empty())
    throw InputError(fmt::format("ranks: all must have the same {}; got another than rank 0's on {}", what, others));
}

}  // namespace heed::nn
