// What the catalogue and hard attention refuse.
#include "nn/attention/catalogue.h"
#include "nn/attention/readers/hard.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: catalogue and hard attention") {
    refuses<ValueError>("catalogue: no entry of this id or name; got `Z9`; ./heed attention --list shows all",
                        [] { nn::catalogue_entry("Z9"); });
    refuses<ShapeError>("hard attention: needs weights [B, T, S] and values [B, S, D]; got [1, 2, 3] and [1, 4, 2]",
                        [] {
                          nn::HardReader reader({}, dice);
                          reader(constant({1, 2, 3}), constant({1, 4, 2}));
                        });
    refuses<ShapeError>("hard attention: needs a choice for each query, [B, T]; got [2] and weights [1, 1, 1]", [] {
      nn::read_chosen(constant({1, 1, 1}), constant({1, 1, 2}), wholes({2}));
    });
    refuses<ValueError>("hard attention: needs rows that sum to 1, or to 0; got 3", [] {
      nn::HardReader reader({}, dice);
      reader(constant({1, 2, 3}), constant({1, 3, 2}));
    });
    refuses<ValueError>("hard attention: needs rows that sum to 1, or to 0; got nan", [] {
      nn::HardReader reader({}, dice);
      reader(Variable(Tensor::full({1, 2, 3}, kNan)), constant({1, 3, 2}));
    });
    refuses<IndexError>("one_hot: an index must lie in [0, 1); got 1 at position 0", [] {
      nn::read_chosen(constant({1, 1, 1}), constant({1, 1, 2}), wholes({1, 1}));
    });
    refuses<ValueError>("hard attention: the share that reads softly must lie in [0, 1]; got 1.5",
                        [] { nn::HardReader({.soft = 1.5}, dice); });
    refuses<ValueError>("reinforce: the decay of the baseline must lie in [0, 1); got 1",
                        [] { nn::Reinforce({.decay = 1}, dice); });
    refuses<ShapeError>(
        "reinforce: needs the log-likelihood [B] and, of its choices, log-probability and entropy [B, T]; got [2], "
        "[3, 4] and [3, 4]",
        [] {
          nn::Reinforce loss({}, dice);
          loss(constant({2}), constant({3, 4}), constant({3, 4}));
        });
  }
}
