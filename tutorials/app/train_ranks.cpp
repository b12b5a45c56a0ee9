#include "tutorials/app/train_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>

#include "distributed/join.h"
#include "nn/io/file.h"
#include "nn/io/pack.h"
#include "tensor/error.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/common/version.h"

namespace heed::app {
namespace {

// The running program; its version where the system does not show its file.
std::string own_program() {
  try {
    return io::read_file("/proc/self/exe");
  } catch (const IoError&) { return version(); }
}

void add_pairs(io::Packer& out, const std::vector<text::TokenPair>& pairs) {
  out.add(std::ssize(pairs));
  for (const text::TokenPair& pair : pairs)
    for (const std::vector<std::string>* side : {&pair.source, &pair.target}) {
      out.add(std::ssize(*side));
      for (const std::string& token : *side) out.add(token);
    }
}

std::vector<text::TokenPair> pairs_in(io::Unpacker& in) {
  std::vector<text::TokenPair> pairs(static_cast<size_t>(in.number()));
  for (text::TokenPair& pair : pairs)
    for (std::vector<std::string>* side : {&pair.source, &pair.target}) {
      side->resize(static_cast<size_t>(in.number()));
      for (std::string& token : *side) token = in.text();
    }
  return pairs;
}

// Of a process that is killed, MPICH's launcher and Intel's say the number and the machine only; others say the rank.
void tell_processes(nn::Ranks& ranks) {
  const std::string launcher = distributed::launched_by();
  if (launcher != "PMI_RANK" && launcher != "MPI_LOCALRANKID") return;
  const std::vector<std::string> all = ranks.gather(fmt::format("process {} on {}", getpid(), ranks.host()));
  std::string list;
  for (size_t r = 0; r < all.size(); ++r) list += fmt::format("{}rank {} is {}", r ? ", " : "", r, all[r]);
  if (ranks.root()) say("heed: " + list);
}

}  // namespace

int with_ranks(int argc, char** argv, const std::function<int(nn::Ranks&, int, char**)>& work) {
  nn::Ranks& ranks = distributed::join();
  if (!distributed::joined()) return work(ranks, argc, argv);
  if (!ranks.root() && !std::freopen("/dev/null", "w", stdout)) return 3;
  bool ended = true;
  int code = run_main(argc, argv, [&](int c, char** v) {
    try {
      return work(ranks, c, v);
    } catch (const ExitProgram&) { throw; } catch (const std::exception& error) {
      if (ranks.root()) throw;
      // Rank 0 may have met the same error, and then tells it.
      ended = distributed::all_leave(/*failed=*/true);
      if (ended) return dynamic_cast<const InputError*>(&error) ? 2 : 3;
      say(fmt::format("heed: rank {} ({}) ends the job:", ranks.rank(), ranks.host()));
      throw;
    }
  });
  if (ranks.root() || (code == 0 || code == 130)) ended = distributed::all_leave(code != 0 && code != 130);
  distributed::leave(code, ended);
  return code;
}

std::string from_root(nn::Ranks& ranks, const std::function<std::string()>& make) {
  if (ranks.size() == 1) return make();
  std::string text = "+";
  if (ranks.root()) {
    try {
      text += make();
    } catch (...) {
      text = "-";
      ranks.broadcast(text);
      throw;
    }
  }
  ranks.broadcast(text);
  if (text[0] == '-') throw InputError("train: rank 0 has ended");  // told by nobody
  return text.substr(1);
}

void require_one_program(nn::Ranks& ranks, int argc, char** argv) {
  if (ranks.size() == 1) return;
  tell_processes(ranks);
  nn::require_same(ranks, "program", own_program());
  io::Packer options;
  for (int i = 1; i < argc; ++i) options.add(argv[i]);
  nn::require_same(ranks, "options", options.bytes);
}

std::string packed(const TranslateData& d) {
  io::Packer out;
  for (const text::Tokenizer* t : {&d.tokenizers.source, &d.tokenizers.target})
    out.add(static_cast<int64_t>(t->kind)), out.add(static_cast<int64_t>(t->spacing));
  out.add(d.bpe ? fmt::format("{}", fmt::join(d.bpe->to_lines(), "\n")) : "");
  out.add(static_cast<int64_t>(d.fingerprint));
  add_pairs(out, d.train), add_pairs(out, d.validation);
  return out.bytes;
}

TranslateData unpacked_data(const std::string& bytes) {
  io::Unpacker in(bytes);
  TranslateData d;
  for (text::Tokenizer* t : {&d.tokenizers.source, &d.tokenizers.target}) {
    t->kind = static_cast<text::Tokenizer::Kind>(in.number());
    t->spacing = static_cast<text::Spacing>(in.number());
  }
  if (const std::string pieces = in.text(); !pieces.empty()) {
    std::vector<std::string> lines{""};
    for (char c : pieces) {
      if (c == '\n')
        lines.emplace_back();
      else
        lines.back() += c;
    }
    d.bpe = text::Bpe::from_lines(lines);
  }
  d.fingerprint = static_cast<uint64_t>(in.number());
  d.train = pairs_in(in), d.validation = pairs_in(in);
  return d;
}

}  // namespace heed::app
