// The papers by name, for programs that choose one when they run. A paper is one line of papers.cpp.
//
//   AnyPaper paper = paper_called("bahdanau");
//   set_called(paper.fields(), "hidden", "64");                              // of the encoder and of the decoder
//   std::unique_ptr<EncoderDecoder> model = paper.make({.source = 4000, .target = 4000}, rng);
//
//   AnyPaper same = paper_of<Bahdanau>({.encoder = {.hidden = 64}, .decoder = {.hidden = 64}});
//
// A paper with attention has one more option, `output`: the output head (nn/output_heads/). All heads but softmax copy
// words of the source (nn/models/copying.h).
#pragma once

#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "nn/decode/encoder_decoder.h"
#include "nn/io/json.h"
#include "nn/options.h"

namespace heed::nn {

struct Vocabularies {
  int64_t source, target;
};

class AnyPaper {  // the options of one of the papers; copies are independent
 public:
  struct Held {  // papers.cpp has one for each paper
    virtual ~Held() = default;
    virtual const std::type_info& paper() const = 0;
    virtual void* options() = 0;
    virtual void fields(OptionFields& f) = 0;
    virtual std::unique_ptr<Held> clone() const = 0;
    virtual std::unique_ptr<EncoderDecoder> make(Vocabularies words, Generator& rng) const = 0;
    virtual std::unique_ptr<Held> small() const = 0;
    virtual bool fits(Vocabularies words, const io::SafeTensors& file) const = 0;
    virtual const std::string& output_name() const = 0;
  };
  AnyPaper(std::string name, std::unique_ptr<Held> held) : name_(std::move(name)), held_(std::move(held)) {}
  AnyPaper(const AnyPaper& other) : name_(other.name_), held_(other.held_->clone()) {}
  AnyPaper(AnyPaper&&) = default;
  AnyPaper& operator=(AnyPaper other) {
    name_ = std::move(other.name_), held_ = std::move(other.held_);
    return *this;
  }
  const std::string& name() const { return name_; }
  void fields(OptionFields& f) { held_->fields(f); }
  std::vector<OptionField> fields() { return fields_of(*this); }
  template <class M>
  typename M::Options* as() {  // nullptr: it is another paper
    return typeid(M) == held_->paper() ? static_cast<typename M::Options*>(held_->options()) : nullptr;
  }
  template <class M>
  const typename M::Options* as() const {
    return const_cast<AnyPaper*>(this)->as<M>();
  }
  const std::type_info& type() const { return held_->paper(); }
  const std::string& output() const { return held_->output_name(); }  // its name (nn/output_heads/)
  // ValueError, which begins with the paper's name, for options that cannot be or do not go together.
  std::unique_ptr<EncoderDecoder> make(Vocabularies words, Generator& rng) const { return held_->make(words, rng); }
  std::unique_ptr<EncoderDecoder> trial(Generator& rng) const;  // a small model with a vocabulary of 8 words
  // Whether the largest parameters in a file have the sizes that the options give. Called before a model is allocated.
  bool fits(Vocabularies words, const io::SafeTensors& file) const { return held_->fits(words, file); }

 private:
  std::string name_;
  std::unique_ptr<Held> held_;
};

std::vector<std::string> paper_names();
AnyPaper paper_called(const std::string& name);  // with its default options; ValueError, with all names
AnyPaper paper_of_type(const std::type_info& paper);
template <class M>
AnyPaper paper_of(const typename M::Options& options) {
  AnyPaper paper = paper_of_type(typeid(M));
  *paper.as<M>() = options;
  return paper;
}

// Builds a small model with these options and runs it once, forward, backward and word by word: an Error says what does
// not go together, before any data is read.
void try_out(const AnyPaper& paper);

// {"paper": "bahdanau", "encoder.hidden": 128, ..}: the options in a model's file; the sizes of the vocabularies are
// not among them. IoError for an invalid value, or a key that is neither an option nor one of the file's `others`.
io::Json to_json(const AnyPaper& paper);
AnyPaper paper_from(const io::Json& json, std::vector<std::string> others = {});

}  // namespace heed::nn
