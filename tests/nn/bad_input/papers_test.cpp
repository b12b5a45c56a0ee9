// What the papers refuse.
#include "nn/models/papers.h"

#include "nn/models/copying.h"
#include "nn/models/fixed_vector.h"
#include "nn/penalties.h"
#include "nn/train/attention_penalties.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
struct Unlisted {};
// What the paper says of these options: "luong readout=-1".
void refused(const char* row, const char* name, std::vector<std::pair<const char*, const char*>> options,
             nn::Vocabularies words = {5, 5}, int line = __builtin_LINE()) {
  refuses(
      row,
      [&] {
        nn::AnyPaper p = nn::paper_called(name);
        nn::set_called(p.fields(), "hidden", "2"), nn::set_called(p.fields(), "embedding", "2");
        for (auto [option, text] : options) nn::set_called(p.fields(), option, text);
        p.make(words, dice);
      },
      __FILE__, line);
}
}  // namespace

TEST_CASE("bad input: papers") {
  refuses("paper: name got bahdanu sutskever bahdanau nearest bahdanau", [] { nn::paper_called("bahdanu"); });
  refuses("paper: list papers.cpp got", [] { nn::paper_of_type(typeid(Unlisted)); });
  refuses("checkpoint: recurrent got checkpoint 2", [] {
    nn::paper_called("cho").make({5, 5}, dice)->set_checkpoint(2);
  });
  refused("Bahdanau: encoder.hidden [1, 16384] got 0", "bahdanau", {{"hidden", "0"}});
  refused("Luong: dropout [0, 1) got 1", "luong", {{"dropout", "1"}});
  refused("DeepFusion: decoder.tape [0, 1000000] got -1", "deep_fusion", {{"decoder.tape", "-1"}});
  refused("FixedVector: encoder.cell got gruu rnn gru", "cho", {{"cell", "gruu"}});
  refused("first state: first_backward got one", "luong", {{"start", "first_backward"}, {"bidirectional", "false"}});
  refused("first state: pooled got none", "bahdanau", {{"start", "pooled"}});
  refused("first state: nothing got mean last", "bahdanau", {{"pooling", "mean"}, {"start", "last"}});
  refused("Sutskever: zero got zeros", "sutskever", {{"start", "zeros"}});
  refused("decoder: one query got sinkhorn", "luong", {{"normaliser", "sinkhorn"}});
  refused("decoder: reader hard 1 got sigmoid", "bahdanau", {{"normaliser", "sigmoid"}, {"reader", "hard"}});
  refused("decoder: needs the weights got hard tiled", "luong",
          {{"reader", "hard"}, {"score", "general"}, {"evaluator", "tiled"}});
  refused("Luong: input feeding got readout -1", "luong", {{"input_feeding", "true"}, {"readout", "-1"}});
  refused("Luong: later got nystrom", "luong", {{"score", "general"}, {"evaluator", "nystrom"}});
  refused("rope: even got 5 4", "deep_fusion", {{"position", "rope"}, {"hidden", "4"}, {"embedding", "1"}});
  refuses("rope: even got 13 8", [] {  // before the trial makes all sizes small
    nn::AnyPaper paper = nn::paper_called("deep_fusion");
    for (auto [option, text] : {std::pair{"position", "rope"}, {"hidden", "8"}, {"embedding", "5"}})
      nn::set_called(paper.fields(), option, text);
    nn::try_out(paper);
  });
  refused("DeepFusion: cell lstmn got gru gru one direction 1", "deep_fusion", {{"cell", "gru"}});
  refused("DeepFusion: one size got 2 3", "deep_fusion", {{"decoder.hidden", "3"}});
  refuses("DeepFusion: one size got 16 24", [] {  // before the trial makes all sizes small
    nn::AnyPaper paper = nn::paper_called("deep_fusion");
    nn::set_called(paper.fields(), "encoder.hidden", "16"), nn::set_called(paper.fields(), "decoder.hidden", "24");
    nn::try_out(paper);
  });
  refused("decoder: transformer's got streaming auto", "luong", {{"evaluator", "streaming"}});
  refused("copying: one vocabulary got 5 6", "luong", {{"output", "pointer"}}, {5, 6});
  refused("copying: sum to 1 got mocha auto", "bahdanau", {{"output", "copynet"}, {"normaliser", "mocha"}});
  refused("copying: sum to 1 got softmax local_p", "bahdanau", {{"output", "copynet"}, {"scope", "local_p"}});
  refused("copying: sum to 1 got differential", "bahdanau",
          {{"output", "pointer"},
           {"hidden", "4"},
           {"bidirectional", "false"},
           {"score", "scaled_dot"},
           {"evaluator", "differential"}});
  refused("KeyValueAttention: divide got 3 2", "bahdanau", {{"memory", "key_value"}});
  refuses("copying: output that copies got softmax",
          [] { nn::Copying<nn::Luong>({.model = {}, .output = "softmax"}, dice); });
  refuses("train: penalties got one without", [] {
    nn::Penalties collected;
    nn::AttentionPenalties{.coverage_loss = 1}.add({}, Tensor::full({1, 2}, 4), Tensor::full({1}, 1));
  });
  refuses<IoError>("paper: name got parrot sutskever",
                   [] { nn::paper_from(io::parse(R"({"paper": "parrot"})", "a file")); });
}
