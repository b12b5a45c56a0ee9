// heed search: the lines of a file that mean what a query means. Each line and the query become vectors; the lines
// with the largest cosines are the answer (nn/sentence/retrieval.h).
//
//   heed search --model all-MiniLM-L6-v2 --corpus notes.txt "how do I save a model"
//   0.7123  41  A model is saved with save_pretrained.        cosine TAB number of the line TAB the line
//
// The file is encoded once; without a query each line of standard input is one, and an empty line ends its answer.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <utility>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/sentence/retrieval.h"
#include "nn/text/unicode.h"
#include "nn/train/progress.h"
#include "tensor/indexing.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/embedder.h"
#include "tutorials/app/standard_input.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

struct Corpus {
  std::vector<std::string> lines;  // without the empty ones
  std::vector<int64_t> numbers;    // of each in the file
  Tensor vectors;                  // [M, D]
};

Corpus encoded_corpus(const Embedder& embedder, const std::string& path, const std::string& prompt) {
  Corpus corpus;
  std::vector<std::string> all = text::read_lines(path);
  for (size_t i = 0; i < all.size(); ++i) {
    if (text::is_blank(all[i])) continue;
    corpus.lines.push_back(std::move(all[i])), corpus.numbers.push_back(static_cast<int64_t>(i) + 1);
  }
  if (corpus.lines.empty())
    throw InputError(fmt::format("search: the corpus must have a line with words; got \"{}\"", path));
  std::vector<Tensor> parts;  // [lines, D]
  nn::Progress progress(std::ssize(corpus.lines), {.label = "corpus", .unit = "lines"});
  for (size_t from = 0; from < corpus.lines.size(); from += kSentencesAtOnce) {
    const size_t to = std::min(from + kSentencesAtOnce, corpus.lines.size());
    SplitLines some;
    for (size_t i = from; i < to; ++i) some.push_back(embedder.prepared(corpus.lines[i], corpus.numbers[i]));
    for_lines(some, corpus.numbers[from],
              [&](const SplitLines& lines) { parts.push_back(embedder.vectors(lines, prompt)); });
    if (isatty(2)) progress.step({.items = static_cast<int64_t>(to - from), .steps = static_cast<int64_t>(to - from)});
  }
  corpus.vectors = concat(parts, 0);
  return corpus;
}

class Search {
 public:
  Search(const Embedder& embedder, const Corpus& corpus, int64_t top, std::string prompt)
      : embedder_(embedder), corpus_(corpus), top_(top), prompt_(std::move(prompt)) {}

  // Prints the answers to some queries; those without words have none. `first`: the number of queries[0].
  void answer(const std::vector<std::string>& queries, int64_t first, bool ended) {
    SplitLines prepared;
    for (size_t i = 0; i < queries.size(); ++i)
      prepared.push_back(embedder_.prepared(queries[i], first + static_cast<int64_t>(i)));
    size_t next = 0;
    for_lines(prepared, first, [&](const SplitLines& some) {
      const auto found = nn::nearest(embedder_.vectors(some, prompt_), corpus_.vectors, top_);
      for (const auto& neighbours : found) {
        const std::string& query = queries[next++];
        print(query, text::is_blank(query) ? std::vector<nn::Neighbour>{} : neighbours);
        if (ended) fmt::print("\n");
      }
    });
    flush_output();
  }
  io::Json results = io::Json::array();

 private:
  void print(const std::string& query, const std::vector<nn::Neighbour>& neighbours) {
    io::Json list = io::Json::array();
    for (const nn::Neighbour& one : neighbours) {
      const auto i = static_cast<size_t>(one.row);
      fmt::print("{:.4f}\t{}\t{}\n", one.cosine, corpus_.numbers[i], corpus_.lines[i]);
      list.push(io::Json::object({{"cosine", one.cosine}, {"line", corpus_.numbers[i]}, {"text", corpus_.lines[i]}}));
    }
    results.push(io::Json::object({{"query", query}, {"results", list}}));
  }

  const Embedder& embedder_;
  const Corpus& corpus_;
  int64_t top_;
  std::string prompt_;
};

// Queries that are there at the same time are encoded together; none waits for one that is not there yet.
void answer_standard_input(Search& search) {
  StandardInput input;
  std::istream stream(&input);
  text::LineReader reader(stream, "standard input");
  std::vector<std::string> waiting;
  int64_t first = 1;
  const bool asks = isatty(0) && isatty(2);
  auto ask = [&] {
    if (asks) fmt::print(stderr, "query: ");
  };
  auto answer = [&] {
    search.answer(waiting, first, true);
    first += std::ssize(waiting);
    waiting.clear();
    ask();
  };
  ask();
  try {
    for (std::string line; reader.next(line);) {
      waiting.push_back(line);
      if (waiting.size() >= kSentencesAtOnce || !input.line_ready(kMaxBytes)) answer();
    }
  } catch (const InputError&) {  // what came before is answered all the same
    if (!waiting.empty()) answer();
    throw;
  }
  if (!waiting.empty()) answer();
  if (asks) fmt::print(stderr, "\n");
}

}  // namespace

int search_main(int argc, char** argv) {
  Common common;
  EmbedderOptions model;
  std::string corpus_file, json;
  std::optional<std::string> query;
  int64_t top = 5;
  Options options("heed search",
                  "Prints the lines of a file whose vectors have the largest cosines with the vector of a query.");
  options.positional("QUERY", &query, "text to look for; without it, each line of standard input is a query");
  options.add("--model", &model.folder, "folder of a published model, a sentence encoder or a saved translator")
      .placeholder("DIR");
  options.add("--corpus", &corpus_file, "file with one sentence per line").required().placeholder("F");
  options.add("--top", &top, "number of lines per query").between(1, 1'000'000);
  options
      .add("--pooling", &model.pooling,
           "how token vectors become one sentence vector; default: that of the encoder, else mean")
      .one_of(nn::sentence_poolings());
  options.add("--json", &json, "write the queries and their lines as JSON to the file F, too").placeholder("F");
  options.add("--threads", &common.threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.epilogue(
      "A line of the answer is its cosine, TAB, its number in the file, TAB, its\n"
      "text, the nearest first. Empty lines of the file are left out. After the\n"
      "answer to a line of standard input comes an empty line. If the model has\n"
      "prompts for queries and for documents, they are used.");
  options.parse(argc, argv);
  apply_common(common);
  if (model.folder.empty())
    throw InputError(
        "search: --model must name the folder of a model; got none; hint: ./heed get "
        "sentence-transformers/all-MiniLM-L6-v2 downloads one and prints its folder");
  if (query && text::is_blank(*query)) throw InputError("search: a query must have words; got an empty one");
  require_apart("search: --json", json, {corpus_file, model.folder});
  std::optional<io::AtomicFile> file;
  if (!json.empty()) file.emplace(json);  // a path that cannot be written is refused before the work
  const Embedder embedder("search", model);
  const nn::published::SentenceEncoder* published = embedder.published();
  const Corpus corpus =
      encoded_corpus(embedder, corpus_file, published ? published->prompt_of_documents() : std::string());
  Search search(embedder, corpus, top, published ? published->prompt_of_queries() : std::string());
  if (query)
    search.answer({*query}, 1, false);
  else
    answer_standard_input(search);
  if (!file) return 0;
  file->write(search.results.dump(2) + "\n");
  file->commit();
  return 0;
}

}  // namespace heed::app
