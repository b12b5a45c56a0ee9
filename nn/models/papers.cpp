#include "nn/models/papers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/backward.h"
#include "nn/models/copying.h"
#include "nn/models/fixed_vector.h"
#include "nn/models/small_models.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {
namespace {

template <class M>
concept WithAttention = requires(const M& m) {
  m.attention.reader;
};  // a recurrent paper that can copy

// The options of a paper, as AnyPaper holds them.
template <class M>
struct Of final : AnyPaper::Held {
  typename M::Options held{};
  std::string output = "softmax";

  const std::type_info& paper() const override { return typeid(M); }
  void* options() override { return &held; }
  const std::string& output_name() const override {
    if constexpr (requires { held.output; }) return held.output;
    return output;
  }
  void fields(OptionFields& f) override {
    held.fields(f);
    if constexpr (WithAttention<M>) f("output", output, "what the next word is chosen from", output_names());
  }
  std::unique_ptr<AnyPaper::Held> clone() const override { return std::make_unique<Of>(*this); }
  std::unique_ptr<AnyPaper::Held> small() const override {
    auto trial = std::make_unique<Of>(*this);
    trial->held = small_model(held);
    return trial;
  }
  typename M::Options sized(Vocabularies words) const {
    typename M::Options o = held;
    if constexpr (requires { o.source; })
      o.source.vocabulary = words.source, o.target.vocabulary = words.target;
    else
      o.source_vocabulary = words.source, o.target_vocabulary = words.target;
    return o;
  }
  std::unique_ptr<EncoderDecoder> make(Vocabularies words, Generator& rng) const override {
    if constexpr (WithAttention<M>) {
      if (output_needs_alignment(output))
        return std::make_unique<Copying<M>>(typename Copying<M>::Options{sized(words), output}, rng);
    }
    return std::make_unique<M>(sized(words), rng);
  }
  bool fits(Vocabularies words, const io::SafeTensors& file) const override {
    return nn::fits(sized(words), output_writes_words(output_name()), file);
  }
};

template <class M>
AnyPaper paper(const char* name) {
  return {name, std::make_unique<Of<M>>()};
}

const std::vector<AnyPaper>& all_papers() {
  static const std::vector<AnyPaper> papers = [] {
    std::vector<AnyPaper> list;
    list.push_back(paper<Sutskever>("sutskever"));
    list.push_back(paper<Cho>("cho"));
    list.push_back(paper<Bahdanau>("bahdanau"));
    list.push_back(paper<Luong>("luong"));
    list.push_back(paper<DeepFusion>("deep_fusion"));
    list.push_back(paper<Transformer>("transformer"));
    return list;
  }();
  return papers;
}

}  // namespace

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const AnyPaper& p : all_papers()) names.push_back(p.name());
  return names;
}

AnyPaper paper_called(const std::string& name) {
  for (const AnyPaper& p : all_papers())
    if (p.name() == name) return p;
  const std::string near = nearest(name, paper_names());
  throw ValueError(fmt::format("paper: none has this name; got `{}`; there are {}{}", name,
                               fmt::join(paper_names(), ", "), near.empty() ? "" : "; nearest: " + near));
}

AnyPaper paper_of_type(const std::type_info& type) {
  for (const AnyPaper& p : all_papers())
    if (p.type() == type) return p;
  throw ValueError(fmt::format("paper: it must be in the list of papers.cpp; got the type {}", type.name()));
}

std::unique_ptr<EncoderDecoder> AnyPaper::trial(Generator& rng) const {
  return held_->small()->make({kTrialWords, kTrialWords}, rng);
}

void try_out(const AnyPaper& paper) {
  Generator rng(1);
  run_once(*paper.trial(rng));
}

io::Json to_json(const AnyPaper& paper) {
  AnyPaper copy = paper;
  return json_of(copy.fields()).set("paper", paper.name());
}

AnyPaper paper_from(const io::Json& json, std::vector<std::string> others) {
  try {
    AnyPaper paper = paper_called(json.text("paper"));
    others.emplace_back("paper");
    read_option_fields(paper.fields(), json, others);
    require_options(paper.name(), paper.fields());
    return paper;
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
