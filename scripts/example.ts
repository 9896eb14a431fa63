/**
 * Serves the video of `extension/example`, to try the browser extension with: `npm run extension:example`. `--port`
 * sets the port (8000 by default).
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answerRange } from "./ranges.ts";

const FOLDER = join(import.meta.dirname, "../extension/example");

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/harbour.webm": { name: "harbour.webm", type: "video/webm" },
  "/harbour.vtt": { name: "harbour.vtt", type: "text/vtt" },
};

const { port } = parseArgs({ options: { port: { type: "string", default: "8000" } } }).values;

createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (file === undefined) response.writeHead(404).end();
  else answerRange(request, response, { type: file.type, bytes: readFileSync(join(FOLDER, file.name)) });
}).listen(Number(port), "127.0.0.1", () => {
  process.stdout.write(`Open http://localhost:${port}\n`);
});
