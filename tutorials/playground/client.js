// The page's side of the engine: the WebAssembly is decoded and compiled once; each engine is a worker of its own, so that
// training and translating do not wait for each other, and the page never waits for either.
"use strict";
document.documentElement.classList.toggle("framed", window.self !== window.top);  // the page around it has a title already
heed.bytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));

heed.engine = (() => {
  let compiled = null, source = null;
  const start = async ({ weights, seed = 1 }) => {
    compiled = compiled || WebAssembly.compile(heed.bytes("engine-wasm"));
    source = source || URL.createObjectURL(new Blob([document.getElementById("engine-glue").textContent, "\n", document.getElementById("engine-host").textContent], { type: "text/javascript" }));
    const worker = new Worker(source), waiting = new Map();
    let last = 0;
    worker.onmessage = ({ data }) => {
      const { resolve, reject } = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) reject(new Error(data.error)); else resolve(data.result);
    };
    worker.onerror = (event) => { for (const { reject } of waiting.values()) reject(new Error(event.message)); };
    const call = (name, ...given) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, call: name, arguments: given });
    });
    const page = JSON.parse(document.getElementById("heed-data").textContent);
    await call("open", await compiled, weights ? new Uint16Array(heed.bytes("engine-weights").buffer) : null, seed, page.sentences);
    return { call, stop: () => worker.terminate() };
  };
  return { start };
})();

// The engine that translates, opened when the first panel asks for it.
heed.translator = (() => {
  let opening = null;
  return () => { opening = opening || heed.engine.start({ weights: true }); return opening; };
})();
