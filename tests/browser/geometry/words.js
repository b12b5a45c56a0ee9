// What a page says and how it is reached: no raw TeX or Markdown in a text, and every control that can be clicked can also
// be reached by Tab.
"use strict";
Object.assign(geometry, (() => {
  const raw = [/\$[^$\s][^$]*[\\_^{}][^$]*\$/, /\\[a-zA-Z]{2,}/, /[_^]\{/, /`/, /\*\*\S/, /\]\(\S+\)/];
  const plain = [/(?<!\w)([A-Za-z]{1,2}|sum|max|min|log|exp)_[a-z0-9]{1,2}\b/, /\w\^[\w(-]/];  // an index or a power that could be set as one
  const verbatim = "code, pre, kbd, samp, script, style, annotation, textarea";

  // Also texts that are folded, names of controls, and definitions.
  const markup = () => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    const judge = (node, text, forms = raw) => {
      const form = forms.find((one) => one.test(text));
      if (form) found.push(geometry.flaw("markup", node, `"${text.slice(Math.max(0, text.search(form) - 10)).trim().slice(0, 50)}"`));
    };
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.nodeType === 3) {
        if (node.data.trim() && !node.parentElement.closest(verbatim)) judge(node.parentElement, node.data, node.parentElement.closest("svg, option, button") ? raw : [...raw, ...plain]);
      } else for (const name of ["aria-label", "title", "placeholder", "data-tip", "alt"]) if (node.hasAttribute(name)) judge(node, node.getAttribute(name));
    }
    return found;
  };

  const controls = () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((node) =>
    node.checkVisibility({ visibilityProperty: true }) && !node.disabled && node.tabIndex >= 0);
  // Notes what gets the focus; `missed` then says what never did. Of a group of radio buttons Tab reaches the chosen one.
  const reached = new Set();
  const follow = () => {
    document.addEventListener("focusin", (event) => reached.add(event.target));
    return controls().length;
  };
  const missed = () => [
    ...controls().filter((node) => !reached.has(node) && !(node.type === "radio" && !node.checked)).map((node) => geometry.flaw("keyboard", node, "is not reached by Tab")),
    ...[...document.querySelectorAll("main *")].filter((node) => geometry.shown(node) && getComputedStyle(node).cursor === "pointer" && !node.closest("a, button, summary, label, select, input, [tabindex='0'], .also"))
      .map((node) => geometry.flaw("keyboard", node, "is clicked, but not reached by Tab")),
  ];
  return { markup, follow, missed };
})());
