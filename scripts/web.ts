/**
 * Bundles `web/` into `dist/web/`: the page, its script, the worker that colours code, and the style, under names that
 * change with their content, so that a browser may keep them for ever. `manifest.json` lists them.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";

/** In the order in which they apply. */
const STYLES = ["theme.css", "page.css", "list.css"];

export interface WebManifest {
  /** What the page needs before it shows anything, and the whole of it. */
  readonly first: readonly string[];
  /** Every file of the folder under a name with a hash. */
  readonly files: readonly string[];
  /** Script and style of the page that holds one session: they stand inside of it. */
  readonly single: { readonly script: string; readonly style: string };
}

/** Writes to the folder `to`; `root` is the package's. */
export async function bundleWeb(root: string, to: string): Promise<WebManifest> {
  const web = join(root, "web");
  mkdirSync(join(to, "assets"), { recursive: true });
  const write = (name: string, ending: string, text: string): string => {
    const hash = createHash("sha256").update(text).digest("base64url").slice(0, 10);
    const file = `${name}-${hash}.${ending}`;
    writeFileSync(join(to, "assets", file), text);
    return file;
  };
  const style = write("style", "css", STYLES.map((name) => readFileSync(join(web, name), "utf8")).join("\n"));
  const worker = write("colour", "js", await bundled(join(web, "colour/worker.ts"), {}));
  const script = write(
    "main",
    "js",
    await bundled(join(web, "main.tsx"), { CONTINUO_COLOUR_WORKER: `/assets/${worker}` }),
  );
  const html = readFileSync(join(web, "index.html"), "utf8")
    .replace("STYLE", `/assets/${style}`)
    .replace("SCRIPT", `/assets/${script}`);
  writeFileSync(join(to, "index.html"), html);
  const manifest = { first: [script, style], files: [script, style, worker], single: { script, style } };
  writeFileSync(join(to, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** One file of one entry. `constants` are names in the code that stand for a text. */
async function bundled(entry: string, constants: Readonly<Record<string, string>>): Promise<string> {
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    transform: {
      define: Object.fromEntries(
        Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
      ),
    },
    // A module of ours does nothing when it is loaded, but for the entry.
    treeshake: { moduleSideEffects: (id) => (id.includes("node_modules") ? undefined : false) },
  });
  try {
    const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
    return (output[0] as OutputChunk).code;
  } finally {
    await bundle.close();
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  await bundleWeb(root, join(root, "dist/web"));
}
