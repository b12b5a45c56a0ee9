// LoRA, low-rank adaptation (Hu, Shen, Wallis et al., ICLR 2022, section 4.1): a model is trained on for a new task
// while its matrices stay as they are. Beside each of them, two small ones learn the difference:
//
//   h = W_0 x + (alpha / r) B A x        A [r, I] normal, B [O, r] zero, so that training begins with h = W_0 x
//
// Only A and B are trained, r (I + O) numbers in the place of I O. The gradients that are kept, Adam's two averages and
// checkpoints are that much smaller. After training the product can be added to the matrix, and the model is as fast as
// before:
//
//   W = W_0 + (alpha / r) B A
//
// Lora is the formula of the paper. LoraModel puts it beside the matrices of any model, found by their names: the
// matrix of a module is replaced by the sum W, recorded, before each forward pass. So every module works unchanged, one
// that uses its matrix in several ways too (nn/attention/structures/multi_head_memory.cpp). The price: during a step W
// and its whole gradient exist, so neither its time nor the memory of its activations becomes smaller. I inputs, O
// outputs, r rank.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/options.h"

namespace heed::nn {

struct LoraOptions {
  int64_t in = 1, out = 1, rank = 4;
  double alpha = 0;  // 0: 2 r
};
struct Lora : Module {
  using Options = LoraOptions;
  Lora(const Options& options, Generator& rng);
  Variable operator()(const Variable& x) const;  // (alpha / r) B A x: [.., I] -> [.., O]
  Variable product() const;                      // (alpha / r) B A [O, I]
  double scale() const { return (options.alpha > 0 ? options.alpha : 2.0 * rank()) / rank(); }
  void visit(Visitor& v) { v.parameter("lora_A", a), v.parameter("lora_B", b); }
  Options options;
  Variable a, b;  // A, B

 private:
  double rank() const { return static_cast<double>(options.rank); }
};

struct LoraChoice {
  int64_t rank = 4;
  double alpha = 0;
  // Of matrices: names of parameters without .weight, separated by commas; * stands for any text. The paper adapts
  // queries and values (section 7.1).
  std::string where = "*.q_proj,*.v_proj";
  std::string train = "";  // parameters of the model that are trained beside the adapters: "heads.*"
};

bool fits_pattern(const std::string& name, const std::string& patterns);  // "a.b.q_proj" and "*.q_proj,*.v_proj"

// The adapters of a model, which must outlive them and stay where it is. As a module it has their parameters, under
// the names of the matrices: decoder.blocks.0.self.q_proj.lora_A.
class LoraModel : public Module {
 public:
  // Freezes the model: no parameter but those of choice.train has a gradient. ValueError if a pattern fits no matrix,
  // or one is smaller than the rank.
  template <class M>
  LoraModel(M& model, const LoraChoice& choice, Generator& rng) : LoraModel(detail::collect(model), choice, rng) {}

  void apply();    // gives the model W_0 + (alpha / r) B A as it is now, with their gradients: before each forward pass
  void merge();    // the same as constants, with which it is used and saved
  void restore();  // gives it W_0
  // What is trained: the adapters, then the chosen parameters of the model.
  std::vector<NamedVariable> trained() const;
  size_t matrices() const { return layers_.size(); }
  void visit(Visitor& v);

 private:
  LoraModel(const detail::Collector& model, const LoraChoice& choice, Generator& rng);
  void set(Variable value, size_t layer);
  struct Layer {
    std::string name;              // "decoder.blocks.0.self.q_proj"
    Variable frozen;               // W_0 [O, I]
    std::vector<Variable*> slots;  // the members of the model that are this matrix
    Lora lora;
  };
  std::vector<Layer> layers_;
  std::vector<NamedVariable> others_;
};

}  // namespace heed::nn
