// Exercise 10.2: greedy decoding.
//
// A trained decoder has no teacher. It reads what it wrote, and stops when it writes </s>:
//
//   y_0 = <s>        y_t = the likeliest symbol after step(y_{t-1}, state)        until </s>, or `limit` symbols
//
// What stands in the gap writes the likeliest first symbol, and forgets to go on.
#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/decode/seq2seq_search.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// source [1, S], lengths [1] -> the ids written, without </s>
std::vector<double> write(const nn::Seq2Seq& model, const Tensor& source, const Tensor& lengths, int64_t limit) {
  NoGrad guard;
  auto [memory, state] = model.encode(source, lengths);
  std::vector<double> written;
  int64_t last = text::Vocabulary::start;
  // ---- the gap: feed back, keep the state, stop ----
  Variable y = model.embed_target(Tensor::from(std::vector<int64_t>{last}, {1}));  // [1, E]
  nn::Seq2Seq::Step s = model.step(y, state, memory);
  last = static_cast<int64_t>(argmax(model.logits(s.features).value(), 1).item());
  if (limit > 0) written.push_back(static_cast<double>(last));
  // ---- end of the gap ----
  return written;
}

}  // namespace

int main(int argc, char** argv) {
  app::Exercise e("10", 2, "Greedy decoding");
  e.hint("Put a loop around it: as long as fewer than `limit` symbols are written.");
  e.hint("The state of the next step is s.state. </s> is text::Vocabulary::stop; it ends the loop and is not written.");
  return e.run(argc, argv, [&] {
    app::CopyTraining training{.steps = 150, .lengths = {2, 5}, .rate = 1e-2};
    app::Copier copier = app::learn_to_copy("copying 2 to 5 symbols", app::copier_options("every_step", 32), training);
    for (int64_t length : {2, 3, 5}) {
      data::Task task = app::sequences_of(length, training.symbols, 3, 1);
      for (const data::EncodedPair& pair : task.encode(task.test)) {
        data::Batch b = data::make_batch({pair}, {0});
        for (int64_t limit : {3, 20}) {
          nn::Seq2SeqSearch search(copier.model, b.source, b.lengths);
          auto tokens = nn::greedy(search, {.max_lengths = {limit}})[0].tokens;
          e.check(fmt::format("written after {} symbols with limit {},", length, limit),
                  write(copier.model, b.source, b.lengths, limit), std::vector<double>(tokens.begin(), tokens.end()),
                  0);
        }
      }
    }
  });
}
