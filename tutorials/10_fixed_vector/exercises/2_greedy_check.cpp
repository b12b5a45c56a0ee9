// Hints, common mistakes and checks of exercise 10.2.
#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/decode/seq2seq_search.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"
#include "tutorials/10_fixed_vector/exercises/2_greedy.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using M = const nn::Seq2Seq&;
using T = const Tensor&;
constexpr int64_t kStart = text::Vocabulary::start, kStop = text::Vocabulary::stop;

struct Variant {
  int64_t start = kStart;
  bool feed = true, keep = true, stop = true, write_stop = false, minimum = false;
  int64_t extra = 0;  // symbols beyond the limit
};
// The right answer with one part exchanged.
std::vector<double> decoded(M model, T source, T lengths, int64_t limit, const Variant& v) {
  NoGrad guard;
  auto [memory, state] = model.encode(source, lengths);
  std::vector<double> written;
  int64_t last = v.start;
  while (std::ssize(written) < limit + v.extra) {
    const int64_t read = v.feed ? last : v.start;
    nn::Seq2Seq::Step s = model.step(model.embed_target(Tensor::from(std::vector<int64_t>{read}, {1})), state, memory);
    if (v.keep) state = s.state;
    Tensor logits = model.logits(s.features).value();
    last = static_cast<int64_t>((v.minimum ? argmin(logits, 1) : argmax(logits, 1)).item());
    if (last == kStop && v.stop) {
      if (v.write_stop) written.push_back(static_cast<double>(last));
      break;
    }
    written.push_back(static_cast<double>(last));
  }
  return written;
}

const std::vector<app::Mistake<decltype(&mine::write)>> mistakes{
    {"The gap is still open: only the first symbol is predicted",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, std::min<int64_t>(limit, 1), {.stop = false}); }},
    {"The decoder reads <s> at every step: it must read the symbol that it has just predicted",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.feed = false}); }},
    {"Every step starts from the state of the encoder: assign s.state to state after each step",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.keep = false}); }},
    {"The decoder goes on after </s>: leave the loop when it is predicted",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.stop = false}); }},
    {"</s> is written: leave the loop before the symbol is added",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.write_stop = true}); }},
    {"One symbol too many is written: stop when `limit` symbols are written, with < and not <=",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.extra = 1}); }},
    {"One symbol too few is written: write up to `limit` symbols",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.extra = -1}); }},
    {"The decoder starts with </s>: its first input is <s>, text::Vocabulary::start",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.start = kStop}); }},
    {"The least likely symbol is taken: use argmax",
     [](M m, T s, T n, int64_t limit) { return decoded(m, s, n, limit, {.minimum = true}); }},
};

void examine(app::Exercise& e, const decltype(&mine::write)& write) {
  static const app::CopyTraining training{.steps = 150, .lengths = {2, 5}, .rate = 1e-2};
  static const app::Copier copier =
      app::learn_to_copy("copying 2 to 5 symbols", app::copier_options("every_step", 32), training);
  for (int64_t length : {2, 3, 5}) {
    data::Task task = app::sequences_of(length, training.symbols, 3, 1);
    for (const data::EncodedPair& pair : task.encode(task.test)) {
      data::Batch b = data::make_batch({pair}, {0});
      for (int64_t limit : {3, 20}) {
        nn::Seq2SeqSearch search(copier.model, b.source, b.lengths);
        auto tokens = nn::greedy(search, {.max_lengths = {limit}})[0].tokens;
        e.check(fmt::format("predicted after {} symbols with limit {}", length, limit),
                write(copier.model, b.source, b.lengths, limit), std::vector<double>(tokens.begin(), tokens.end()), 0);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 2, "Greedy decoding");
  e.hint("Put a loop around the gap: as long as fewer than `limit` symbols are written.");
  e.hint("The state of the next step is s.state.");
  e.hint("</s> is text::Vocabulary::stop. It ends the loop and is not written.");
  e.insight(
      "In training the decoder read right symbols; here it reads its own, and a wrong one misleads all that follow.\n"
      "Greedy decoding never revises a symbol: beam search (lesson 13) keeps several candidates instead.",
      "./heed exercise 10 3");
  return e.run(argc, argv, mine::write, examine, mistakes);
}
