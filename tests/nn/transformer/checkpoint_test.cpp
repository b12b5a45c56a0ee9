// A stack whose layers are checkpointed: the bits of the plain stack, with less kept in between.
#include "nn/observe.h"
#include "nn/penalties.h"
#include "nn/train/fit.h"
#include "tests/autograd/leak_free.h"
#include "tests/nn/io/support.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Transformer;
using nn::TransformerOptions;

namespace {

TransformerOptions three_layers() {
  TransformerOptions o = small_transformer();
  o.encoder_layers = o.decoder_layers = 3;
  o.dropout = 0.2;
  return o;
}

// The loss, the gradients, and what the model reports while it is trained for one step; checkpoint 0: none.
struct Step {
  std::vector<Tensor> bits;  // the loss, and all gradients
  std::map<std::string, double> penalties;
  int64_t kept = 0;  // tensors that the graph holds before backward
};
Step step(const TransformerOptions& options, int64_t checkpoint) {
  auto m = make<Transformer>(options, 1);
  m.set_checkpoint(checkpoint);
  int64_t before = live_storages();
  nn::Penalties collected;
  Variable loss =
      weighted_sum(m(ids({4, 5, 6, 7, 8, 5, 0, 0}, {2, 4}), row({4, 2}).reshape({2}), ids({2, 7, 6, 2, 4, 8}, {2, 3})));
  Step out{{loss.value()}, collected.values(), 0};
  if (!collected.empty()) loss = loss + collected.total();
  out.kept = live_storages() - before;
  backward(loss);
  for (Tensor& g : gradients(m)) out.bits.push_back(g);
  return out;
}

}  // namespace

TEST_CASE("checkpointed layers: the same loss and gradients to the bit, with every scheme of positions") {
  for (const std::string& positions : position_schemes())
    for (bool norm_first : {false, true}) {
      TransformerOptions o = three_layers();
      o.positions = positions, o.norm_first = norm_first;
      if (positions.starts_with("rope")) o.model = 24, o.heads = 3;
      CAPTURE(positions);
      Step plain = step(o, 0);
      for (int64_t layers : {1, 2, 3, 7}) {
        CAPTURE(layers);
        CHECK(same_bits(step(o, layers).bits, plain.bits));
      }
    }
}

TEST_CASE("checkpointed layers: with every evaluator and with stages that draw numbers or add penalties") {
  std::vector<std::string> mixers{"adaptive_span:4,penalty=0.5", "attention,window:1"};
  for (nn::Kind kind : {nn::Kind::evaluator, nn::Kind::mixer})
    for (const std::string& name : nn::stage_names(kind)) mixers.push_back(name);
  int ran = 0;
  for (const std::string& mixer : mixers) {
    CAPTURE(mixer);
    TransformerOptions o = three_layers();
    o.mixers = mixer;
    try {
      step(o, 0);
    } catch (const ValueError&) { continue; }  // an evaluator that these stages do not suit
    ++ran;
    Step plain = step(o, 0), saving = step(o, 2);
    CHECK(same_bits(saving.bits, plain.bits));
    CHECK(saving.penalties == plain.penalties);
    const bool penalised = mixer.starts_with("adaptive_span") || mixer == "lightning_index" || mixer == "vq_attention";
    CHECK(plain.penalties.empty() == !penalised);
  }
  CHECK(ran >= 6);
}

TEST_CASE("checkpointed layers: what a layer passes on to the next crosses from one checkpoint to another") {
  for (int option : {0, 1, 2, 3}) {
    TransformerOptions o = three_layers();
    o.around["value_residual"].on = option % 2 == 0, o.around["score_residual"].on = option == 1 || option == 2;
    o.shared_keys = option == 3 ? 3 : 1;
    CAPTURE(option);
    Step plain = step(o, 0);
    for (int64_t layers : {1, 2, 3}) {  // gradients from several later checkpoints are added in another order
      Step saving = step(o, layers);
      REQUIRE(saving.bits.size() == plain.bits.size());
      CHECK(same_bits({saving.bits[0]}, {plain.bits[0]}));
      for (size_t i = 1; i < plain.bits.size(); ++i) CHECK(relative_error(saving.bits[i], plain.bits[i]) < 1e-5);
    }
  }
}

TEST_CASE_FIXTURE(LeakFree, "checkpointed layers: their inner values are not kept, with penalties or without") {
  for (const char* mixer : {"", "adaptive_span:4,penalty=0.5"}) {
    TransformerOptions o = three_layers();
    o.mixers = mixer;
    int64_t parameters = 0;
    {
      auto m = make<Transformer>(o, 1);
      parameters = std::ssize(nn::named_parameters(m));
    }
    int64_t plain = step(o, 0).kept, saving = step(o, 1).kept;
    CHECK(parameters > 0);
    CHECK(plain > 6 * 12);           // six layers of at least a dozen values
    CHECK(saving < plain - 6 * 10);  // of which a checkpoint keeps one or two
  }
}

TEST_CASE("checkpointed layers: attention is reported once, and whoever looks during backward changes nothing") {
  TransformerOptions o = three_layers();
  int reports[2]{};
  for (int checkpoint : {0, 1}) {
    auto m = make<Transformer>(o, 1);
    m.set_checkpoint(checkpoint);
    nn::Observe observe([&](const nn::AttentionSeen&) { ++reports[checkpoint]; });
    backward(sum(m(row({4, 5, 6}), row({3}).reshape({1}), row({2, 7}))));
  }
  CHECK(reports[0] == 9);
  CHECK(reports[1] == 9);
  o.evaluator = "tiled", o.dropout = 0;
  auto m = make<Transformer>(o, 1);
  m.set_checkpoint(1);
  Variable loss = sum(m(row({4, 5, 6}), row({3}).reshape({1}), row({2, 7})));
  int late = 0;
  nn::Observe observe([&](const nn::AttentionSeen&) { ++late; });
  CHECK_NOTHROW(backward(loss));
  CHECK(late == 0);
}

TEST_CASE("checkpointed layers: a training run ends with the same bits, and may change its mind when resumed") {
  std::vector<data::EncodedPair> pairs;
  Generator rng(5);
  for (int i = 0; i < 12; ++i) {
    data::EncodedPair p;
    for (int64_t k = 1 + rng.below(4); k > 0; --k) p.source.push_back(4 + rng.below(4));
    p.target.assign(p.source.rbegin(), p.source.rend());
    pairs.push_back(p);
  }
  auto trained = [&](int64_t checkpoint, int64_t then) {
    nn::FitOptions how{.epochs = 2, .batch_size = 4, .accumulate = 2, .checkpoint = checkpoint};
    auto m = make<Transformer>(three_layers(), 1);
    nn::FitRun run(nn::fit_model(m), pairs, pairs, how);
    run.step();
    CHECK(m.encoder.checkpoint == checkpoint);
    if (then != checkpoint) {
      io_test::Folder folder;
      run.save(folder / "last");
      how.checkpoint = then;
      auto other = make<Transformer>(three_layers(), 2);
      nn::FitRun again(nn::fit_model(other), pairs, pairs, how);
      again.load(folder / "last");
      while (!again.done()) again.step();
      std::vector<Tensor> values;
      for (auto& p : nn::named_parameters(other)) values.push_back(p.variable.value().clone());
      return values;
    }
    while (!run.done()) run.step();
    std::vector<Tensor> values;
    for (auto& p : nn::named_parameters(m)) values.push_back(p.variable.value().clone());
    return values;
  };
  std::vector<Tensor> plain = trained(0, 0);
  CHECK(same_bits(trained(2, 2), plain));
  CHECK(same_bits(trained(1, 0), plain));
  CHECK(same_bits(trained(0, 3), plain));
}
