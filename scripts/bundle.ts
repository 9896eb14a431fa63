/**
 * Bundles the command: one chunk for each command, and one for each set of modules that are loaded together.
 */

import { basename, join, sep } from "node:path";
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { AGENT_NAMES } from "../packages/core/src/model/index.ts";

/** @param root of the package */
export function commandBundle(root: string): InputOptions {
  return bundleOf(root, { main: "src/cli/main.ts" });
}

/** Programs that start by themselves: the threads that read and search sessions, and the program of a new terminal window. */
const STARTED = [
  "packages/server/src/machine/reader-worker.ts",
  "packages/agents/src/search/scanning/scan-worker.ts",
  "src/cli/serve/window/in-window.ts",
];

/** Writes what is started by itself: each one file, so that the command is not cut into more chunks for it. */
export async function writeStarted(root: string, dir: string, ending: "js" | "mjs"): Promise<void> {
  for (const path of STARTED) {
    const bundle = await rolldown(bundleOf(root, { [basename(path, ".ts")]: path }));
    await bundle.write({ format: "esm", dir, codeSplitting: false, entryFileNames: `[name].${ending}` });
    await bundle.close();
  }
}

function bundleOf(root: string, entries: Readonly<Record<string, string>>): InputOptions {
  const isOurs = (id: string): boolean =>
    ["src", "packages"].some((folder) => id.startsWith(join(root, folder) + sep));
  return {
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    platform: "node",
    external: [/^node:/u, "pg", "string-width"],
    // Chunks that are chosen by hand need it.
    preserveEntrySignatures: "allow-extension",
    // A module of ours does nothing when it is loaded: of what a folder's index names, only what is used is loaded.
    treeshake: { moduleSideEffects: (id, isExternal) => (isExternal || isOurs(id) ? false : undefined) },
  };
}

const NAMES = { format: "esm", chunkFileNames: "chunks/[name]-[hash].js" } as const;

/** Most commands load `PROGRAM`. Lists load `LIST`, and chat loads a part of it. */
const PROGRAM = ["src/cli/program.ts", "src/cli/failure.ts"];
const CHAT = ["src/cli/chat/chat.ts"];
const LIST = [
  "src/cli/session/list/list.ts",
  ...AGENT_NAMES.map((agent) => `packages/native/src/native/${agent}/index.ts`),
];

/**
 * Node takes half a millisecond to find, check and link a module, so that the eighty chunks that a list would load
 * cost as much as the list.
 *
 * @param root of the package
 */
export async function commandChunks(root: string): Promise<OutputOptions> {
  const bundle = await rolldown(commandBundle(root));
  const { output } = await bundle.generate(NAMES);
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  const loadedWith = (modules: readonly string[]): ReadonlySet<string> =>
    new Set(modules.flatMap((module) => [...modulesLoadedWith(chunks, join(root, module))]));
  const entry = loadedWith(["src/cli/main.ts"]);
  const [program, chat, list] = [loadedWith(PROGRAM), loadedWith(CHAT), loadedWith(LIST)];
  const groupOf = (id: string): string | null => {
    if (entry.has(id)) return null;
    if (program.has(id)) return "program";
    if (!list.has(id)) return null;
    return chat.has(id) ? "shared" : "reading";
  };
  const groups = ["program", "shared", "reading"].map((name) => ({
    name,
    test: (id: string): boolean => groupOf(id) === name,
  }));
  return {
    ...NAMES,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    plugins: [plainBuiltins],
  };
}

/** Those of the chunk that holds the module, of the chunks that it imports, and so on. */
export function modulesLoadedWith(chunks: readonly OutputChunk[], module: string): readonly string[] {
  const first = chunks.find(({ moduleIds }) => moduleIds.includes(module));
  if (first === undefined) throw new Error(`${module} is not in the bundle`);
  const seen = new Set<string>([first.fileName]);
  const loaded: string[] = [];
  for (const name of seen) {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    loaded.push(...(chunk?.moduleIds ?? [name]));
    for (const next of chunk?.imports ?? []) seen.add(next);
  }
  return loaded;
}

/**
 * An import of a module of Node reads everything that the module exports, and so loads streams with `node:fs`, and the
 * web's cryptography with `node:crypto`, for nothing: 7 % of the processor time of `continuo --version` (median of 100 pairs).
 */
const plainBuiltins: Plugin = {
  name: "plain-builtins",
  renderChunk: (code) => code.replace(/^import (.+) from "(node:[\w/]+)";$/gmu, toPlain),
};

function toPlain(line: string, names: string, module: string): string {
  const taken = /^(?:\* as )?([\w$]+)$|^(\{.*\})$/u.exec(names);
  const [, whole, some] = taken ?? [];
  if (taken === null) return line;
  // It is a global as well.
  if (whole === "process") return "";
  const loaded = `process.getBuiltinModule("${module}")`;
  // Most commands start no program, and hash nothing.
  if (whole !== undefined && module === "node:child_process") {
    return `const ${whole} = new Proxy({}, { get: (_, name) => ${loaded}[name] });`;
  }
  if (some === "{ createHash }") return `const createHash = (...given) => ${loaded}.createHash(...given);`;
  return `const ${whole ?? some?.replaceAll(" as ", ": ")} = ${loaded};`;
}
