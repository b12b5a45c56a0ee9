#include "tensor/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "tensor/allocator.h"

namespace heed {

struct Profile::Data {
  std::map<std::pair<std::string, PathId>, ProfileRow> rows;
  double start;
  int depth = 0;  // of open profiling scopes; an inner kernel counts as part of the outer one
};

namespace {
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

Profile::Profile() : data_(new Data{{}, now()}), scope_(active(), data_) {}
Profile::~Profile() { delete data_; }

void Kernel::begin(const char* name, double work, bool is_product) {
  if (Profile::active()->depth++ > 0) work = 0;
  name_ = name, work_ = work, is_product_ = is_product;
  bytes_before_ = allocator_stats().total_bytes, loops_before_ = loop_times();
  start_ = now();
}
void Kernel::end() {
  auto* data = Profile::active();
  if (!data || --data->depth > 0) return;
  ProfileRow& row = data->rows[{name_, current_path()}];
  row.operation = name_;
  row.path = path_name(current_path());
  ++row.calls;
  row.seconds += now() - start_;
  LoopTimes loops = loop_times();
  row.waited += loops.waited - loops_before_.waited, row.helped += loops.helped - loops_before_.helped;
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
  double between = now() - data_->start;
  for (const ProfileRow& r : all) between -= r.seconds;
  size_t wide = 16;
  for (const ProfileRow& r : all) wide = std::max(wide, r.operation.size());
  // In percent: if one of n threads works alone, 100 / n.
  auto busy = [](double seconds, double waited, double helped) {
    return seconds > 0 ? 100 * (seconds - waited + helped) / (seconds * thread_count()) : 0;
  };
  std::string text = fmt::format("{:<{}} {:<28} {:>8} {:>10} {:>7} {:>10} {:>12}\n", "operation", wide, "module",
                                 "calls", "ms", "busy", "MB", "rate");
  for (const ProfileRow& r : all) {
    double rate = r.seconds > 0 ? r.work * (r.is_product ? 2 : 1) / r.seconds * 1e-9 : 0;
    text += fmt::format("{:<{}} {:<28} {:>8} {:>10.3f} {:>5.0f} % {:>10.3f} {:>7.2f} {}\n", r.operation, wide, r.path,
                        r.calls, r.seconds * 1e3, busy(r.seconds, r.waited, r.helped),
                        static_cast<double>(r.bytes) * 1e-6, rate, r.is_product ? "GFLOP/s" : "Gelem/s");
  }
  return text + fmt::format("{:<{}} {:<28} {:>8} {:>10.3f}\n", "between them", wide, "", "", between * 1e3);
}

}  // namespace heed
