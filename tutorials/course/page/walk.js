// A drawing whose blocks can be walked (course/walk.h): one block at a time is explained beside it. Every box of the drawing
// is a button: a click or Enter chooses its block, the arrow keys go to the box above, below or beside it. Two more buttons
// walk through all blocks in the order in which a sentence does.
"use strict";
{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
.walk { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 1rem 2rem; align-items: start;
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.2rem 1.4rem; margin: 1.2rem 0; }
.walk > * { min-width: 0; }
.walk .map svg { display: block; width: 100%; height: auto; max-width: 460px; margin: 0 auto; }
.walk .map .box { cursor: pointer; outline: none; fill: transparent; stroke: transparent; stroke-width: 4; }
.walk .map .box:hover { stroke: var(--faint); }
.walk .map .box.same { stroke: var(--faint); stroke-dasharray: 7 5; }
.walk .map .box[aria-pressed=true] { stroke: var(--accent); stroke-dasharray: none; }
.walk .map .box:focus-visible { stroke: var(--ink); stroke-dasharray: none; }
.walk .controls { margin: 0 0 0.6rem; }
.walk .controls output { color: var(--soft); }
.course main .walk .block h3 { margin: 0.2rem 0 0.6rem; }
.course main .walk .block p { max-width: none; margin: 0 0 0.8rem; }
.walk .shape span { color: var(--soft); margin-right: 0.5em; }
.walk .block figure { margin: 0 0 0.8rem; }
.walk .block pre.scroll { width: auto; min-width: 0; margin: 0; }
.walk .block div.math { overflow-x: auto; --edge: var(--card); }
@media (max-width: 640px) { .walk { padding: 0.9rem 0.6rem; } .walk .blocks { padding: 0 0.4rem; } }
@media screen { .walk .block[hidden] { display: none; } }
@media print { .walk { display: block; } .walk .block[hidden] { display: block; } .walk .map .box { stroke: none !important; } }
`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

heed.walk = (walk) => {
  const picture = walk.querySelector("svg"), blocks = [...walk.querySelectorAll(".block")], number = (rect, name) => Number(rect.getAttribute(name));
  const title = (block) => block.querySelector("h3").textContent;
  const middle = Number(picture.getAttribute("viewBox").split(" ")[2]) / 2;
  picture.setAttribute("role", "group");
  const boxes = [...picture.querySelectorAll("rect[data-part]")].map((rect) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => number(rect, name)), block = blocks.find((one) => one.dataset.part === rect.dataset.part);
    const side = x + width / 2 < middle ? "encoder" : "decoder";
    const button = heed.svg("rect", { class: "box", x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: Math.min(height / 2 + 3, 10), tabindex: 0, role: "button",
      "aria-label": `${title(block)}, in the ${side}`, "aria-pressed": "false", "data-box": rect.dataset.part });
    return { button, block, side, x: x + width / 2, y: y + height / 2 };
  });
  picture.append(...boxes.map((box) => box.button));

  const shown = heed.el("output", {}), back = heed.el("button", { type: "button" }, "← Back"), next = heed.el("button", { type: "button" }, "Next block →");
  walk.querySelector(".blocks").prepend(heed.el("div", { class: "controls" }, back, next, shown));
  let now = null;
  const choose = (box, aloud = true) => {
    now = box;
    const at = blocks.indexOf(box.block);
    for (const one of boxes) {
      one.button.setAttribute("aria-pressed", String(one === box));
      one.button.classList.toggle("same", one !== box && one.block === box.block);
    }
    blocks.forEach((block) => { block.hidden = block !== box.block; });
    shown.textContent = `block ${at + 1} of ${blocks.length}`;
    back.disabled = at === 0;
    next.disabled = at === blocks.length - 1;
    if (heed.markScrolling) heed.markScrolling();
    if (aloud) heed.say(`${title(box.block)}, ${box.block.querySelector(".shape").textContent}`);
    walk.walkState = { part: box.block.dataset.part, side: box.side };
  };
  // The box of the next block that is nearest above the one chosen now.
  const step = (by) => {
    const block = blocks[blocks.indexOf(now.block) + by];
    if (block) choose(boxes.filter((box) => box.block === block).sort((a, b) => Math.hypot(a.x - now.x, a.y - now.y) - Math.hypot(b.x - now.x, b.y - now.y))[0]);
  };
  back.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  for (const box of boxes) {
    box.button.addEventListener("click", () => choose(box));
    box.button.addEventListener("keydown", (event) => {
      const way = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (event.key === "Enter" || event.key === " ") choose(box);
      else if (way) {
        const beyond = boxes.filter((one) => (way[0] ? way[0] * (one.x - box.x) > 40 : way[1] * (one.y - box.y) > 1 && one.side === box.side));
        const far = (one) => (way[0] ? Math.abs(one.y - box.y) : Math.abs(one.y - box.y) + Math.abs(one.x - box.x));
        const to = beyond.sort((a, b) => far(a) - far(b))[0];
        if (!to) return;
        to.button.focus();
        choose(to);
      } else return;
      event.preventDefault();
    });
  }
  const addressed = () => blocks.find((block) => `#${block.id}` === location.hash);  // #block-NAME
  addEventListener("hashchange", () => { if (addressed()) choose(boxes.find((box) => box.block === addressed())); });
  choose(boxes.find((box) => box.block === (addressed() || blocks[0])), false);
};

heed.startWalks = () => { for (const walk of document.querySelectorAll("[data-walk]")) heed.walk(walk); };
document.addEventListener("DOMContentLoaded", heed.startWalks);
