// How lessons print: sentences wrapped under themselves.
#include "tutorials/common/show.h"

#include <doctest/doctest.h>

#include "tensor/error.h"
#include "tests/refuses.h"

using namespace heed;
using heed::bad_input::refuses;

TEST_SUITE("unit") {
  TEST_CASE("a sentence is wrapped under its own beginning, or under the label where that leaves too little") {
    CHECK(app::item_text("sign", "short", 80) == "   sign  short");
    CHECK(app::item_text("sign", "", 80) == "   sign ");
    CHECK(app::item_text("sign", "the gradient has the wrong sign in every one of its places", 40) ==
          "   sign  the gradient has the wrong\n         sign in every one of its places");
    CHECK(app::item_text("a label of some length", "and the words that follow it", 40) ==
          "   a label of some length  and the\n          words that follow it");
  }

  TEST_CASE("a matrix to draw keeps rows and columns, views too") {
    Tensor t = Tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1);
    report::Matrix m = app::matrix_of(t);
    CHECK(m.rows == 3);
    CHECK(m.columns == 2);
    CHECK(m.value(2, 1) == 6);
    refuses<ShapeError>("matrix_of: matrix got [2]", [&] { app::matrix_of(t.select(0, 0)); });
  }
}
