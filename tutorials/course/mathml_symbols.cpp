// The names of the LaTeX subset, and letters of other alphabets (Unicode, Mathematical Alphanumeric Symbols).
#include <array>
#include <map>

#include "tutorials/course/mathml.h"

namespace heed::course {

namespace {

using Kind = MathSymbol::Kind;

const std::map<std::string, MathSymbol>& symbols() {
  static const std::map<std::string, MathSymbol> table = [] {
    std::map<std::string, MathSymbol> t;
    auto add = [&](Kind kind, std::initializer_list<std::array<const char*, 2>> rows) {
      for (const auto& row : rows) t[row[0]] = {kind, row[1]};
    };
    add(Kind::letter,
        {{"alpha", "α"},   {"beta", "β"},  {"gamma", "γ"},    {"delta", "δ"},  {"epsilon", "ϵ"}, {"varepsilon", "ε"},
         {"zeta", "ζ"},    {"eta", "η"},   {"theta", "θ"},    {"iota", "ι"},   {"kappa", "κ"},   {"lambda", "λ"},
         {"mu", "μ"},      {"nu", "ν"},    {"xi", "ξ"},       {"pi", "π"},     {"rho", "ρ"},     {"sigma", "σ"},
         {"tau", "τ"},     {"phi", "ϕ"},   {"varphi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},     {"omega", "ω"},
         {"Gamma", "Γ"},   {"Delta", "Δ"}, {"Theta", "Θ"},    {"Lambda", "Λ"}, {"Xi", "Ξ"},      {"Pi", "Π"},
         {"Sigma", "Σ"},   {"Phi", "Φ"},   {"Psi", "Ψ"},      {"Omega", "Ω"},  {"ell", "ℓ"},     {"infty", "∞"},
         {"partial", "∂"}, {"nabla", "∇"}, {"emptyset", "∅"}, {"top", "⊤"},    {"bot", "⊥"},     {"ldots", "…"},
         {"dots", "…"},    {"cdots", "⋯"}, {"vdots", "⋮"},    {"ddots", "⋱"},  {"forall", "∀"},  {"exists", "∃"},
         {"hbar", "ℏ"},    {"Re", "ℜ"},    {"Im", "ℑ"},       {"prime", "′"},  {"upsilon", "υ"}, {"Upsilon", "Υ"}});
    add(Kind::sign,
        {{"cdot", "⋅"},     {"times", "×"},      {"odot", "⊙"},       {"oplus", "⊕"},     {"otimes", "⊗"},
         {"circ", "∘"},     {"star", "⋆"},       {"ast", "∗"},        {"pm", "±"},        {"mp", "∓"},
         {"div", "÷"},      {"leq", "≤"},        {"le", "≤"},         {"geq", "≥"},       {"ge", "≥"},
         {"neq", "≠"},      {"ne", "≠"},         {"approx", "≈"},     {"sim", "∼"},       {"simeq", "≃"},
         {"equiv", "≡"},    {"propto", "∝"},     {"ll", "≪"},         {"gg", "≫"},        {"in", "∈"},
         {"notin", "∉"},    {"subset", "⊂"},     {"subseteq", "⊆"},   {"cup", "∪"},       {"cap", "∩"},
         {"setminus", "∖"}, {"to", "→"},         {"rightarrow", "→"}, {"leftarrow", "←"}, {"gets", "←"},
         {"mapsto", "↦"},   {"Rightarrow", "⇒"}, {"implies", "⟹"},    {"iff", "⟺"},       {"leftrightarrow", "↔"},
         {"mid", "∣"},      {"parallel", "∥"},   {"lfloor", "⌊"},     {"rfloor", "⌋"},    {"lceil", "⌈"},
         {"rceil", "⌉"},    {"langle", "⟨"},     {"rangle", "⟩"},     {"lvert", "|"},     {"rvert", "|"},
         {"lVert", "‖"},    {"rVert", "‖"},      {"|", "‖"},          {"{", "{"},         {"}", "}"},
         {"lbrace", "{"},   {"rbrace", "}"},     {"%", "%"},          {"#", "#"},         {"_", "_"},
         {"&", "&amp;"},    {"$", "$"},          {"land", "∧"},       {"lor", "∨"},       {"neg", "¬"},
         {"bmod", "mod"},   {"colon", ":"},      {"vert", "|"},       {"Vert", "‖"},      {"wedge", "∧"}});
    add(Kind::large, {{"sum", "∑"}, {"prod", "∏"}, {"bigcup", "⋃"}, {"bigcap", "⋂"}, {"bigoplus", "⨁"}});
    add(Kind::limits, {{"max", "max"},
                       {"min", "min"},
                       {"lim", "lim"},
                       {"sup", "sup"},
                       {"inf", "inf"},
                       {"argmax", "argmax"},
                       {"argmin", "argmin"}});
    for (const char* name :
         {"exp",     "log",  "ln",   "sin",      "cos", "tan",  "tanh",      "sinh", "cosh", "softmax",
          "sigmoid", "relu", "ReLU", "softplus", "det", "rank", "dim",       "diag", "sign", "erf",
          "Var",     "var",  "Pr",   "LSTM",     "GRU", "RNN",  "LayerNorm", "KL"})
      t[name] = {Kind::function, name};
    t["int"] = {Kind::function, "∫"};
    add(Kind::accent, {{"bar", "¯"}, {"hat", "^"}, {"tilde", "~"}, {"vec", "→"}, {"dot", "˙"}, {"ddot", "¨"}});
    add(Kind::stretched, {{"overline", "¯"}, {"widehat", "^"}, {"widetilde", "~"}, {"overrightarrow", "→"}});
    return t;
  }();
  return table;
}

std::string utf8(unsigned code) {
  std::string s;
  if (code < 0x80) {
    s += static_cast<char>(code);
  } else if (code < 0x800) {
    s += static_cast<char>(0xC0 | (code >> 6));
    s += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    s += static_cast<char>(0xE0 | (code >> 12));
    s += static_cast<char>(0x80 | ((code >> 6) & 63));
    s += static_cast<char>(0x80 | (code & 63));
  } else {
    s += static_cast<char>(0xF0 | (code >> 18));
    s += static_cast<char>(0x80 | ((code >> 12) & 63));
    s += static_cast<char>(0x80 | ((code >> 6) & 63));
    s += static_cast<char>(0x80 | (code & 63));
  }
  return s;
}

}  // namespace

MathSymbol math_symbol(const std::string& name) {
  auto found = symbols().find(name);
  return found == symbols().end() ? MathSymbol{} : found->second;
}

std::string math_letter(const std::string& alphabet, char letter) {
  static const std::map<std::string, std::map<char, unsigned>> holes{
      // letters that Unicode had before the others
      {"mathcal",
       {{'B', 0x212C},
        {'E', 0x2130},
        {'F', 0x2131},
        {'H', 0x210B},
        {'I', 0x2110},
        {'L', 0x2112},
        {'M', 0x2133},
        {'R', 0x211B},
        {'e', 0x212F},
        {'g', 0x210A},
        {'o', 0x2134}}},
      {"mathbb",
       {{'C', 0x2102}, {'H', 0x210D}, {'N', 0x2115}, {'P', 0x2119}, {'Q', 0x211A}, {'R', 0x211D}, {'Z', 0x2124}}},
  };
  struct Start {
    unsigned upper, lower, digit;
  };
  static const std::map<std::string, Start> starts{{"mathbf", {0x1D400, 0x1D41A, 0x1D7CE}},
                                                   {"mathcal", {0x1D49C, 0x1D4B6, 0}},
                                                   {"mathbb", {0x1D538, 0x1D552, 0x1D7D8}}};
  auto hole = holes.find(alphabet);
  if (hole != holes.end() && hole->second.count(letter)) return utf8(hole->second.at(letter));
  const Start& start = starts.at(alphabet);
  if (letter >= 'A' && letter <= 'Z') return utf8(start.upper + static_cast<unsigned>(letter - 'A'));
  if (letter >= 'a' && letter <= 'z') return utf8(start.lower + static_cast<unsigned>(letter - 'a'));
  if (letter >= '0' && letter <= '9' && start.digit != 0)
    return utf8(start.digit + static_cast<unsigned>(letter - '0'));
  return "";
}

}  // namespace heed::course
