/**
 * Bundles `web/` into `dist/web/`: the page, its script, the worker that colours code, and the style, under names that
 * change with their content, so that a browser may keep them for ever. `manifest.json` lists them. `file.html` is the
 * viewer in one file, in which `continuo view ID --output FILE` puts a session.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { appFiles, named } from "./app-files.ts";
import { filePage } from "./file-page.ts";

/**
 * Modules that belong together are one file, which compresses better than many small shared parts; each file also costs
 * the headers of a response. Every page needs `page`, every session `conversation`; `text` draws messages without their
 * Markdown, which is loaded later.
 */
const GROUPS = [
  {
    name: "page",
    test: /node_modules\/(?:preact|@preact|@tanstack)\/|\/web\/(?:shell|list)\//u,
    priority: 3,
  },
  {
    name: "text",
    test: /\/transcript\/render\/|\/html\/(?:call|diff|escape|image|language|title)\.ts|\/web\/(?:content\/(?!message-html)|colour\/)/u,
    priority: 2,
  },
  {
    name: "conversation",
    test: /\/web\/(?:session\/(?:choices|conversation|estimate|rows|session-state|facts)|state\/(?:history|live|loaded-turns|outline))\.tsx?$/u,
    priority: 2,
  },
  {
    name: "markdown",
    test: /node_modules\/marked\/|\/transcript\/html\/|\/web\/content\/message-html/u,
    priority: 1,
  },
];

/** The styles in the order in which they apply: those for the list and a session, then those that are loaded later. */
const STYLES = ["theme.css", "page.css", "list.css", "session.css", "content.css"];
const LATER_STYLES = [
  "parts.css",
  "highlights.css",
  "facts.css",
  "blame.css",
  "print.css",
  "lost.css",
  "trash.css",
  "chosen.css",
  "new-chat.css",
  "film.css",
  "compare.css",
  "chat.css",
  "health.css",
  "inbox.css",
  "phones.css",
  "usage.css",
  "channels.css",
  "live.css",
  "low.css",
];

const CLIENT = "packages/core/src/client/page.ts";

export interface WebManifest {
  /** The files that the page needs before it shows the list. */
  readonly first: readonly string[];
  /** The files that it needs in addition to show a session. */
  readonly session: readonly string[];
  /** The module for pages without a build step, which is not part of the viewer. */
  readonly client: string;
  /** Every file of `assets/`. */
  readonly files: readonly string[];
}

/** Writes to the folder `to`; `root` is the package's. */
export async function bundleWeb(root: string, to: string): Promise<WebManifest> {
  const web = join(root, "web");
  const assets = join(to, "assets");
  mkdirSync(assets, { recursive: true });
  const style = styleOf(web, STYLES);
  const styleName = named("style", "css", style);
  const laterStyle = styleOf(web, LATER_STYLES);
  const laterName = named("later", "css", laterStyle);
  const [worker] = await bundled(join(web, "colour/worker.ts"), "whole", {});
  const workerName = named("colour", "js", worker.code);
  const chunks = await bundled(join(web, "main.tsx"), "chunks", {
    CONTINUO_COLOUR_WORKER: `/assets/${workerName}`,
    CONTINUO_LATER_STYLE: `/assets/${laterName}`,
  });
  const written = new Map([
    [styleName, style],
    [laterName, laterStyle],
    [workerName, worker.code],
  ]);
  for (const { fileName, code } of chunks) written.set(fileName, code);
  const [{ code: client }] = await bundled(join(root, CLIENT), "whole", {});
  const clientName = named("client", "js", client);
  written.set(clientName, client);
  const app = appFiles();
  for (const [name, content] of [...written, ...app.files]) writeFileSync(join(assets, name), content);
  const [main] = chunks;
  const html = readFileSync(join(web, "index.html"), "utf8")
    .replace("MANIFEST", `/assets/${app.manifest}`)
    .replace("ICON", `/assets/${app.touchIcon}`)
    .replace("STYLE", `/assets/${styleName}`)
    .replace("SCRIPT", `/assets/${main.fileName}`)
    .replace("LATER", chunks.map(({ fileName }) => fileName).join(" "));
  writeFileSync(join(to, "index.html"), html);
  const first = reached(main, chunks);
  // Another module of this name may be a chunk too.
  const session = chunks.find(({ facadeModuleId }) => facadeModuleId === join(web, "session/session.tsx"));
  const ofSession = session === undefined ? [] : reached(session, chunks);
  const manifest: WebManifest = {
    first: [...first, styleName],
    session: ofSession.filter((name) => !first.includes(name)),
    client: clientName,
    files: [...written.keys(), ...app.files.keys()].sort(),
  };
  const [{ code: script }] = await bundled(join(web, "file/main.tsx"), "whole", {
    CONTINUO_COLOUR_WORKER: "",
    CONTINUO_LATER_STYLE: "",
  });
  const plainStyle = styleOf(web, ["file/plain.css"]);
  writeFileSync(join(to, "file.html"), filePage({ script, style: style + laterStyle, plainStyle }));
  writeFileSync(join(to, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function styleOf(web: string, names: readonly string[]): string {
  const text = names.map((name) => readFileSync(join(web, name), "utf8")).join("\n");
  return text
    .replace(/\/\*[\s\S]*?\*\//gu, "")
    .replace(/\s+/gu, " ")
    .replace(/ ?([{};,]) ?/gu, "$1")
    .replace(/: /gu, ":")
    .replace(/(?<=[ :,(-])0\./gu, ".")
    .replaceAll(";}", "}");
}

/** A chunk with what it imports statically. */
function reached(chunk: OutputChunk, chunks: readonly OutputChunk[]): string[] {
  const below = chunk.imports.flatMap((name) => {
    const found = chunks.find(({ fileName }) => fileName === name);
    return found === undefined ? [] : reached(found, chunks);
  });
  return [...new Set([chunk.fileName, ...below])];
}

/** The entry comes first. `constants` are names in the code that stand for a text. */
async function bundled(
  entry: string,
  shape: "whole" | "chunks",
  constants: Readonly<Record<string, string>>,
): Promise<readonly [OutputChunk, ...OutputChunk[]]> {
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    transform: {
      define: Object.fromEntries(
        Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
      ),
    },
    // Our modules do nothing when they are loaded, except for the entry.
    treeshake: { moduleSideEffects: (id) => (id.includes("node_modules") ? undefined : false) },
  });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      minify: true,
      // Marks of pure calls help bundlers, not browsers.
      comments: { legal: true, annotation: false, jsdoc: false },
      codeSplitting: shape === "chunks" && { groups: GROUPS },
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
    });
    const [first, ...rest] = output.filter((one) => one.type === "chunk");
    if (first === undefined) throw new Error(`nothing came of ${entry}`);
    return [first, ...rest];
  } finally {
    await bundle.close();
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  await bundleWeb(root, join(root, "dist/web"));
}
