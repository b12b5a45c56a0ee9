// The worker's side: the engine in WebAssembly, and one function for messages {id, call, arguments}. The page (client.js)
// makes the worker from a Blob of the compiler's glue and this file; node runs the same two files in the tests.
"use strict";
const openEngine = async (module, weights, seed, sentences) => {
  const engine = await heedEngine({  // the glue's name
    instantiateWasm: (imports, receive) => { WebAssembly.instantiate(module, imports).then(receive); return {}; },
  });
  const parameters = engine._play_open(sentences, seed);
  // f(words.., numbers) with texts and arrays copied into the engine's memory for the call
  const call = (name, ...given) => {
    const blocks = [], wanted = given.map((one) => {
      if (typeof one === "number") return one;
      const bytes = typeof one === "string" ? new TextEncoder().encode(one + "\0") : new Uint8Array(one.buffer, one.byteOffset, one.byteLength);
      const place = engine._malloc(bytes.length + 8);
      engine.HEAPU8.set(bytes, place);
      blocks.push(place);
      return place;
    });
    const answer = engine.UTF8ToString(engine[`_play_${name}`](...wanted));
    blocks.forEach((place) => engine._free(place));
    const result = JSON.parse(answer);
    if (result && result.error) throw new Error(result.error);
    return result;
  };
  const flat = (forced) => new Float64Array(forced.flat());
  const calls = {
    parameters: () => parameters,
    examples: () => call("examples"),
    translate: (sentence, forced) => call("translate", sentence, flat(forced), forced.length),
    explain: (sentence, forced, kind, step, at) => call("explain", sentence, flat(forced), forced.length, kind, step, at),
    train: (steps) => call("train", steps),
    alignment: () => call("alignment"),
    load: (numbers) => call("load", numbers, numbers.length),
  };
  if (weights) calls.load(weights);
  return calls;
};

if (typeof self !== "undefined" && typeof importScripts === "function") {
  let engine = null;
  self.onmessage = async ({ data }) => {
    try {
      if (data.call === "open") engine = await openEngine(...data.arguments);
      const result = data.call === "open" ? true : engine[data.call](...data.arguments);
      self.postMessage({ id: data.id, result });
    } catch (error) {
      self.postMessage({ id: data.id, error: error.message });
    }
  };
} else if (typeof module !== "undefined") {
  module.exports = openEngine;
}
