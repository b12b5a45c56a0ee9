#include "tensor/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "tensor/allocator.h"

namespace heed {

struct Profile::Data {
  std::map<std::pair<std::string, PathId>, ProfileRow> rows;
  int depth = 0;  // of open profiling scopes; an inner kernel counts as part of the outer one
};

namespace {
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

Profile::Profile() : data_(new Data), outer_(active()) { active() = data_; }
Profile::~Profile() {
  active() = outer_;
  delete data_;
}

void Kernel::begin(const char* name, double work, bool is_product) {
  if (Profile::active()->depth++ > 0) work = 0;
  name_ = name, work_ = work, is_product_ = is_product;
  bytes_before_ = allocator_stats().total_bytes, start_ = now();
}
void Kernel::end() {
  auto* data = Profile::active();
  if (!data || --data->depth > 0) return;
  ProfileRow& row = data->rows[{name_, current_path()}];
  row.operation = name_;
  row.path = path_name(current_path());
  ++row.calls;
  row.seconds += now() - start_;
  row.bytes += allocator_stats().total_bytes - bytes_before_;
  row.work += work_;
  row.is_product = is_product_;
}

std::vector<ProfileRow> Profile::rows() const {
  std::vector<ProfileRow> out;
  for (auto& [key, row] : data_->rows) out.push_back(row);
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.seconds > b.seconds; });
  return out;
}

std::string Profile::table() const {
  std::vector<ProfileRow> all = rows();
  size_t wide = 16;
  for (const ProfileRow& r : all) wide = std::max(wide, r.operation.size());
  std::string text = fmt::format("{:<{}} {:<28} {:>8} {:>10} {:>10} {:>12}\n", "operation", wide, "module", "calls",
                                 "ms", "MB", "rate");
  for (const ProfileRow& r : all) {
    double rate = r.seconds > 0 ? r.work * (r.is_product ? 2 : 1) / r.seconds * 1e-9 : 0;
    text +=
        fmt::format("{:<{}} {:<28} {:>8} {:>10.3f} {:>10.3f} {:>7.2f} {}\n", r.operation, wide, r.path, r.calls,
                    r.seconds * 1e3, static_cast<double>(r.bytes) * 1e-6, rate, r.is_product ? "GFLOP/s" : "Gelem/s");
  }
  return text;
}

}  // namespace heed
