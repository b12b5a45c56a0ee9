#include "autograd/ops_einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "autograd/ops_arithmetic.h"
#include "autograd/ops_matmul.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"

namespace heed {
namespace {

// A label names an axis: a letter, or the character i for the i-th axis of "..." from the right. A list of labels is a
// string of them, in which kDots stands for the axes of "..." until their number is known.
using Labels = std::string;
constexpr char kDots = '.';
bool is_letter(char label) { return (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z'); }
bool has_dots(const Labels& term) { return term.find(kDots) != Labels::npos; }

Labels with_axes(Labels term, int dot_axes) {
  Labels axes;
  for (int i = dot_axes; i > 0; --i) axes += static_cast<char>(i);
  return has_dots(term) ? term.replace(term.find(kDots), 1, axes) : term;
}

[[noreturn]] void refuse(const std::string& equation, const std::string& rule) {
  throw ValueError(fmt::format("einsum: {}; got \"{}\"", rule, equation));
}

struct Equation {
  std::vector<Labels> inputs = {""};
  Labels output;
  bool explicit_output = false;
};
Equation parse(const std::string& text) {
  Equation e;
  Labels* term = &e.inputs[0];
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ' ') continue;
    if (is_letter(c)) {
      *term += c;
    } else if (text.compare(i, 3, "...") == 0) {
      if (has_dots(*term)) refuse(text, "an operand may have \"...\" once");
      *term += kDots;
      i += 2;
    } else if (c == ',' && !e.explicit_output) {
      term = &e.inputs.emplace_back();
    } else if (text.compare(i, 2, "->") == 0 && !e.explicit_output) {
      e.explicit_output = true;
      term = &e.output;
      ++i;
    } else {
      refuse(text, "an equation is letters, \"...\", commas and one \"->\"");
    }
  }
  return e;
}

// An operand with its labels; each label once.
struct Operand {
  Variable x;
  Labels labels;
  int64_t size(char label) const { return x.shape()[static_cast<int>(labels.find(label))]; }
  bool has(char label) const { return labels.find(label) != Labels::npos; }
};

[[noreturn]] void refuse_sizes(const std::string& text, char label, int64_t a, int64_t b) {
  throw ShapeError(fmt::format("einsum: {} must have one size in \"{}\"; got {} and {}",
                               is_letter(label) ? std::string(1, label) : std::string("an axis of ..."), text, a, b));
}

// A label twice: the diagonal of its two axes, which becomes the last axis.
Operand without_repeats(const std::string& text, Operand o) {
  for (size_t i = 0; i < o.labels.size();) {
    char label = o.labels[i];
    size_t j = o.labels.find(label, i + 1);
    if (j == Labels::npos) {
      ++i;
      continue;
    }
    if (int64_t a = o.x.shape()[static_cast<int>(i)], b = o.x.shape()[static_cast<int>(j)]; a != b)
      refuse_sizes(text, label, a, b);
    o.x = diagonal(o.x, 0, static_cast<int64_t>(i), static_cast<int64_t>(j));
    o.labels.erase(j, 1);
    o.labels.erase(i, 1);
    o.labels += label;
  }
  return o;
}

// Sums over the labels that `kept` does not name.
Operand summed(const Operand& o, const Labels& kept) {
  Dims axes;
  Labels left;
  for (size_t i = 0; i < o.labels.size(); ++i)
    if (kept.find(o.labels[i]) == Labels::npos)
      axes.push_back(static_cast<int64_t>(i));
    else
      left += o.labels[i];
  return axes.rank() ? Operand{sum(o.x, axes), left} : o;
}

// x with its axes in the order of `groups`, and each group merged into one axis: [product of its sizes, ...].
Variable grouped(const Operand& o, const std::vector<Labels>& groups) {
  Dims order;
  Shape shape;
  for (const Labels& group : groups) {
    int64_t size = 1;
    for (char label : group) {
      order.push_back(static_cast<int64_t>(o.labels.find(label)));
      size *= o.size(label);
    }
    shape.push_back(size);
  }
  return reshape(permute(o.x, order), shape);
}

// The sum of products of two operands over the labels outside `kept`: a [batch, M, K] b [batch, K, N].
Operand contracted(Operand a, Operand b, const Labels& kept) {
  a = summed(a, kept + b.labels);  // sums over labels that only one of them has and the result lacks
  b = summed(b, kept + a.labels);
  Labels batch, inner, rows, columns;
  for (char label : a.labels) (!b.has(label) ? rows : kept.find(label) != Labels::npos ? batch : inner) += label;
  for (char label : b.labels)
    if (!a.has(label)) columns += label;
  Shape shape;
  for (const Labels* group : {&batch, &rows}) {
    for (char label : *group) shape.push_back(a.size(label));
  }
  for (char label : columns) shape.push_back(b.size(label));
  Variable y;
  if (inner.empty())  // nothing to sum: products only
    y = grouped(a, {batch, rows, ""}) * grouped(b, {batch, "", columns});
  else if (batch.empty())
    y = matmul(grouped(a, {rows, inner}), grouped(b, {inner, columns}));
  else
    y = matmul(grouped(a, {batch, rows, inner}), grouped(b, {batch, inner, columns}));
  return {reshape(y, shape), batch + rows + columns};
}

// Which labels the result has, in order.
Labels output_labels(const std::string& text, const Equation& e, int dot_axes) {
  std::map<char, int> times;  // sorted: capitals, then small letters
  for (const Labels& term : e.inputs)
    for (char label : term)
      if (label != kDots) ++times[label];
  if (!e.explicit_output) {
    Labels wanted = with_axes({kDots}, dot_axes);
    for (auto [label, n] : times)
      if (n == 1) wanted += label;
    return wanted;
  }
  for (char label : e.output) {
    if (label != kDots && !times.count(label))
      refuse(text, fmt::format("the result names {}, which no operand has", label));
    if (std::count(e.output.begin(), e.output.end(), label) > 1)
      refuse(text, fmt::format("the result names {} twice", label));
  }
  return with_axes(e.output, dot_axes);
}

// Checks the sizes, gives "..." its axes and repeats axes of size 1, so that a label has one size everywhere.
std::vector<Operand> labelled(const std::string& text, const Equation& e, const std::vector<Variable>& xs,
                              int& dot_axes) {
  std::vector<Operand> out;
  std::map<char, int64_t> sizes;
  for (size_t k = 0; k < xs.size(); ++k) {
    const Labels& term = e.inputs[k];
    int letters = static_cast<int>(term.size()) - has_dots(term), extra = xs[k].rank() - letters;
    if (extra < 0 || (extra > 0 && !has_dots(term)))
      throw ShapeError(fmt::format("einsum: operand {} of \"{}\" needs {}{} axes; got {}", k + 1, text,
                                   has_dots(term) ? "at least " : "", letters, to_string(xs[k].shape())));
    dot_axes = std::max(dot_axes, extra);
    out.push_back(without_repeats(text, {xs[k], with_axes(term, extra)}));
    for (char label : out[k].labels) {
      int64_t size = out[k].size(label), &known = sizes.emplace(label, size).first->second;
      if (known == 1) known = size;
      if (size != known && size != 1) refuse_sizes(text, label, known, size);
    }
  }
  for (Operand& o : out) {
    Shape full = o.x.shape();
    for (int i = 0; i < full.rank(); ++i) full[i] = sizes[o.labels[static_cast<size_t>(i)]];
    if (!(full == o.x.shape())) o.x = expand(o.x, full);
  }
  return out;
}

}  // namespace

Variable einsum(const std::string& text, const std::vector<Variable>& xs) {
  Equation e = parse(text);
  if (xs.size() != e.inputs.size())
    throw ValueError(fmt::format("einsum: \"{}\" describes {} operand{}; got {}", text, e.inputs.size(),
                                 e.inputs.size() == 1 ? "" : "s", xs.size()));
  int dot_axes = 0;
  std::vector<Operand> operands = labelled(text, e, xs, dot_axes);
  Labels wanted = output_labels(text, e, dot_axes);
  Operand y = operands[0];
  for (size_t k = 1; k < operands.size(); ++k) {
    Labels later = wanted;
    for (size_t j = k + 1; j < operands.size(); ++j) later += operands[j].labels;
    y = contracted(y, operands[k], later);
  }
  y = summed(y, wanted);
  Dims order;
  for (char label : wanted) order.push_back(static_cast<int64_t>(y.labels.find(label)));
  return permute(y.x, order);
}

}  // namespace heed
