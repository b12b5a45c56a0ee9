// The whole sentences that users see most. The other rows of this folder leave the wording free.
#include <algorithm>

#include "tests/nn/bad_input/refuses.h"

using namespace heed::bad_input;

TEST_CASE("all rows: the sentences that users see most") {
  const auto rows = refusals_of("tests/nn/bad_input/");
  // clang-format off
  for (const char* sentence : {
    R"(reshape: the number of elements must stay; got [2] (2 elements) to [3])",
    R"(view: the strides do not allow it without a copy; got [3, 2] with strides [1, 3] to [6]; hint: reshape copies)",
    R"(add: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3))",
    R"(add: both must have one dtype; got a f32 [2, 3] and b f64 [2, 3]; convert one with to(...))",
    R"(exp: takes f32 or f64; got i64; convert with to(DType::f32))",
    R"(transpose: axis must lie in [-2, 2); got axis 2)",
    R"(matmul: inner sizes must agree; got a [2, 3] and b [2, 3] (3 vs 2))",
    R"(matmul: both must have at least one axis; got a [] and b [2, 3]; hint: use mul for scalars)",
    R"(einsum: operand 1 of "ijk->i" needs 3 axes; got [2, 3])",
    R"(cross_entropy: targets must be i64; got f32 [2])",
    R"(backward: the graph was already freed at sum; pass retain_graph to the first pass)",
    R"(backward: a value with more than one element needs a seed; got [2]; hint: sum it first)",
    R"(backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?)",
    R"(fill_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new value)",
    R"(GRU: needs x [B, T, 3] with T at least 1; got [5, 3]; hint: unsqueeze(x, 0) is a batch of one)",
    R"(linear: x [.., I] and w [O, I] must agree in I; got x [2, 4] and w [2, 3])",
    R"(catalogue: no entry of this id or name; got `Z9`; ./heed attention --list shows all)",
    R"(attention: a setting must be a number; got `wide` in `window:wide`; hint: as in dilated:4,gap=2)",
    R"(window: no setting of this name; got `gap`; there are window)",
    R"(causal: it has no settings; got `causal:3`)",
    R"(FixedVector: no encoder.cell of this name; got `gruu`; there are rnn, gru, lstm, lstmn)",
    R"(Bahdanau: encoder.hidden must lie in [1, 16384]; got 0)",
    R"(first state: first_backward needs an encoder of two directions; got one direction; use last or mean)",
    R"(Transformer: the heads must divide the width of the model; got 3 heads of 4)",
    R"(Transformer: no activation of this name; got `tanh`; there are relu, gelu, geglu, swiglu)",
    R"(chunked: chunk must be an integer in [1, 1000000000]; got 0)",
    R"(read: the file must exist and be readable; got "~/missing.txt" (No such file or directory))",
    R"(read: a file is needed; got the folder "~")",
    R"(read: the file must not be empty; got "~/empty.txt")",
    R"(read: every line must be source TAB target; got one column in line 2 of "~/one.tsv": "only one")",
    R"(read: text must be UTF-8; got UTF-16 in "~/wide.txt"; convert it with iconv -f UTF-16 -t UTF-8)",
    R"(read: parallel files must have the same number of lines; got 2 in "~/two.txt" and 1 in "~/single.txt")",
    R"(write: cannot write "~": Is a directory)",
    R"(c.json: key "b" is missing)",
    R"(load: "~/t": must be a translator saved by heed; got a file without heed.kind)",
    R"(load: "~/t": the parameters must fit the sizes and vocabularies that the file names)",
    R"(load: "~/run#progress": a run must go on with the pairs that it began with, 7; got 1)",
    R"(train: a folder takes one writer at a time; got "~/taken", where another is at work; hint: --out names another folder)",
    R"(train: needs at least one training pair; got none)",
    R"(bleu: hypotheses and references must be equal in number, and at least one; got 2 and 1)",
  }) {
    // clang-format on
    CHECK_MESSAGE(std::any_of(rows.begin(), rows.end(), [&](const Refusal& r) { return r.sentence == sentence; }),
                  "no row says: ", sentence);
  }
}
