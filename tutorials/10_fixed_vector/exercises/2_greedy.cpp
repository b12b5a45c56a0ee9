#include "tutorials/10_fixed_vector/exercises/2_greedy.h"

#include "autograd/modes.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"

namespace mine {

using namespace heed;

// | // The gap predicts the first symbol only.
std::vector<double> write(const Decoder& model, const Tensor& source, const Tensor& lengths, int64_t limit) {
  NoGrad guard;
  auto [h, state] = model.encode(source, lengths);
  std::vector<double> written;
  int64_t last = text::Vocabulary::start;
  // ---- the gap: feed the prediction back, keep the state, stop ----
  // | Variable y = model.embed(Tensor::from(std::vector<int64_t>{last}, {1}));  // [1, E]
  // | nn::Step s = model.step(y, state, h);
  // | last = static_cast<int64_t>(argmax(model.logits(s.features).value(), 1).item());
  // | if (limit > 0) written.push_back(static_cast<double>(last));
  // ---- filled ----
  while (std::ssize(written) < limit) {
    Variable y = model.embed(Tensor::from(std::vector<int64_t>{last}, {1}));  // [1, E]
    nn::Step s = model.step(y, state, h);
    state = s.state;
    last = static_cast<int64_t>(argmax(model.logits(s.features).value(), 1).item());
    if (last == text::Vocabulary::stop) break;
    written.push_back(static_cast<double>(last));
  }
  // ---- end of the gap ----
  return written;
}

}  // namespace mine
