// The graph as data and in the DOT language.
#include "autograd/picture.h"

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

TEST_CASE_FIXTURE(LeakFree, "picture: boxes, arrows and nested clusters") {
  Variable x(Tensor::ones({2, 3}), Variable::kRequiresGrad), w(Tensor::ones({3, 4}), Variable::kRequiresGrad), loss;
  {
    NameScope outer("encoder");
    Variable h;
    {
      NameScope inner("cell");
      h = matmul(x, w);
    }
    loss = sum(h + h);
  }
  GraphPicture p = picture(loss, {{"x", x}, {"w", w}});
  REQUIRE(p.boxes.size() == 5);
  CHECK(p.boxes[2].operation == "matmul");
  CHECK(p.boxes[2].module == "encoder.cell");
  CHECK(p.boxes[2].shapes == "[2, 4]");
  CHECK(p.boxes[2].bytes == 32);
  CHECK(to_dot(p) ==
        "digraph heed {\n"
        "  rankdir=BT;\n"
        "  node [shape=box, fontname=\"monospace\"];\n"
        "  n0 [label=\"x\\n[2, 3] 24 B\", style=filled, fillcolor=lightgrey];\n"
        "  n1 [label=\"w\\n[3, 4] 48 B\", style=filled, fillcolor=lightgrey];\n"
        "  subgraph \"cluster_encoder\" {\n"
        "    label=\"encoder\";\n"
        "    n3 [label=\"add\\n[2, 4] 32 B\"];\n"
        "    n4 [label=\"sum\\n[] 4 B\"];\n"
        "    subgraph \"cluster_encoder.cell\" {\n"
        "      label=\"cell\";\n"
        "      n2 [label=\"matmul\\n[2, 4] 32 B\"];\n"
        "    }\n"
        "  }\n"
        "  n0 -> n2;\n"
        "  n1 -> n2;\n"
        "  n2 -> n3;\n"
        "  n2 -> n3;\n"
        "  n3 -> n4;\n"
        "}\n");
  backward(loss);
  CHECK(picture(loss).boxes.size() == 1);  // a freed graph shows what is left
  CHECK(picture(Variable(Tensor::ones({2}))).boxes.empty());
}

TEST_CASE_FIXTURE(LeakFree, "picture: a name with quotes stays one label") {
  Variable x(Tensor::ones({1}), Variable::kRequiresGrad);
  std::string dot = to_dot(picture(x * 2, {{"the \"x\" \\ here", x}}));
  CHECK(dot.find("label=\"the \\\"x\\\" \\\\ here\\n[1] 4 B\"") != std::string::npos);
}
