// Training a captioner, and captions of pictures that it has not seen.
#pragma once

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/data/batches.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tutorials/16_hard_and_soft/captioner.h"

namespace hard_soft {

namespace data = heed::data;

struct Training {
  int64_t steps = 1500, batch = 32;
  double rate = 3e-3;
  bool baseline = true;   // reinforce: subtract a moving mean of the rewards
  double entropy = 0.01;  // reinforce: factor of the entropy term
  uint64_t seed = 1;
};

struct Captions {
  double exact = 0, words = 0;  // in %: captions that are completely right; colour and form words at the right position
  double looked = 0;            // in %: weight on the patches of the shape that a correct colour or form word describes
};
struct Outcome {
  std::string name;
  Captions captions, shuffled;  // shuffled: the model gets the patches of another picture (control)
  std::vector<double> losses;   // -log p(y | z) per caption, at each step
};

// The captions that the model writes by greedy search, and its attention weights.
struct Said {
  std::vector<std::vector<int64_t>> words;  // of each picture, without </s>
  std::vector<Tensor> weights;              // T of [B, S]
};
inline Said caption(const Captioner& m, const Tensor& patches, int64_t longest = 12) {
  heed::NoGrad guard;
  int64_t B = patches.size(0);
  Variable a = m.annotations(patches), h = m.start(a);
  nn::Memory memory = m.look(a);
  Said said{.words = std::vector<std::vector<int64_t>>(static_cast<size_t>(B)), .weights = {}};
  std::vector<bool> ended(static_cast<size_t>(B));
  constexpr int64_t start = 2, stop = 3;
  Tensor y = Tensor::from(std::vector<int64_t>(static_cast<size_t>(B), start), {B});
  for (int64_t t = 0; t < longest && std::find(ended.begin(), ended.end(), false) != ended.end(); ++t) {
    auto s = m.step(memory, y, h);
    h = s.h;
    y = argmax(s.logits.value(), 1);
    said.weights.push_back(s.weights);
    for (size_t b = 0; b < ended.size(); ++b) {
      int64_t word = y.data<int64_t>()[b];
      ended[b] = ended[b] || word == stop;
      if (!ended[b]) said.words[b].push_back(word);
    }
  }
  return said;
}

// Measures the captions of the given pictures. `shift` 0: each picture gets its own patches; 1: those of its neighbour
// in the list, as a control.
inline Captions judge(Captioner& m, const data::PictureTask& task, const std::vector<data::Picture>& pictures,
                      int64_t shift = 0) {
  nn::set_training(m, false);
  std::vector<int64_t> members(pictures.size());
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int64_t>(i);
  data::PictureBatch batch = picture_batch(task, pictures, members);
  Said said = caption(m, roll(batch.patches, {shift}, {0}).contiguous());
  double exact = 0, right = 0, named = 0, weight = 0, weighed = 0;
  for (size_t b = 0; b < pictures.size(); ++b) {
    std::vector<int64_t> wanted = task.words.encode(pictures[b].caption.target);
    exact += said.words[b] == wanted;
    for (size_t t = 0; t < wanted.size(); ++t) {
      if (wanted[t] - data::Symbols::specials >= m.options.channels) continue;  // not a colour, not a form
      ++named;
      bool same = t < said.words[b].size() && said.words[b][t] == wanted[t];
      right += same;
      if (!same) continue;
      ++weighed;
      for (const data::Link& link : pictures[b].caption.links)
        if (link.target == static_cast<int64_t>(t))
          weight += said.weights[t].at({static_cast<int64_t>(b), link.source});
    }
  }
  nn::set_training(m, true);
  return {100 * exact / static_cast<double>(pictures.size()), 100 * right / named,
          weighed > 0 ? 100 * weight / weighed : 0};
}

inline std::vector<int64_t> some_members(const std::vector<data::Picture>& pictures, int64_t count,
                                         heed::Generator& rng) {
  std::vector<int64_t> members;
  for (int64_t i = 0; i < count; ++i) members.push_back(rng.below(static_cast<int64_t>(pictures.size())));
  return members;
}

inline Outcome learn(Captioner& m, const std::string& name, const data::PictureTask& task, const Training& t) {
  heed::Generator rng(t.seed, 1ull << 40);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Reinforce reinforce({.entropy = t.entropy}, rng);
  nn::set_training(reinforce, t.baseline);  // evaluated, the baseline stays 0
  nn::Progress progress(t.steps, {.label = name, .unit = "captions"});
  Outcome out{.name = name, .captions = {}, .shuffled = {}, .losses = {}};
  for (int64_t s = 0; s < t.steps; ++s) {
    data::PictureBatch batch = picture_batch(task, task.train, some_members(task.train, t.batch, rng));
    adam.zero_grad();
    Told told = tell(m, m.annotations(batch.patches), batch.target_in, batch.target_out);
    Variable loss = m.options.reading == "reinforce"
                        ? reinforce(told.log_likelihood, told.log_probability, told.entropy)
                        : -mean(told.log_likelihood);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 5);
    adam.step();
    out.losses.push_back(-mean(told.log_likelihood.value()).item());
    progress.step({.loss = out.losses.back(), .items = t.batch});
  }
  progress.finish();
  out.captions = judge(m, task, task.test);
  out.shuffled = judge(m, task, task.test, 1);
  return out;
}

}  // namespace hard_soft
