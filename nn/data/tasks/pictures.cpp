#include "nn/data/tasks/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;

constexpr int kSide = static_cast<int>(kPictureSide);

struct Form {
  const char* name;
  int rows, columns;
  std::string_view cells;  // rows * columns
};
constexpr std::array<Form, 5> kForms = {{{"square", 2, 2, "####"},
                                         {"cross", 3, 3, ".#.###.#."},
                                         {"bar", 1, 3, "###"},
                                         {"post", 3, 1, "###"},
                                         {"ring", 3, 3, "####.####"}}};

const Form& form_of(const PlacedShape& s) { return kForms[static_cast<size_t>(s.form)]; }

// True if there is a free row or column between the two boxes.
bool apart(const PlacedShape& a, const PlacedShape& b) {
  auto ends_before = [](int begin, int size, int other) { return begin + size < other; };
  return ends_before(a.row, form_of(a).rows, b.row) || ends_before(b.row, form_of(b).rows, a.row) ||
         ends_before(a.column, form_of(a).columns, b.column) || ends_before(b.column, form_of(b).columns, a.column);
}

std::vector<std::string> relation(const PlacedShape& a, const PlacedShape& b) {
  if (a.row + form_of(a).rows <= b.row) return {"above"};
  return {a.column < b.column ? "left" : "right", "of"};
}

// Places shapes at random free positions. After a hundred tries it starts the picture again, since the first shapes may
// leave no room.
std::vector<PlacedShape> draw_shapes(Generator& rng, int64_t count, int64_t rows = kSide, int64_t columns = kSide) {
  std::vector<PlacedShape> shapes;
  for (int64_t tries = 0; static_cast<int64_t>(shapes.size()) < count; ++tries) {
    if (tries % 100 == 99) shapes.clear();
    PlacedShape s{.colour = static_cast<int>(rng.below(static_cast<int64_t>(picture_colours().size()))),
                  .form = static_cast<int>(rng.below(static_cast<int64_t>(kForms.size())))};
    s.row = static_cast<int>(rng.below(rows - form_of(s).rows + 1));
    s.column = static_cast<int>(rng.below(columns - form_of(s).columns + 1));
    if (std::all_of(shapes.begin(), shapes.end(), [&](const PlacedShape& other) { return apart(s, other); }))
      shapes.push_back(s);
  }
  return shapes;
}

std::vector<int> patches_of(const PlacedShape& shape, int columns) {
  const Form& form = form_of(shape);
  std::vector<int> list;
  for (int i = 0; i < form.rows * form.columns; ++i)
    if (form.cells[static_cast<size_t>(i)] == '#')
      list.push_back((shape.row + i / form.columns) * columns + shape.column + i % form.columns);
  return list;
}

void check(const std::vector<PlacedShape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PlacedShape& s = shapes[i];
    if (s.colour < 0 || std::cmp_greater_equal(s.colour, picture_colours().size()) || s.form < 0 ||
        std::cmp_greater_equal(s.form, kForms.size()))
      throw ValueError(fmt::format("make_picture: a shape must have one of {} colours and {} forms; got {} and {}",
                                   picture_colours().size(), kForms.size(), s.colour, s.form));
    if (s.row < 0 || s.column < 0 || s.row + form_of(s).rows > kSide || s.column + form_of(s).columns > kSide)
      throw ValueError(
          fmt::format("make_picture: a shape must lie inside the 8 x 8 grid; got a {} at row {}, column {}",
                      form_of(s).name, s.row, s.column));
    for (size_t k = 0; k < i; ++k)
      if (!apart(shapes[k], s))
        throw ValueError(
            fmt::format("make_picture: shapes must leave a free patch between their boxes; got a {} at {}, "
                        "{} and a {} at {}, {}",
                        form_of(shapes[k]).name, shapes[k].row, shapes[k].column, form_of(s).name, s.row, s.column));
  }
}

}  // namespace

const std::vector<std::string>& picture_colours() {
  static const std::vector<std::string> names = {"red", "blue", "green", "yellow"};
  return names;
}

const std::vector<std::string>& picture_forms() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Form& form : kForms) list.emplace_back(form.name);
    return list;
  }();
  return names;
}

std::vector<int> patches(const PlacedShape& shape) { return patches_of(shape, kSide); }

Picture make_picture(std::vector<PlacedShape> shapes) {
  check(shapes);
  std::sort(shapes.begin(), shapes.end(), [](const PlacedShape& a, const PlacedShape& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  std::vector<std::string> cells(kSide * kSide, "."), words;
  std::vector<Link> links;
  auto say = [&](const std::string& word, std::initializer_list<const PlacedShape*> about) {
    for (const PlacedShape* shape : about)
      for (int patch : patches(*shape)) links.push_back(possible(static_cast<size_t>(patch), words.size()));
    words.push_back(word);
  };
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PlacedShape& shape = shapes[i];
    const std::string& colour = picture_colours()[static_cast<size_t>(shape.colour)];
    for (int patch : patches(shape)) cells[static_cast<size_t>(patch)] = colour;
    if (i > 0)
      for (const std::string& word : relation(shapes[i - 1], shape)) say(word, {&shapes[i - 1], &shape});
    say(colour, {&shape});
    say(form_of(shape).name, {&shape});
  }
  Picture picture;
  picture.caption = aligned("picture", std::move(cells), std::move(words), std::move(links));
  for (size_t s = 0; s < picture.caption.source.size(); ++s)
    picture.caption.source_content[s] = picture.caption.source[s] != ".";
  for (size_t t = 0; t < picture.caption.target.size(); ++t)
    picture.caption.target_content[t] = picture.caption.target[t] != "of";
  picture.shapes = std::move(shapes);
  return picture;
}

Tensor Picture::grid() const {
  auto colours = static_cast<int64_t>(picture_colours().size()), forms = static_cast<int64_t>(kForms.size());
  int64_t C = colours + forms;
  Tensor grid = Tensor::zeros({kPictureSide, kPictureSide, C});
  for (const PlacedShape& shape : shapes)
    for (int patch : patches(shape)) {
      grid.data<float>()[patch * C + shape.colour] = 1;
      grid.data<float>()[patch * C + colours + shape.form] = 1;
    }
  return grid;
}

PictureTask picture_task(const PictureOptions& o) {
  Plan plan{"picture", o.shapes, given(o.held_out_shapes, o.shapes), o.parts};
  check_parts(plan.task, o.parts);
  check_range(plan.task, "shapes", plan.sizes, 1);
  check_range(plan.task, "held-out shapes", plan.held_out, 1);
  int64_t most = std::max(plan.sizes.most, plan.held_out.most);
  if (most > 3) throw ValueError(fmt::format("picture: there must be at most 3 shapes; got {}", most));
  auto make = [](Generator& rng, int64_t count) { return draw_shapes(rng, count); };
  auto key = [](std::vector<PlacedShape> shapes) {
    std::string text;  // in reading order, so that the order in which the shapes were drawn does not matter
    std::sort(shapes.begin(), shapes.end(), [](const PlacedShape& a, const PlacedShape& b) {
      return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
    for (const PlacedShape& s : shapes) text += fmt::format("{} {} {} {};", s.colour, s.form, s.row, s.column);
    return text;
  };
  auto drawn = draw<std::vector<PlacedShape>>(plan, make, key);
  std::vector<std::string> words = picture_colours();
  words.insert(words.end(), picture_forms().begin(), picture_forms().end());
  words.insert(words.end(), {"above", "left", "right", "of"});
  PictureTask task{plan.task, Symbols(words), {}, {}, {}};
  for (auto [shapes, pictures] : {std::pair(&drawn.train, &task.train), std::pair(&drawn.validation, &task.validation),
                                  std::pair(&drawn.test, &task.test)})
    for (std::vector<PlacedShape>& list : *shapes) pictures->push_back(make_picture(std::move(list)));
  return task;
}

PictureBatch picture_batch(const PictureTask& task, const std::vector<Picture>& pictures,
                           std::vector<int64_t> members) {
  std::vector<EncodedPair> captions;
  std::vector<int64_t> places;
  std::vector<float> values;
  int64_t C = static_cast<int64_t>(picture_colours().size() + picture_forms().size());
  for (int64_t m : members) {
    if (m < 0 || std::cmp_greater_equal(m, pictures.size()))
      throw IndexError(fmt::format("picture_batch: a member must lie in [0, {}); got {}", pictures.size(), m));
    const Picture& picture = pictures[static_cast<size_t>(m)];
    Tensor grid = picture.grid();
    values.insert(values.end(), grid.data<float>(), grid.data<float>() + grid.count());
    places.push_back(static_cast<int64_t>(places.size()));
    // A dummy source, because make_batch refuses an empty one.
    captions.push_back({{0}, task.words.encode(picture.caption.target)});
  }
  if (members.empty()) throw ValueError("picture_batch: needs at least one picture; got none");
  Batch batch = make_batch(captions, places);
  return {Tensor::from(values, {static_cast<int64_t>(members.size()), kPictureSide * kPictureSide, C}), batch.target_in,
          batch.target_out, batch.tokens, std::move(members)};
}

FindBatch find_batch(const FindOptions& o, int64_t count, Generator& rng) {
  // A shape and its margin cover at most 4 x 4 patches, so that this many shapes always fit.
  if (o.shapes < 1 || o.shapes > (o.rows / 8) * (o.columns / 4))
    throw ValueError(
        fmt::format("find_batch: a picture of R rows and C columns has 1 to (R / 8) (C / 4) shapes; got {} "
                    "rows, {} columns and {} shapes",
                    o.rows, o.columns, o.shapes));
  const auto colours = static_cast<int64_t>(picture_colours().size());
  FindBatch batch{Tensor::zeros({count, o.rows * o.columns, colours}), {}, {}};
  std::vector<int64_t> forms, places;
  for (int64_t b = 0; b < count; ++b) {
    std::vector<PlacedShape> shapes = draw_shapes(rng, o.shapes, o.rows, o.columns);
    for (PlacedShape& s : shapes) s.colour = &s == &shapes[0] ? 0 : 1 + static_cast<int>(rng.below(colours - 1));
    for (const PlacedShape& s : shapes)
      for (int patch : patches_of(s, static_cast<int>(o.columns))) batch.patches.set({b, patch, s.colour}, 1);
    forms.push_back(shapes[0].form), places.push_back(shapes[0].row * o.columns + shapes[0].column);
  }
  batch.form = Tensor::from(forms, {count}), batch.place = Tensor::from(places, {count});
  return batch;
}

}  // namespace heed::data
