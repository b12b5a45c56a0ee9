// Pictures and documents: the caption read off the tensor, the label read off the words.
#include <array>
#include <map>

#include "nn/data/tasks/documents.h"
#include "nn/data/tasks/pictures.h"
#include "nn/text/vocabulary.h"
#include "tensor/elementwise.h"
#include "tests/nn/data/tasks_support.h"

using namespace heed;
using namespace heed::data;
using namespace heed::nn_test;

namespace {

struct Seen {  // a shape as the tensor shows it
  std::string colour, form;
  int top = 8, left = 8, bottom = -1, right = -1;
  std::set<int> patches;
};

// The shapes of a grid [8, 8, C]: patches that touch belong together. In reading order of their boxes.
std::vector<Seen> look(const Tensor& grid) {
  auto colours = static_cast<int64_t>(picture_colours().size()), C = grid.size(2);
  auto named = [&](int r, int c) {
    std::string colour, form;
    for (int64_t k = 0; k < C; ++k) {
      double value = grid.at({r, c, k});
      CHECK((value == 0 || value == 1));
      if (value == 0) continue;
      std::string& name = k < colours ? colour : form;
      CHECK(name.empty());  // one colour, one form
      name =
          k < colours ? picture_colours()[static_cast<size_t>(k)] : picture_forms()[static_cast<size_t>(k - colours)];
    }
    CHECK(colour.empty() == form.empty());
    return std::pair(colour, form);
  };
  std::array<int, 64> mark{};
  std::vector<Seen> seen;
  for (int start = 0; start < 64; ++start) {
    if (mark[static_cast<size_t>(start)] || named(start / 8, start % 8).first.empty()) continue;
    Seen shape;
    std::tie(shape.colour, shape.form) = named(start / 8, start % 8);
    std::vector<int> open{start};
    mark[static_cast<size_t>(start)] = 1;
    while (!open.empty()) {
      int cell = open.back(), r = cell / 8, c = cell % 8;
      open.pop_back();
      CHECK(named(r, c) == std::pair(shape.colour, shape.form));
      shape.patches.insert(cell);
      shape.top = std::min(shape.top, r), shape.bottom = std::max(shape.bottom, r);
      shape.left = std::min(shape.left, c), shape.right = std::max(shape.right, c);
      for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
          int y = r + dr, x = c + dc;
          if (y < 0 || y > 7 || x < 0 || x > 7 || mark[static_cast<size_t>(y * 8 + x)]) continue;
          if (named(y, x).first.empty()) continue;
          mark[static_cast<size_t>(y * 8 + x)] = 1;
          open.push_back(y * 8 + x);
        }
    }
    seen.push_back(shape);
  }
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return std::pair(a.top, a.left) < std::pair(b.top, b.left); });
  return seen;
}

std::string drawn(const Picture& picture) {
  std::string text;
  for (size_t i = 0; i < 64; ++i)
    text += std::string(i % 8 == 0 && i > 0 ? "/" : "") + picture.caption.source[i].substr(0, 1);
  return text;
}

}  // namespace

TEST_CASE("tasks: the five forms, drawn") {
  std::vector<PlacedShape> all = {{.form = 0, .row = 0, .column = 0},
                                  {.colour = 1, .form = 1, .row = 0, .column = 4},
                                  {.form = 2, .row = 3, .column = 0},
                                  {.form = 3, .row = 5, .column = 7},
                                  {.colour = 2, .form = 4, .row = 5, .column = 3}};
  CHECK(drawn(make_picture(all)) == "rr...b../rr..bbb./.....b../rrr...../......../...ggg.r/...g.g.r/...ggg.r");
}

TEST_CASE("tasks: a picture and its caption, by hand") {
  Picture picture = make_picture({{.colour = 1, .form = 1, .row = 3, .column = 4}, {.row = 1, .column = 1}});
  CHECK(joined(picture.caption.target) == "red square above blue cross");
  CHECK(drawn(picture) == "......../.rr...../.rr...../.....b../....bbb./.....b../......../........");
  picture = make_picture({{.colour = 3, .form = 2, .row = 1, .column = 0}, {.form = 3, .row = 0, .column = 7}});
  CHECK(joined(picture.caption.target) == "red post right of yellow bar");
  CHECK(picture.shapes[0].form == 3);
  Tensor grid = picture.grid();
  CHECK(grid.shape() == Shape{8, 8, 9});
  CHECK(grid.at({1, 2, 3}) == 1);
  CHECK(grid.at({1, 2, 4 + 2}) == 1);
  CHECK(grid.at({2, 7, 0}) == 1);
  CHECK(grid.at({2, 7, 4 + 3}) == 1);
  double total = 0;
  for (double v : grid.to_vector()) total += v;
  CHECK(total == 12);  // six patches, two channels each
}

TEST_CASE("tasks: captions say what the tensor shows, and links lead to the patches of what a word says") {
  PictureTask task = picture_task({.parts = {.train = 600, .validation = 60, .test = 60}});
  PictureTask again = picture_task({.parts = {.train = 600, .validation = 60, .test = 60}});
  std::map<size_t, int64_t> counts;
  std::map<std::string, int64_t> words;
  std::set<std::string> train;
  for (const Picture& picture : task.train)
    train.insert(joined(picture.caption.source) + joined(picture.caption.target));
  for (const auto* held_out : {&task.validation, &task.test})
    for (const Picture& picture : *held_out)
      CHECK(train.count(joined(picture.caption.source) + joined(picture.caption.target)) == 0);
  for (size_t i = 0; i < task.train.size(); ++i) {
    const Picture& picture = task.train[i];
    CHECK(picture.caption.target == again.train[i].caption.target);
    CHECK(picture.caption.links == again.train[i].caption.links);
    std::vector<Seen> seen = look(picture.grid());
    ++counts[seen.size()];
    std::vector<std::string> said;
    std::vector<std::set<int>> gold;
    for (size_t k = 0; k < seen.size(); ++k) {
      if (k > 0) {
        const Seen &a = seen[k - 1], &b = seen[k];
        std::set<int> both = a.patches;
        both.insert(b.patches.begin(), b.patches.end());
        bool above = a.bottom < b.top;
        said.push_back(above ? "above" : a.right < b.left ? "left" : "right");
        gold.push_back(both);
        if (!above) said.push_back("of"), gold.push_back(both);
      }
      for (const std::string& word : {seen[k].colour, seen[k].form})
        said.push_back(word), gold.push_back(seen[k].patches);
    }
    CHECK(picture.caption.target == said);
    std::vector<std::set<int>> links(said.size());
    for (const Link& link : picture.caption.links) {
      links[static_cast<size_t>(link.target)].insert(link.source);
      CHECK(!link.sure);
    }
    CHECK(links == gold);
    for (const std::string& word : said) ++words[word];
    CHECK(task.words.decode(task.words.encode(said)) == said);
  }
  CHECK(counts.size() == 3);
  for (const auto& [shapes, count] : counts) CHECK(count == doctest::Approx(200).epsilon(0.2));
  CHECK(words.size() == 13);  // 4 colours, 5 forms, above, left, right, of
  CHECK(task.words.classes() == 13);

  PictureBatch batch = picture_batch(task, task.train, {5, 9});
  CHECK(batch.patches.shape() == Shape{2, 64, 9});
  CHECK(bit_equal(batch.patches.select(0, 1).reshape({8, 8, 9}), task.train[9].grid()));
  auto length = static_cast<int64_t>(task.train[9].caption.target.size());
  CHECK(batch.target_in.at({1, 0}) == text::Vocabulary::start);
  CHECK(batch.target_out.at({1, length}) == text::Vocabulary::stop);
  CHECK(task.words.name(static_cast<int64_t>(batch.target_out.at({1, 1}))) == task.train[9].caption.target[1]);
  CHECK(batch.tokens == length + 2 + static_cast<int64_t>(task.train[5].caption.target.size()));
}

TEST_CASE("tasks: documents: one sentence decides") {
  DocumentTask task = document_task({.parts = {.train = 4000}});
  std::map<int64_t, int64_t> labels, cues;
  int64_t bag_right = 0;
  std::set<std::string> train;
  for (const Document& d : task.train) {
    CHECK(d.sentences.size() == 10);
    std::string row;
    int64_t verdicts = 0;
    std::map<std::string, int64_t> bag;
    std::string decided;
    for (size_t s = 0; s < d.sentences.size(); ++s) {
      std::vector<std::string> class_words;
      bool verdict = false;
      CHECK((d.sentences[s].size() >= 4 && d.sentences[s].size() <= 8));
      CHECK(d.tags[s].size() == d.sentences[s].size());
      for (size_t w = 0; w < d.sentences[s].size(); ++w) {
        const std::string& word = d.sentences[s][w];
        if (word[0] == 'c') class_words.push_back(word);
        if (word == "verdict") verdict = true, ++verdicts;
        int64_t tag = word[0] != 'c' ? 0 : word == "c" + std::to_string(d.label) ? 1 : 2;
        CHECK(d.tags[s][w] == tag);
        row += word + " ";
      }
      REQUIRE(class_words.size() == 1);
      ++bag[class_words[0]];
      if (verdict) decided = class_words[0];
      CHECK(verdict == (static_cast<int64_t>(s) == d.cue_sentence));
    }
    CHECK(verdicts == 1);
    CHECK(decided == "c" + std::to_string(d.label));
    const auto& cue = d.sentences[static_cast<size_t>(d.cue_sentence)];
    CHECK(cue[static_cast<size_t>(d.cue_word)] == decided);
    CHECK(cue[static_cast<size_t>(d.verdict)] == "verdict");
    AlignedPair pair = task.pair(d);
    CHECK(joined(pair.source) + " " == row);
    CHECK(pair.target == std::vector<std::string>{decided});
    REQUIRE(pair.links.size() == 2);
    for (const Link& link : pair.links)
      CHECK(pair.source[static_cast<size_t>(link.source)] == (link.sure ? decided : "verdict"));
    ++labels[d.label];
    ++cues[d.cue_sentence];
    auto most = std::max_element(bag.begin(), bag.end(), [](auto& a, auto& b) { return a.second < b.second; });
    bag_right += most->first == decided;
    train.insert(row);
  }
  for (const auto& [label, count] : labels) CHECK(count == doctest::Approx(1000).epsilon(0.12));
  CHECK(cues.size() == 10);
  for (const auto& [cue, count] : cues) CHECK(count == doctest::Approx(400).epsilon(0.2));
  CHECK(bag_right == doctest::Approx(0.42 * 4000).epsilon(0.05));
  for (const Document& d : task.test) { CHECK(train.count(joined(task.pair(d).source) + " ") == 0); }
}

TEST_CASE("tasks: documents as tensors") {
  DocumentTask task = document_task({.sentences = {2, 5}, .parts = {.train = 50, .validation = 0, .test = 0}});
  std::vector<int64_t> members = {4, 0, 17};
  DocumentBatch batch = document_batch(task, task.train, members);
  for (int64_t b = 0; b < 3; ++b) {
    const Document& d = task.train[static_cast<size_t>(members[static_cast<size_t>(b)])];
    CHECK(batch.sentences.at({b}) == static_cast<double>(d.sentences.size()));
    CHECK(batch.labels.at({b}) == static_cast<double>(d.label));
    int64_t place = 0;
    for (int64_t s = 0; s < batch.words.size(1); ++s) {
      auto i = static_cast<size_t>(s);
      int64_t n = i < d.sentences.size() ? static_cast<int64_t>(d.sentences[i].size()) : 0;
      CHECK(batch.word_counts.at({b, s}) == static_cast<double>(n));
      for (int64_t w = 0; w < batch.words.size(2); ++w) {
        if (w >= n) {
          CHECK(batch.words.at({b, s, w}) == 0);
          CHECK(batch.tags.at({b, s, w}) == -100);
          continue;
        }
        auto id = static_cast<double>(task.words.id(d.sentences[i][static_cast<size_t>(w)]));
        CHECK(batch.words.at({b, s, w}) == id);
        CHECK(batch.flat.at({b, place++}) == id);
        CHECK(batch.tags.at({b, s, w}) == static_cast<double>(d.tags[i][static_cast<size_t>(w)]));
      }
    }
    CHECK(batch.flat_lengths.at({b}) == static_cast<double>(place));
    for (; place < batch.flat.size(1); ++place) CHECK(batch.flat.at({b, place}) == 0);
    auto cue = static_cast<int64_t>(batch.cue_sentence.at({b})), word = static_cast<int64_t>(batch.cue_word.at({b}));
    double id = batch.words.at({b, cue, word});
    CHECK(task.words.name(static_cast<int64_t>(id)) == "c" + std::to_string(d.label));
    CHECK(batch.flat.at({b, static_cast<int64_t>(batch.cue_flat.at({b}))}) == id);
  }
}
