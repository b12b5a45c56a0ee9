// Every paper, by its name and its options: teacher forcing is the steps of a search, padding changes nothing, all
// parameters learn, its file is the same model, and short names of options mean what the list here says.
#include "nn/models/papers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <sstream>

#include "nn/cases/small_stages.h"
#include "nn/models/bahdanau.h"
#include "nn/models/copying.h"
#include "nn/models/fixed_vector.h"
#include "nn/models/luong.h"
#include "nn/observe.h"
#include "nn/penalties.h"
#include "nn/pooling/pooler.h"
#include "nn/train/attention_penalties.h"
#include "nn/train/scheduled_sampling.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using namespace heed::nn_test::two_sentences;

namespace {

constexpr nn::Vocabularies kWords{9, 9};

// "luong input_feeding=true cell=lstm": a paper, then options under their short names.
nn::AnyPaper paper(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  in >> word;
  nn::AnyPaper p = nn::paper_called(word);
  auto set = [&](const std::string& name, const std::string& value) { return nn::set_called(p.fields(), name, value); };
  set("hidden", "6"), set("embedding", "5"), set("dropout", "0");
  set("model", "8"), set("heads", "2"), set("inner", "12"), set("encoder_layers", "2"), set("decoder_layers", "2");
  while (in >> word) {
    const size_t at = word.find('=');
    CHECK_MESSAGE(set(word.substr(0, at), word.substr(at + 1)) > 0, word);
  }
  return p;
}

const std::set<std::string> kRecurrent{"sutskever", "cho", "bahdanau", "luong", "deep_fusion"};

std::vector<std::string> kinds() {
  std::vector<std::string> all;
  for (const std::string& name : nn::paper_names()) {
    all.push_back(name);
    if (!kRecurrent.contains(name)) continue;
    const bool deep = name == "deep_fusion", attends = deep || name == "bahdanau" || name == "luong";
    if (!deep)
      for (const char* cell : {"rnn", "lstm", "lstmn"}) all.push_back(fmt::format("{} cell={}", name, cell));
    if (!deep) all.push_back(name + " layers=2");
    if (!deep) all.push_back(name + " encoder.layers=1 decoder.layers=3 encoder.cell=rnn decoder.cell=lstm");
    if (!deep) all.push_back(name + " encoder.hidden=4 decoder.hidden=7");
    for (const char* start : {"last", "mean"}) all.push_back(fmt::format("{} start={}", name, start));
    for (const char* option : {"memory=key_value:parts=2", "pooling=structured:rows=2,hidden=4", "readout=-1",
                               "source.embedding=3 target.embedding=4"})
      all.push_back(fmt::format("{} {}", name, option));
    if (attends)
      for (const char* option : {"start=zeros", "score=general", "scope=local_m:1", "normaliser=argmax",
                                 "score=location_aware", "output=pointer_generator", "output=copynet"})
        all.push_back(fmt::format("{} {}", name, option));
    if (!attends || deep) continue;
    for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::score)) {
      const nn::ScoreOptions tried = nn::small_stages(entry).score;  // equal widths: it joins no two
      all.push_back(fmt::format("{} score={} {}", name, entry.name,
                                tried.query == tried.key ? "bidirectional=false" : "readout=4"));
      Generator rng(1);
      if (nn::make_score(tried, rng)->sequential())
        all.push_back(fmt::format("{} reader=hard score={}", name, entry.name));
    }
    all.push_back(name + " scope=local_p:1");
  }
  for (const std::string& pooling : nn::stage_names(nn::poolings())) {
    std::string text = pooling == "hierarchical" ? pooling + ":segment=2" : pooling;
    if (pooling == "structured") text += ":hidden=4";
    if (pooling == "squeeze_excite") text += ":reduction=1";          // one hidden unit may be 0 for all of these words
    if (pooling == "cls" || pooling == "lasttoken") text += ",mean";  // alone, a direction would have read one word
    all.push_back("cho pooling=" + text);
  }
  for (const char* more :
       {"sutskever pooling=mean,max", "bahdanau cell=lstmn layers=2 tape=3",
        "bahdanau memory=key_value:parts=2,window=2", "luong readout=-1 layers=2", "luong input_feeding=true",
        "luong input_feeding=true cell=lstm layers=2 score=general", "luong reader=hard", "bahdanau reader=hard",
        "luong output=pointer", "transformer norm_first=true positions=rope", "transformer output=copynet",
        "transformer score_residual=true", "bahdanau bidirectional=false score=dot"})
    all.emplace_back(more);
  return all;
}

std::unique_ptr<nn::EncoderDecoder> built(const std::string& kind, uint64_t seed = 3) {
  Generator rng(seed);
  return paper(kind).make(kWords, rng);
}

}  // namespace

TEST_CASE("every paper: a teacher-forced pass is the steps of a search, with the same alignment, and reads each word") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    auto m = built(kind);
    nn::Evaluating evaluating;
    Variable alignment;
    Tensor forced = log_softmax((*m)(source(), lengths(), target_in(), &alignment)).value();
    CHECK(alignment.defined() == m->attends());
    auto search = m->search(source(), lengths());
    double far = 0, apart = 0;
    for (int64_t t = 0; t < 4; ++t) {
      Tensor log_p = search->next(target_in().select(1, t).contiguous());
      far = std::max(far, relative_error(log_p, forced.select(1, t).contiguous()));
      if (m->attends())
        apart = std::max(apart, max_abs_difference(search->weights(), alignment.value().select(1, t).contiguous()));
    }
    CHECK(far <= 1e-6);
    CHECK(apart <= 1e-6);
    for (int64_t s = 0; s < 3 && kind.find("scope") == std::string::npos && kind.find("reader") == std::string::npos &&
                        kind.find("argmax") == std::string::npos;
         ++s) {
      Tensor other = source().clone();
      other.set({0, s}, 8);
      Tensor changed = log_softmax((*m)(other, lengths(), target_in())).value();
      CHECK(max_abs_difference(changed.select(0, 0), forced.select(0, 0)) > 0);
    }
  }
}

TEST_CASE("every paper with one attention: it reaches Observe, for every step of decoding") {
  for (const std::string& kind : kinds()) {
    auto m = built(kind);
    if (!m->attends() || kind.starts_with("transformer")) continue;
    CAPTURE(kind);
    nn::assign_paths(*m);
    int64_t rows = 0;
    nn::Observe observe([&](const nn::AttentionSeen& seen) {
      if (!seen.module.starts_with("attention")) return;  // attention within the encoder or the decoder
      CHECK(seen.module == "attention");
      CHECK(seen.weights.size(2) == 5);
      rows += seen.weights.size(1);
    });
    (*m)(source(), lengths(), target_in());
    CHECK(rows == 4);
  }
}

// With the columns of the fed vector at zero it is the model without input feeding.
TEST_CASE("input feeding with the fed columns at zero is the model without feeding" *
          holds("zero_fed_columns_are_no_feeding")) {
  nn::Luong::Options o = small_paper<nn::Luong>(9, 8);
  o.attention.score.name = "general";
  nn::Luong plain = make<nn::Luong>(o, 1);
  o.input_feeding = true;
  nn::Luong fed = make<nn::Luong>(o, 2);
  auto from = nn::save_state(plain);
  for (auto& p : nn::named_parameters(fed)) {
    if (p.name != "decoder.weight_ih_l0") {
      p.variable.set_value(from.find(p.name)->clone());
      continue;
    }
    Tensor wide = Tensor::zeros(p.variable.shape());  // [3N, E + R]
    Tensor part = wide.slice(1, 0, 5);
    copy_into(part, *from.find(p.name));
    p.variable.set_value(wide);
  }
  CHECK(relative_error(fed(source(), lengths(), target_in()).value(),
                       plain(source(), lengths(), target_in()).value()) <= 1e-6);
  Generator rng(5);
  for (auto& p : nn::named_parameters(fed))
    if (p.name == "decoder.weight_ih_l0") p.variable.set_value(Tensor::normal(p.variable.shape(), rng, 0, 0.5));
  CHECK(relative_error(fed(source(), lengths(), target_in()).value(), plain(source(), lengths(), target_in()).value()) >
        1e-3);
}

TEST_CASE("the fixed vector is one place, the same at every step; the first state alone leaves no other way") {
  nn::Cho every = make<nn::Cho>(small_paper<nn::Cho>(9, 8), 1);
  auto [c, state] = every.encode(source(), lengths());
  CHECK(c.values.shape() == Shape{2, 1, 12});
  nn::Step first = every.step(every.embed(ids({2, 2}, {2})), state, c);
  nn::Step second = every.step(every.embed(ids({4, 4}, {2})), first.state, c);
  CHECK(bit_equal(first.context.value(), second.context.value()));
  nn::Sutskever initial = make<nn::Sutskever>(small_paper<nn::Sutskever>(9, 8), 1);
  auto read = initial.encode(source(), lengths());
  CHECK_FALSE(initial.step(initial.embed(ids({2, 2}, {2})), read.state, {}).context.defined());
}

TEST_CASE("every paper: a sentence in a padded batch gives what it gives alone, and all parameters learn") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    auto m = built(kind);
    nn::set_training(*m, false);  // readers draw
    Tensor in = target_in();
    if (kind.ends_with("pointer")) in = ids({2, 4, 5, 6, 2, 6, 4, 0}, {2, 4});  // places that both sources have
    Tensor batch = log_softmax((*m)(source(), lengths(), in)).value();
    Tensor alone = log_softmax((*m)(source().slice(0, 1, 2).slice(1, 0, 3), ids({3}, {1}), in.slice(0, 1, 2))).value();
    const int64_t V = std::min(alone.size(2), batch.size(2));  // a pointer has an output for each position
    CHECK(relative_error(alone.slice(2, 0, V), batch.slice(0, 1, 2).slice(2, 0, V).contiguous()) <= 1e-6);
    nn::set_training(*m, true);
    backward(weighted_sum((*m)(source(), lengths(), target_in())));
    for (auto& p : nn::named_parameters(*m)) {
      CAPTURE(p.name);
      REQUIRE(p.variable.grad().defined());
      CHECK(all_finite(p.variable.grad()));
      if (kind.find("hard") == std::string::npos && kind.find("argmax") == std::string::npos)
        CHECK_FALSE(all_zero(p.variable.grad()));
    }
  }
}

TEST_CASE("every paper: rows of a beam change places, and a batch writes what each sentence gets alone") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    auto m = built(kind);
    nn::Evaluating evaluating;
    auto together = nn::beam_search_all(*m->search(source(), lengths()), 3, {.max_lengths = {5, 5}});
    for (int64_t b = 0; b < 2; ++b) {
      const int64_t S = b == 0 ? 5 : 3;
      auto alone = nn::beam_search_all(*m->search(source().slice(0, b, b + 1).slice(1, 0, S), ids({S}, {1})), 3,
                                       {.max_lengths = {5}});
      for (size_t k = 0; k < 3 && k < alone[0].size(); ++k)
        CHECK(alone[0][k].tokens == together[static_cast<size_t>(b)][k].tokens);
    }
  }
}

TEST_CASE("every paper: its options come back from a file, and its parameters are the same model") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    nn::AnyPaper p = paper(kind);
    nn::try_out(p);
    nn::AnyPaper back = nn::paper_from(io::parse(nn::to_json(p).dump(), "a file"));
    CHECK(nn::to_json(back) == nn::to_json(p));
    CHECK(back.name() == p.name());
    auto m = built(kind);
    Generator other(9);
    auto again = back.make(kWords, other);
    const io::SafeTensors state = nn::save_state(*m);
    CHECK(back.fits(kWords, state));
    CHECK_FALSE(back.fits({8, 8}, state));
    nn::load_state(*again, state, "a file");
    nn::Evaluating evaluating;
    CHECK(
        bit_equal((*again)(source(), lengths(), target_in()).value(), (*m)(source(), lengths(), target_in()).value()));
  }
}

TEST_CASE("a program names a paper by its type; copies of its options are independent") {
  nn::AnyPaper p = nn::paper_of<nn::Luong>({.input_feeding = true}), q = p;
  CHECK(p.name() == "luong");
  CHECK(p.as<nn::Bahdanau>() == nullptr);
  q.as<nn::Luong>()->input_feeding = false;
  CHECK(p.as<nn::Luong>()->input_feeding);
  CHECK(nn::paper_of<nn::Cho>({}).name() == "cho");  // whose options have the type of Sutskever's
}

TEST_CASE("the fast paths answer, unless a hook wants to see single steps") {
  auto answers = []<class M>(const M& m, bool weights = false) {
    auto [h, state] = m.encode(source(), lengths());
    return nn::at_once(m, m.embed(target_in()), h, state, weights).has_value();
  };
  auto hooked = [&](auto m) {
    m.output_hooks.push_back([](std::string_view, const Variable&) { return Variable(); });
    return answers(m);
  };
  const nn::Bahdanau::Options b{.source = {9}, .target = {9}};
  const nn::Luong::Options l{.source = {9}, .target = {9}};
  const nn::FixedVector::Options f{.source = {9}, .target = {9}};
  CHECK(answers(make<nn::Bahdanau>(b, 1)));
  CHECK_FALSE(answers(make<nn::Bahdanau>(b, 1), true));  // the alignment with its gradient
  CHECK(answers(make<nn::Luong>(l, 1), true));
  CHECK(answers(make<nn::Sutskever>(f, 1)));
  CHECK(answers(make<nn::Cho>(f, 1)));
  CHECK_FALSE(hooked(make<nn::Bahdanau>(b, 1)));
  auto of_cell = make<nn::Bahdanau>(b, 1);
  std::get<nn::GRU>(of_cell.decoder.layers).cells[0].output_hooks.push_back([](std::string_view, const Variable&) {
    return Variable();
  });
  CHECK_FALSE(answers(of_cell));
  CHECK_FALSE(hooked(make<nn::Luong>(l, 1)));
  CHECK_FALSE(hooked(make<nn::Sutskever>(f, 1)));
  CHECK_FALSE(hooked(make<nn::Cho>(f, 1)));
}

// With true words only it is teacher forcing, with none it is greedy search.
TEST_CASE("scheduled sampling: with true words only it is teacher forcing, with none it is greedy search" *
          holds("ends_are_teacher_forcing_and_greedy")) {
  auto check = []<class M>(const typename M::Options& options) {
    M m = make<M>(options, 4);
    nn::Evaluating evaluating;
    Generator rng(1);
    Tensor forced = m(source(), lengths(), target_in()).value();
    CHECK(bit_equal(nn::scheduled_logits(m, source(), lengths(), target_in(), 1, rng).value(), forced));
    Tensor free = nn::scheduled_logits(m, source(), lengths(), target_in(), 0, rng).value();
    auto search = m.search(source(), lengths());
    Tensor words = ids({2, 2}, {2});
    for (int64_t t = 0; t < 4; ++t) {
      Tensor log_p = search->next(words);
      CHECK(relative_error(log_softmax(Variable(free.select(1, t).contiguous())).value(), log_p) <= 1e-6);
      words = argmax(log_p, -1);
    }
  };
  const nn::Luong::Options l{.source = {9}, .target = {9}, .input_feeding = true};
  check.operator()<nn::Bahdanau>({.source = {9}, .target = {9}});
  check.operator()<nn::Cho>({.source = {9}, .target = {9}});
  check.operator()<nn::Luong>(l);
  check.operator()<nn::Copying<nn::Luong>>({.model = l});
  CHECK(nn::linear_decay(0, 0.01) == 1);
  CHECK(nn::linear_decay(30, 0.01, 0.5) == doctest::Approx(0.7));
  CHECK(nn::linear_decay(300, 0.01, 0.5) == 0.5);
  CHECK(nn::inverse_sigmoid_decay(0, 10) == doctest::Approx(10.0 / 11));
  CHECK(nn::inverse_sigmoid_decay(1000, 10) < 1e-6);
}

TEST_CASE("penalties of attention are options of training, for every model with an alignment") {
  nn::AttentionPenalties p{1, 2, 3, 4, 5};
  for (const char* kind : {"bahdanau", "luong", "luong input_feeding=true", "transformer"}) {
    CAPTURE(kind);
    auto m = built(kind);
    nn::Penalties collected;
    Variable alignment;
    (*m)(source(), lengths(), target_in(), &alignment);
    p.add(alignment, target_in(), lengths());
    CHECK(collected.values().size() == 5);
    backward(collected.total());
    double moved = 0;
    for (auto& q : nn::named_parameters(*m))
      if (q.variable.grad().defined()) moved += sum(Variable(heed::abs(q.variable.grad()))).item();
    CHECK(moved > 0);
  }
  nn::Penalties none;
  nn::AttentionPenalties().add({}, target_in(), lengths());
  CHECK(none.empty());
}

TEST_CASE("options of papers: one description each; short names that mean several fields are these") {
  const std::map<std::string, std::set<std::string>> shared{
      {"embedding", {"source.embedding", "target.embedding"}},
      {"cell", {"encoder.cell", "decoder.cell"}},
      {"hidden", {"encoder.hidden", "decoder.hidden"}},
      {"layers", {"encoder.layers", "decoder.layers"}},
      {"tape", {"encoder.tape", "decoder.tape"}},
  };
  for (const std::string& name : nn::paper_names()) {
    CAPTURE(name);
    nn::AnyPaper p = nn::paper_called(name);
    std::set<std::string> names;
    std::map<std::string, std::set<std::string>> meant;
    for (const nn::OptionField& f : p.fields()) {
      CAPTURE(f.name);
      CHECK(names.insert(f.name).second);
      CHECK_FALSE(f.help.empty());
      const bool number = std::holds_alternative<int64_t*>(f.place) || std::holds_alternative<double*>(f.place);
      CHECK((number ? f.range.least < f.range.most : std::holds_alternative<bool*>(f.place) || !f.names.empty()));
      std::string brief = f.option.empty() ? f.name.substr(f.name.rfind('.') + 1) : f.option;
      for (const nn::OptionField& g : p.fields())
        if (nn::is_called(g, brief)) meant[brief].insert(g.name);
    }
    for (const auto& [called, fields] : meant)
      if (fields.size() > 1) {
        const std::string brief = called;  // Clang 14 captures no structured binding
        CAPTURE(brief);
        REQUIRE(shared.contains(brief));
        CHECK(fields == shared.at(brief));
      }
  }
}
