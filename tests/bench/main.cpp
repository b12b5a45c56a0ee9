// heed bench: every workload of rows.cpp, ours and each peer's found on this machine, in one run.
//
// The machine is measured first: multiply-adds a second, bytes copied a second, on one thread and on two. Then each
// row: all subjects are started, warmed, and take turns; the median of their turns counts, and of several runs the
// median of these. A peer runs on one thread and on two where the row allows two, and its better figure is the peer's.
// Times are for reading, never for a test.
//
//   ratio   the best peer's time over ours: above 1 we are ahead
//   peak    the share of the measured multiply-adds (GFLOP/s, and the products inside of a step), of a copy (GB/s), or
//           of a read of the same weights (words/s) that we reach
//   goal    the ratio to the best peer, or the share of the peak, that rows.cpp asks for. A goal in seconds becomes a
//           ratio: the time of libtorch in recorded.json divided by it
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
#include "tests/bench/result.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/report/terminal.h"

namespace bench {
namespace {

using heed::io::Json;

constexpr double kTurn = 0.1;  // seconds of a turn, or one repetition
constexpr int kTurns = 7;      // of each contender in a row
constexpr int kFewTurns = 3;   // the same, if the whole table is measured several times

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

// Turn about: whoever is slow for a moment, because the machine is shared, is so in one turn of seven. A peer that ends
// early or gives no number leaves the row. It may also end after its turns: then only its memory is missing.
void take_turns(std::vector<Contender>& contenders, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = 0; i < contenders.size();) try {
        contenders[i].seconds.push_back(contenders[i].child->run(kTurn));
        ++i;
      } catch (const heed::Error& e) {
        if (contenders[i].name == "heed") throw;
        heed::app::say(fmt::format("{}: {}", contenders[i].name, e.what()));
        contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(i));
      }
}

std::vector<Contender> contenders_of(const Row& row, const Programs& programs) {
  std::vector<Contender> all;
  auto join = [&](const std::string& name, int threads) {
    auto child = std::make_unique<Child>(programs.path(name), row.kind, row.sizes, threads);
    if (child->broken()) heed::app::say(fmt::format("{}: bench_{} does not start", name, name));
    if (child->ready()) all.push_back({name, threads, std::move(child), {}});
  };
  join("heed", row.threads);
  if (row.scaling && row.threads == 2) join("heed", 1);
  if (row.unit == Row::words)  // the limit: as many bytes read
    all.push_back(
        {"read",
         row.threads,
         std::make_unique<Child>(programs.path("heed"), "read", Sizes{static_cast<int64_t>(row.amount)}, row.threads),
         {}});
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
    take_turns(c, kTurns);
    double work = 2.0 * rounds * lanes * chains * threads;
    m.flops[threads] = work / *std::min_element(c[0].seconds.begin(), c[0].seconds.end());  // a limit: the best turn
    m.copied[threads] = 2.0 * 4 * 4096 * 1024 / c[1].typical();
  }
  return m;
}

Result measure(const Row& row, const Programs& programs, const Machine& machine, const Json& recorded, int turns) {
  std::vector<Contender> contenders = contenders_of(row, programs);
  if (contenders.empty() || contenders[0].name != "heed")
    throw heed::Error(fmt::format("bench: heed has no workload \"{}\"", row.kind));
  Result r;
  r.row = row;
  if (row.unit == Row::bytes) {
    r.held = contenders[0].child->peak() / row.amount;
    return r;
  }
  take_turns(contenders, std::min(turns, row.most_turns));
  const double per = row.kind == "chain" ? 2 * static_cast<double>(row.sizes[0]) : 1;  // per operation of the chain
  r.seconds = contenders[0].typical() / per;
  r.memory = contenders[0].child->memory();
  double read = 0;
  for (Contender& c : contenders) {
    double s = c.typical() / per;
    if (c.name == "read")
      read = s;
    else if (c.name != "heed")
      r.peers.push_back({c.name, c.threads, s, {}});
    else if (c.threads != row.threads)
      r.scaling = s / r.seconds;
  }
  if (const Result::Peer* best = r.best_peer())
    for (Contender& c : contenders)
      if (c.name == best->name && c.threads == best->threads) try {
          r.peers[static_cast<size_t>(best - r.peers.data())].memory = c.child->memory();
        } catch (const heed::Error& e) { heed::app::say(fmt::format("{}: {}", c.name, e.what())); }
  bool bytes = row.unit == Row::gigabytes;
  r.limit = (bytes ? machine.copied : machine.flops)[row.threads];
  if (row.unit == Row::words && read > 0) r.limit = row.amount / read;
  r.work = row.amount;
  if (row.unit == Row::time)  // the products on other threads of `translate` are not counted
    r.work = row.kind == "translate" ? 0 : contenders[0].child->operations();
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
  if (row.unit == Row::words) return "words/s";
  return row.goal_seconds == 0 ? "ms" : row.goal_seconds < 1e-6 ? "ns" : row.goal_seconds < 1e-3 ? "us" : "ms";
}
double in_unit(const Row& row, double seconds) {
  if (row.unit == Row::words) return 1 / seconds;
  if (row.unit != Row::time) return row.amount / seconds / 1e9;
  std::string unit = unit_of(row);
  return seconds * (unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3);
}
double value_of(const Result& r) { return r.row.unit == Row::bytes ? r.held : in_unit(r.row, r.seconds); }
std::string figure(double x) { return x >= 100 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x); }
std::string megabytes(double bytes) { return bytes <= 0 ? "-" : figure(bytes / 1e6); }
std::string yes_no(std::optional<bool> b) { return !b ? "-" : *b ? "met" : "not met"; }

std::string name_of(const Result::Peer& p) { return fmt::format("{}, {}", p.name, p.threads); }
std::string or_dash(bool known, const std::string& text) { return known ? text : "-"; }

// Two tables, so that each fits a terminal: against the peers, and against the machine.
void show(const std::vector<Result>& results, const heed::io::Console& console) {
  std::vector<std::vector<std::string>> peers, machine;
  for (const Result& r : results) {
    const Result::Peer* peer = r.best_peer();
    std::string threads = std::to_string(r.row.threads);
    peers.push_back({r.row.workload, threads, fmt::format("{} {}", figure(value_of(r)), unit_of(r.row)),
                     peer ? figure(in_unit(r.row, peer->seconds)) : "-", peer ? name_of(*peer) : "-",
                     or_dash(peer, fmt::format("{:.2f}", r.ratio())),
                     or_dash(r.goal_ratio > 0, fmt::format("{:.2f}", r.goal_ratio)),
                     or_dash(r.dynet_seconds > 0, fmt::format("{:.1f}", r.dynet_seconds / r.seconds)),
                     yes_no(r.met())});
    machine.push_back({r.row.workload, threads, or_dash(r.fraction() > 0, fmt::format("{:.2f}", r.fraction())),
                       or_dash(r.row.goal_fraction > 0, fmt::format("{:.2f}", r.row.goal_fraction)),
                       or_dash(r.scaling > 0, fmt::format("{:.2f}", r.scaling)), megabytes(r.memory.bytes),
                       peer ? megabytes(peer->memory.bytes) : "-", fmt::format("{:.0f}", r.memory.system_allocations)});
  }
  using heed::report::Align;
  auto print = [&](const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& cells,
                   std::initializer_list<size_t> left) {
    std::vector<Align> align(head.size(), Align::right);
    for (size_t column : left) align[column] = Align::left;
    for (const std::string& line : heed::report::table(head, cells, console, align)) fmt::print("{}\n", line);
  };
  print({"workload", "thr", "heed", "peer", "which, thr", "ratio", "goal", "DyNet", "goals"}, peers, {0, 4, 8});
  fmt::print(
      "\nthr: threads\npeer: the best other library, in the unit of heed's figure\nratio: its time over ours\n"
      "DyNet: its time on another machine ({}) over ours\n\n",
      "tests/bench/recorded.json");
  print({"workload", "thr", "peak", "goal", "1 -> 2", "MB", "peer MB", "allocations"}, machine, {0});
  fmt::print(
      "\npeak: share of the arithmetic or the memory bandwidth that the machine can reach\n1 -> 2: how many times "
      "faster with "
      "two threads\nMB: 10^6 bytes allocated at most\nallocations: calls of the system's allocator\n");
}

Json to_json(const Result& r, const Machine& machine, size_t runs) {
  auto met = r.met();
  const Result::Peer* best = r.best_peer();
  Json peers = Json::array();
  for (const Result::Peer& p : r.peers)
    peers.push(Json::object({{"name", p.name}, {"threads", p.threads}, {"value", in_unit(r.row, p.seconds)}}));
  return Json::object({{"id", r.row.id},
                       {"processor", machine.processor},
                       {"runs", runs},
                       {"limit", r.limit / 1e9},
                       {"workload", r.row.workload},
                       {"unit", unit_of(r.row)},
                       {"threads", r.row.threads},
                       {"heed", value_of(r)},
                       {"dynet_recorded", r.dynet_seconds > 0 ? Json(in_unit(r.row, r.dynet_seconds)) : Json()},
                       {"peer", best ? Json(in_unit(r.row, best->seconds)) : Json()},
                       {"peer_name", best ? Json(name_of(*best)) : Json()},
                       {"peers", std::move(peers)},
                       {"ratio", best ? Json(r.ratio()) : Json()},
                       {"fraction_of_peak", r.fraction() > 0 ? Json(r.fraction()) : Json()},
                       {"goal_ratio", r.goal_ratio > 0 ? Json(r.goal_ratio) : Json()},
                       {"goal_fraction", r.row.goal_fraction > 0 ? Json(r.row.goal_fraction) : Json()},
                       {"met", met ? Json(*met) : Json()},
                       {"scaling", r.scaling > 0 ? Json(r.scaling) : Json()},
                       {"bytes", r.memory.bytes},
                       {"peer_bytes", best ? Json(best->memory.bytes) : Json()},
                       {"system_allocations", r.memory.system_allocations}});
}

int run(int argc, char** argv) {
  std::string filter, json;
  bool profile = false, twins = false;
  int64_t runs = 1;
  heed::app::Options options("heed bench",
                             "Measures each workload with heed and with every peer library found on this machine.");
  options.add("--filter", &filter, "run only the rows whose id or text contains S").placeholder("S");
  options.add("--json", &json, "write the results as JSON to the file F").placeholder("F");
  options.add("--runs", &runs, "measure the whole table N times, with fewer turns, and show medians")
      .between(1, 100)
      .placeholder("N");
  options.flag("--profile", &profile,
               "instead of figures, show where the time of one repetition goes, by operation and module");
  options.flag("--twins", &twins, "compare fused operations with their composed twins, forward and backward");
  options.parse(argc, argv);
  if (profile && (runs > 1 || !json.empty()))
    throw heed::InputError("bench: --profile shows one repetition as text; leave out --runs and --json");
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
    fmt::print("{}, {} thread{}\n", row.workload, row.threads, row.threads == 1 ? "" : "s");
    Child child(programs.path("heed"), row.kind, row.sizes, row.threads);
    for (const std::string& line : child.profile()) fmt::print("{}\n", line);
    fmt::print("\n");
  }
  if (profile) return 0;
  Json recorded = heed::io::parse(heed::io::read_file(HEED_BENCH_FOLDER "/recorded.json"), "recorded.json");
  const int turns = runs == 1 ? kTurns : kFewTurns;
  std::vector<std::vector<Result>> measured(chosen.size());  // each row, each run
  std::vector<Result> results;
  for (int64_t i = 0; i < runs; ++i) {
    Machine machine = measure_machine(programs);
    if (i == 0)
      fmt::print("machine: {}\npeers: {}\n", machine.processor,
                 programs.peers.empty() ? "none found" : fmt::format("{}", fmt::join(programs.peers, ", ")));
    fmt::print(
        "limits: {:.0f} and {:.0f} GFLOP/s of multiply-adds, copies {:.1f} and {:.1f} GB/s, on 1 and 2 threads\n",
        machine.flops[1] / 1e9, machine.flops[2] / 1e9, machine.copied[1] / 1e9, machine.copied[2] / 1e9);
    std::fflush(stdout);
    if (machine.flops[2] < 1.5 * machine.flops[1])
      heed::app::say("two threads are hardly faster than one: other programs use the machine, so the figures mislead");
    for (size_t row = 0; row < chosen.size(); ++row) {
      heed::app::say(runs == 1 ? chosen[row].workload : fmt::format("run {}: {}", i + 1, chosen[row].workload));
      measured[row].push_back(measure(chosen[row], programs, machine, recorded.at("rows"), turns));
      results.clear();
      Json out = Json::array();
      for (const std::vector<Result>& of_row : measured)
        if (!of_row.empty()) {
          results.push_back(medians(of_row));
          out.push(to_json(results.back(), machine, of_row.size()));
        }
      if (!json.empty()) heed::io::atomic_write(json, out.dump(2) + "\n");  // each row, so that an end loses none
    }
  }
  fmt::print("\n");
  show(results, heed::io::console(1));
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, bench::run); }
