// Hints and checks of exercise 10.2.
#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/models/fixed_vector.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"
#include "tutorials/10_fixed_vector/exercises/2_greedy.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  static const app::CopyTraining training{.steps = 150, .lengths = {2, 5}, .rate = 1e-2};
  static const app::TrainedCopier copier =
      app::learn_to_copy("copying 2 to 5 symbols", nn::paper_of<nn::Cho>(app::copier_options<nn::Cho>(32)), training);
  const mine::Decoder model = mine::decoder_of(dynamic_cast<const nn::Cho&>(*copier.model));
  for (int64_t length : {2, 3, 5}) {
    data::Task task = app::sequences_of(length, training.symbols, 3, 1);
    for (const data::EncodedPair& pair : task.encode(task.test)) {
      data::Batch b = data::make_batch({pair}, {0});
      for (int64_t limit : {3, 20}) {
        auto tokens = nn::greedy(*copier.model->search(b.source, b.lengths), {.max_lengths = {limit}})[0].tokens;
        e.check(fmt::format("predicted after {} symbols with limit {}", length, limit),
                mine::write(model, b.source, b.lengths, limit), std::vector<double>(tokens.begin(), tokens.end()), 0);
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
  return e.run(argc, argv, examine);
}
