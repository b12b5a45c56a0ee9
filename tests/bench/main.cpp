// heed bench: every workload of rows.cpp, ours and each peer's found on this machine, in one run.
//
// The machine is measured first: multiply-adds a second, bytes copied a second, on one thread and on two. Then each
// row: all subjects are started, warmed, and take turns; the median of their turns counts. A peer runs on one thread
// and on two where the row allows two, and its better figure is the peer's. Times are for reading, never for a test.
//
//   ratio   the best peer's time over ours: above 1 we are ahead
//   peak    the share of the measured multiply-adds (GFLOP/s) or of a copy (GB/s) that we reach
//   goal    the ratio that the project set out for, from the figures of recorded.json, or the share of the peak
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>

#include "nn/io/console.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tests/bench/child.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/report/terminal.h"

namespace bench {
namespace {

using heed::io::Json;

constexpr double kTurn = 0.1;  // seconds of a turn, or one repetition
constexpr int kTurns = 7;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Who is measured, and on how many threads.
struct Contender {
  std::string name;  // "" is heed
  int threads;
  std::unique_ptr<Child> child;
  std::vector<double> seconds;  // of each turn
  double typical() const { return median(seconds); }
};

struct Programs {
  std::string folder;
  std::vector<std::string> peers;  // names, as in bench_NAME
  std::string path(const std::string& name) const { return folder + "/bench_" + name; }
};

Programs programs_beside(const std::string& self, const std::vector<std::string>& peers) {
  Programs p{self.substr(0, self.rfind('/')), {}};
  for (const std::string& peer : peers)
    if (access(p.path(peer).c_str(), X_OK) == 0) p.peers.push_back(peer);
  return p;
}

// Turn about: whoever is slow for a moment, because the machine is shared, is so in one turn of seven.
void take_turns(std::vector<Contender>& contenders) {
  for (int turn = 0; turn < kTurns; ++turn)
    for (Contender& c : contenders) c.seconds.push_back(c.child->run(kTurn));
}

std::vector<Contender> contenders_of(const Row& row, const Programs& programs) {
  std::vector<Contender> all;
  auto join = [&](const std::string& name, int threads) {
    auto child = std::make_unique<Child>(programs.path(name), row.kind, row.sizes, threads);
    if (child->ready()) all.push_back({name, threads, std::move(child), {}});
  };
  join("heed", row.threads);
  if (row.scaling && row.threads == 2) join("heed", 1);
  for (const std::string& peer : programs.peers) {
    join(peer, 1);
    if (row.threads == 2) join(peer, 2);
  }
  return all;
}

struct Machine {
  std::string processor;       // its name and caches
  double flops[3], copied[3];  // a second, by the number of threads
};

// "AMD EPYC 7R13, L1 32, L2 512, L3 32768 KiB", as far as the system tells.
std::string processor_name() {
  std::string name = "unknown processor", line;
  std::ifstream info("/proc/cpuinfo");
  while (std::getline(info, line))
    if (line.starts_with("model name")) name = line.substr(std::min(line.size(), line.find(':') + 2));
  std::string caches;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  for (auto [level, key] : {std::pair("L1", _SC_LEVEL1_DCACHE_SIZE), std::pair("L2", _SC_LEVEL2_CACHE_SIZE),
                            std::pair("L3", _SC_LEVEL3_CACHE_SIZE)})
    if (long bytes = sysconf(key); bytes > 0) caches += fmt::format(", {} {}", level, bytes / 1024);
#endif
  return name + (caches.empty() ? "" : caches + " KiB");
}

Machine measure_machine(const Programs& programs) {
  Machine m{processor_name(), {}, {}};
  for (int threads : {1, 2}) {
    constexpr int64_t rounds = 1 << 20, lanes = 16, chains = 12;
    std::vector<Contender> c;
    c.push_back(
        {"heed", threads, std::make_unique<Child>(programs.path("heed"), "multiply_adds", Sizes{rounds}, threads), {}});
    c.push_back(
        {"heed", threads, std::make_unique<Child>(programs.path("heed"), "copy", Sizes{4096, 1024}, threads), {}});
    take_turns(c);
    double work = 2.0 * rounds * lanes * chains * threads;
    m.flops[threads] = work / *std::min_element(c[0].seconds.begin(), c[0].seconds.end());  // a limit: the best turn
    m.copied[threads] = 2.0 * 4 * 4096 * 1024 / c[1].typical();
  }
  return m;
}

struct Result {
  Row row;
  double seconds = 0, scaling = 0;
  struct Peer {
    std::string name;
    int threads;
    double seconds;
  };
  std::vector<Peer> peers;  // each of them on each number of threads
  std::string peer;         // the best one's name; "" where there is none
  double peer_seconds = 0;
  Child::Memory memory{}, peer_memory{};
  double fraction = 0;       // of the machine's peak
  double held = 0;           // bytes per operation
  double goal_ratio = 0;     // the peer's time over ours that is asked for; 0: none
  double dynet_seconds = 0;  // of another run, on another machine; 0: none
  double ratio() const { return peer.empty() ? 0 : peer_seconds / seconds; }
  std::optional<bool> met() const {
    bool known = false, all = true;
    if (row.goal_bytes > 0) known = true, all = held <= row.goal_bytes;
    if (row.goal_fraction > 0) known = true, all = fraction >= row.goal_fraction;
    if (goal_ratio > 0 && !peer.empty()) known = true, all = all && ratio() >= goal_ratio;
    return known ? std::optional(all) : std::nullopt;
  }
};

Result measure(const Row& row, const Programs& programs, const Machine& machine, const Json& recorded) {
  std::vector<Contender> contenders = contenders_of(row, programs);
  if (contenders.empty() || contenders[0].name != "heed")
    throw heed::Error(fmt::format("bench: heed has no workload \"{}\"", row.kind));
  Result r;
  if (row.unit == Row::bytes) {
    r.row = row;
    r.held = contenders[0].child->peak() / row.amount;
    return r;
  }
  take_turns(contenders);
  r.row = row;
  r.seconds = contenders[0].typical();
  r.memory = contenders[0].child->memory();
  double per = row.kind == "chain" ? 2 * static_cast<double>(row.sizes[0]) : 1;  // per operation of the chain
  r.seconds /= per;
  for (Contender& c : contenders) {
    double s = c.typical() / per;
    if (c.name == "heed") {
      if (c.threads != row.threads) r.scaling = s / r.seconds;
      continue;
    }
    r.peers.push_back({c.name, c.threads, s});
    if (r.peer.empty() || s < r.peer_seconds) {
      r.peer = fmt::format("{}, {} thr", c.name, c.threads);
      r.peer_seconds = s;
      r.peer_memory = c.child->memory();
    }
  }
  auto t = static_cast<size_t>(row.threads);
  if (row.unit == Row::gflops) r.fraction = row.amount / r.seconds / machine.flops[t];
  if (row.unit == Row::gigabytes) r.fraction = row.amount / r.seconds / machine.copied[t];
  r.goal_ratio = row.goal_ratio;
  if (const Json* old = recorded.find(row.id)) {
    double best = 0;
    for (const heed::io::Member& m : old->items()) {
      double value = m.value.as_number();
      if (m.key == "DyNet") r.dynet_seconds = value;
      if (m.key.rfind("libtorch", 0) == 0 && (best == 0 || value < best)) best = value;
    }
    if (row.goal_seconds > 0) r.goal_ratio = std::max(row.goal_ratio, best / row.goal_seconds);
  }
  return r;
}

// --- showing

const char* unit_of(const Row& row) {
  if (row.unit == Row::gflops) return "GFLOP/s";
  if (row.unit == Row::gigabytes) return "GB/s";
  if (row.unit == Row::bytes) return "B";
  return row.goal_seconds == 0 ? "ms" : row.goal_seconds < 1e-6 ? "ns" : row.goal_seconds < 1e-3 ? "us" : "ms";
}
double in_unit(const Row& row, double seconds) {
  if (row.unit != Row::time) return row.amount / seconds / 1e9;
  std::string unit = unit_of(row);
  return seconds * (unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3);
}
double value_of(const Result& r) { return r.row.unit == Row::bytes ? r.held : in_unit(r.row, r.seconds); }
std::string figure(double x) { return x >= 100 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x); }
std::string megabytes(double bytes) { return bytes <= 0 ? "-" : figure(bytes / 1e6); }
std::string yes_no(std::optional<bool> b) { return !b ? "-" : *b ? "met" : "not met"; }

std::string or_dash(bool known, const std::string& text) { return known ? text : "-"; }

// Two tables, so that each fits a terminal: against the peers, and against the machine.
void show(const std::vector<Result>& results, const heed::io::Console& console) {
  std::vector<std::vector<std::string>> peers, machine;
  for (const Result& r : results) {
    bool peer = !r.peer.empty();
    std::string threads = std::to_string(r.row.threads);
    peers.push_back({r.row.workload, threads, fmt::format("{} {}", figure(value_of(r)), unit_of(r.row)),
                     or_dash(peer, figure(in_unit(r.row, r.peer_seconds))), or_dash(peer, r.peer),
                     or_dash(peer, fmt::format("{:.2f}", r.ratio())),
                     or_dash(r.goal_ratio > 0, fmt::format("{:.2f}", r.goal_ratio)),
                     or_dash(r.dynet_seconds > 0, fmt::format("{:.1f}", r.dynet_seconds / r.seconds)),
                     yes_no(r.met())});
    machine.push_back({r.row.workload, threads, or_dash(r.fraction > 0, fmt::format("{:.2f}", r.fraction)),
                       or_dash(r.row.goal_fraction > 0, fmt::format("{:.2f}", r.row.goal_fraction)),
                       or_dash(r.scaling > 0, fmt::format("{:.2f}", r.scaling)), megabytes(r.memory.bytes),
                       or_dash(peer, megabytes(r.peer_memory.bytes)),
                       fmt::format("{:.0f}", r.memory.system_allocations)});
  }
  using heed::report::Align;
  auto print = [&](const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& cells,
                   std::initializer_list<size_t> left) {
    std::vector<Align> align(head.size(), Align::right);
    for (size_t column : left) align[column] = Align::left;
    for (const std::string& line : heed::report::table(head, cells, console, align)) fmt::print("{}\n", line);
  };
  print({"workload", "thr", "heed", "peer", "which", "ratio", "goal", "DyNet", "goals"}, peers, {0, 4, 8});
  fmt::print("\nratio: the best peer's time over ours. DyNet: its time on another machine ({}) over ours.\n\n",
             "tests/bench/recorded.json");
  print({"workload", "thr", "peak", "goal", "1 -> 2", "MB", "peer MB", "allocations"}, machine, {0});
}

Json to_json(const Result& r, const Machine& machine) {
  auto met = r.met();
  Json peers = Json::array();
  for (const Result::Peer& p : r.peers)
    peers.push(Json::object({{"name", p.name}, {"threads", p.threads}, {"value", in_unit(r.row, p.seconds)}}));
  return Json::object({{"id", r.row.id},
                       {"processor", machine.processor},
                       {"workload", r.row.workload},
                       {"unit", unit_of(r.row)},
                       {"threads", r.row.threads},
                       {"heed", value_of(r)},
                       {"dynet_recorded", r.dynet_seconds > 0 ? Json(in_unit(r.row, r.dynet_seconds)) : Json()},
                       {"peer", r.peer.empty() ? Json() : Json(in_unit(r.row, r.peer_seconds))},
                       {"peer_name", r.peer.empty() ? Json() : Json(r.peer)},
                       {"peers", std::move(peers)},
                       {"ratio", r.peer.empty() ? Json() : Json(r.ratio())},
                       {"fraction_of_peak", r.fraction > 0 ? Json(r.fraction) : Json()},
                       {"goal_ratio", r.goal_ratio > 0 ? Json(r.goal_ratio) : Json()},
                       {"goal_fraction", r.row.goal_fraction > 0 ? Json(r.row.goal_fraction) : Json()},
                       {"met", met ? Json(*met) : Json()},
                       {"scaling", r.scaling > 0 ? Json(r.scaling) : Json()},
                       {"bytes", r.memory.bytes},
                       {"peer_bytes", r.peer.empty() ? Json() : Json(r.peer_memory.bytes)},
                       {"system_allocations", r.memory.system_allocations}});
}

int run(int argc, char** argv) {
  std::string filter, json;
  bool profile = false, twins = false;
  heed::app::Options options("heed bench",
                             "Measures each workload with heed and with every peer library found on this machine.");
  options.add("--filter", &filter, "run only the rows whose id or text contains S").placeholder("S");
  options.add("--json", &json, "write the results as JSON to the file F").placeholder("F");
  options.flag("--profile", &profile,
               "instead of figures, show where the time of one repetition goes, by operation and module");
  options.flag("--twins", &twins, "compare fused operations with their composed twins, forward and backward");
  options.parse(argc, argv);
  std::vector<Row> chosen;
  for (Row& row : twins ? twin_rows() : rows())
    if (row.id.find(filter) != std::string::npos || row.workload.find(filter) != std::string::npos)
      chosen.push_back(std::move(row));
  if (chosen.empty()) throw heed::InputError(fmt::format("bench: --filter must leave a row; got \"{}\"", filter));

  Programs programs = programs_beside(
      argv[0], twins ? std::vector<std::string>{"composed"}
                     : std::vector<std::string>{"libtorch", "onnxruntime", "openblas", "blis", "onednn"});
  for (const Row& row : chosen) {
    if (!profile) break;
    fmt::print("{}, {} threads\n", row.workload, row.threads);
    Child child(programs.path("heed"), row.kind, row.sizes, row.threads);
    for (const std::string& line : child.profile()) fmt::print("{}\n", line);
    fmt::print("\n");
  }
  if (profile) return 0;
  Json recorded = heed::io::parse(heed::io::read_file(HEED_BENCH_FOLDER "/recorded.json"), "recorded.json");
  Machine machine = measure_machine(programs);
  fmt::print("machine: {}\n", machine.processor);
  fmt::print("limits: {:.0f} and {:.0f} GFLOP/s of multiply-adds, copies {:.1f} and {:.1f} GB/s, on 1 and 2 threads\n",
             machine.flops[1] / 1e9, machine.flops[2] / 1e9, machine.copied[1] / 1e9, machine.copied[2] / 1e9);
  fmt::print("peers: {}\n\n",
             programs.peers.empty() ? "none found" : fmt::format("{}", fmt::join(programs.peers, ", ")));
  std::vector<Result> results;
  Json out = Json::array();
  for (const Row& row : chosen) {
    heed::app::say(row.workload);
    results.push_back(measure(row, programs, machine, recorded.at("rows")));
    out.push(to_json(results.back(), machine));
    if (!json.empty()) heed::io::atomic_write(json, out.dump(2) + "\n");  // each row, so that an end loses none
  }
  show(results, heed::io::console(1));
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, bench::run); }
