// The walk through the transformer: every block of the drawing is explained, with the shapes that the library has, and
// what is missing is refused.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "autograd/ops.h"
#include "nn/io/file.h"
#include "nn/transformer/transformer.h"
#include "tests/source_dir.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/walk.h"

using namespace heed;
using namespace heed::course;
namespace fs = std::filesystem;

namespace {

std::string walk_26(const std::string& argument) {
  const Tree tree = Tree::at(source_dir());
  return walk_of(tree, *tree.lesson("26"), {.argument = argument, .file = "README.md", .line = 3, .linked = true});
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A lesson with one block in its drawing.
struct SmallLesson {
  std::string root = (fs::temp_directory_path() / ("heed_walk_" + std::to_string(::getpid()))).string();
  SmallLesson() {
    fs::remove_all(root);
    fs::create_directories(root + "/tutorials/01_one");
    std::ofstream(root + "/tutorials/01_one/README.md") << "# 01 · One\n\nWhy?\n";
    std::ofstream(root + "/tutorials/01_one/x.svg") << "<svg viewBox=\"0 0 720 10\"><title>X</title><rect x=\"1\" "
                                                       "y=\"1\" width=\"9\" height=\"9\" data-part=\"sum\"/></svg>";
    std::ofstream(root + "/tutorials/01_one/x.h") << "int sum = 1 + 1;\n";
  }
  ~SmallLesson() { fs::remove_all(root); }
  std::string operator()(const std::string& blocks, const std::string& argument = "x.svg blocks.md") const {
    std::ofstream(root + "/tutorials/01_one/blocks.md") << blocks;
    const Tree tree = Tree::at(root);
    try {
      return walk_of(tree, tree.lessons.at(0), {.argument = argument, .file = "README.md", .line = 3, .linked = true});
    } catch (const InputError& error) { return error.what(); }
  }
};

}  // namespace

TEST_CASE("walk: each block of the transformer has its shape, its formula and its code") {
  const std::string html = walk_26("../course/drawings/transformer.svg blocks.md");
  const Canvas drawing = drawing_called("transformer")->make();
  const std::set<std::string> names(drawing.parts().begin(), drawing.parts().end());
  CHECK(names.size() >= 11);
  CHECK(drawing.parts().size() >= 20);
  CHECK(count(html, "<article class=\"block\"") == static_cast<int>(names.size()));
  for (const std::string& name : names) {
    const std::size_t at = html.find("id=\"block-" + name + "\"");
    REQUIRE_MESSAGE(at != std::string::npos, name);
    const std::string block = html.substr(at, html.find("</article>", at) - at);
    CHECK(count(block, "<p class=\"shape\">") == 1);
    CHECK(count(block, "<math display=\"block\"") >= 1);
    CHECK(count(block, "<figure class=\"code\">") >= 1);
  }
}

TEST_CASE("walk: the shapes are those of the library") {
  const std::map<char, std::int64_t> sizes{{'B', 2}, {'S', 5}, {'T', 3}, {'D', 8}, {'F', 16}, {'V', 11}};
  Generator rng(1);
  const nn::Transformer model({.source_vocabulary = 13,
                               .target_vocabulary = 11,
                               .model = 8,
                               .heads = 2,
                               .inner = 16,
                               .encoder_layers = 2,
                               .decoder_layers = 2,
                               .norm_first = true},
                              rng);
  const Tensor source = Tensor::full({2, 5}, 5, DType::i64), target = Tensor::full({2, 3}, 5, DType::i64);
  const nn::Transformer::Encoded encoded = model.encode(source, Tensor::full({2}, 5, DType::i64));
  const nn::Transformer::Decoded decoded = model.decode(target, encoded, {});
  const Variable x = model.source_embedding(source), h = model.target_embedding(target);
  const nn::TransformerLayer &in = model.encoder.layers[0], &out = model.decoder.layers[0];
  const Variable logits = model.logits(decoded, encoded.read);
  // The last of the shapes in the line, and those before it, where something else goes in.
  const std::map<std::string, std::vector<Shape>> computed{
      {"embedding", {source.shape(), x.shape()}},
      {"positions", {x.shape(), x.shape()}},
      {"norm", {x.shape(), in.norm1(x).shape()}},
      {"self_attention", {x.shape(), (*in.self_attn)(x).output.shape()}},
      {"residual", {x.shape(), x.shape(), (x + (*in.self_attn)(x).output).shape()}},
      {"feed_forward", {x.shape(), in.feed_forward.linear1(x).shape(), in.feed_forward(x).shape()}},
      {"memory", {source.shape(), encoded.annotations.shape()}},
      {"masked", {h.shape(), (*out.self_attn)(h).output.shape()}},
      {"cross_attention",
       {h.shape(), encoded.annotations.shape(),
        (*out.multihead_attn)(h, encoded.annotations, encoded.annotations).output.shape()}},
      {"linear", {decoded.features.shape(), logits.shape()}},
      {"softmax", {logits.shape(), softmax(logits, -1).shape()}}};
  const std::string text = io::read_file(source_dir() + "/tutorials/26_transformer/blocks.md");
  static const std::regex section("## (\\w+): [^\n]*\n\nShape: ([^;\n]*)"), shape("\\[([A-Z, ]+)\\]");
  std::size_t seen = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), section), end; at != end; ++at, ++seen) {
    const std::string name = (*at)[1].str(), line = (*at)[2].str();
    CAPTURE(name);
    REQUIRE(computed.contains(name));
    std::vector<Shape> stated;
    for (std::sregex_iterator one(line.begin(), line.end(), shape), last; one != last; ++one) {
      std::vector<std::int64_t> numbers;
      for (char letter : (*one)[1].str())
        if (sizes.contains(letter)) numbers.push_back(sizes.at(letter));
      stated.emplace_back(numbers);
    }
    CHECK(stated == computed.at(name));
  }
  CHECK(seen == computed.size());
}

TEST_CASE("walk: what is missing is refused, with its line") {
  const SmallLesson lesson;
  const std::string shape = "Shape: [] -> []\n\n", formula = "```math\n1 + 1\n```\n\n",
                    code = "<!-- code: x.h \"int sum\" .. \"1;\" -->\n", head = "# X\n\n## sum: The sum\n\n",
                    file = "tutorials/01_one/blocks.md";
  CHECK(count(lesson(head + shape + formula + code), "data-part=\"sum\"") == 2);  // the box, and what explains it
  CHECK(lesson(head + formula + code) ==
        file + ":3: walk: the block sum needs a shape, a formula and code; it lacks a shape");
  CHECK(lesson(head + shape + code) ==
        file + ":3: walk: the block sum needs a shape, a formula and code; it lacks a formula");
  CHECK(lesson(head + shape + formula) ==
        file + ":3: walk: the block sum needs a shape, a formula and code; it lacks code");
  CHECK(lesson("# X\n") == file + ":1: walk: each block of the drawing needs a section; got none for sum");
  CHECK(lesson("# X\n\n## product: P\n") == file + ":3: walk: the drawing must have the block product, once; got none");
  CHECK(lesson("# X\n\n## sum\n") == file + ":3: walk: a section's title is \"## NAME: Title\"; got \"sum\"");
  CHECK(lesson("# X\n", "y.svg blocks.md") ==
        "README.md:3: walk: needs a drawing and a file with its blocks; got \"y.svg blocks.md\"");
  CHECK(lesson(head + shape + formula + "<!-- code: x.h \"gone\" .. \"gone\" -->\n").starts_with(file + ":"));
}
