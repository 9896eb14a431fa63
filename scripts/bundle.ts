/**
 * Bundles the command: one chunk for each command, and one for each set of modules that are loaded together.
 */

import { basename, join, sep } from "node:path";
import { promisify } from "node:util";
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { AGENT_NAMES } from "../packages/core/src/model/index.ts";

/** @param root of the package */
export function commandBundle(root: string): InputOptions {
  return bundleOf(root, { main: "src/cli/main.ts" });
}

/**
 * Files that are loaded by themselves: the threads that read and search sessions, the program of a new terminal window,
 * and a table that a command needs synchronously.
 */
const STARTED = [
  "packages/server/src/machine/reader-worker.ts",
  "packages/agents/src/search/scanning/scan-worker.ts",
  "src/cli/serve/window/in-window.ts",
  "src/cli/terminal/character-width.ts",
];

/** Writes these files separately from the command, which would otherwise be split into more chunks. */
export async function writeStarted(root: string, dir: string, ending: "js" | "mjs"): Promise<void> {
  const entries = Object.fromEntries(STARTED.map((path) => [basename(path, ".ts"), path]));
  const bundle = await rolldown(bundleOf(root, entries));
  await bundle.write({
    ...NAMES,
    dir,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `chunks/started-[hash].${ending}`,
    plugins: [directImports],
    minify: SMALLER,
  });
  await bundle.close();
  await writeHooks(root, dir, ending);
}

/**
 * The hooks of agents. All that a hook always needs is in one chunk, because a hook runs at each prompt and at the end
 * of each session.
 */
const HOOKS = {
  entry: "src/cli/agent-hooks.ts",
  prompt: ["src/cli/guard/hook.ts"],
  copy: [
    "src/cli/guard/quiet-run.ts",
    "packages/native/src/native/claude/index.ts",
    "packages/native/src/native/claude/retention.ts",
  ],
};

/** The files with which the command and the programs that are bundled with it begin. */
export const COMMAND_ENTRIES: readonly string[] = ["src/cli/main.ts", ...STARTED, HOOKS.entry];

async function writeHooks(root: string, dir: string, ending: "js" | "mjs"): Promise<void> {
  const input = bundleOf(root, { [basename(HOOKS.entry, ".ts")]: HOOKS.entry });
  const loadedWith = await drawnBy(input, root);
  const [entry, prompt, copy] = [loadedWith([HOOKS.entry]), loadedWith(HOOKS.prompt), loadedWith(HOOKS.copy)];
  const groupOf = (id: string): string | null => {
    if (entry.has(id)) return null;
    return prompt.has(id) ? "prompt" : copy.has(id) ? "copy" : null;
  };
  const bundle = await rolldown(input);
  await bundle.write({
    ...inGroups(["prompt", "copy"], groupOf),
    dir,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `chunks/hook-[name]-[hash].${ending}`,
    minify: SMALLER,
  });
  await bundle.close();
}

/** Returns the modules that are loaded together with some modules, when the bundler chooses the chunks itself. */
async function drawnBy(
  input: InputOptions,
  root: string,
): Promise<(modules: readonly string[]) => ReadonlySet<string>> {
  const bundle = await rolldown(input);
  const { output } = await bundle.generate(NAMES);
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  return (modules) =>
    new Set(modules.flatMap((module) => [...modulesLoadedWith(chunks, join(root, module))]));
}

/** One chunk for each of these groups. */
function inGroups(names: readonly string[], groupOf: (id: string) => string | null): OutputOptions {
  const groups = names.map((name) => ({ name, test: (id: string): boolean => groupOf(id) === name }));
  return {
    ...NAMES,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    plugins: [plainBuiltins, directImports],
    minify: SMALLER,
  };
}

function bundleOf(root: string, entries: Readonly<Record<string, string>>): InputOptions {
  const isOurs = (id: string): boolean =>
    ["src", "packages"].some((folder) => id.startsWith(join(root, folder) + sep));
  return {
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    platform: "node",
    // This is a native client, which may be installed.
    external: [/^node:/u, "pg-native"],
    // Chunks that are chosen by hand need this setting.
    preserveEntrySignatures: "allow-extension",
    // A module of ours does nothing when it is loaded, so the bundler loads only those modules behind a folder's index
    // whose exports are used.
    treeshake: { moduleSideEffects: (id, isExternal) => (isExternal || isOurs(id) ? false : undefined) },
  };
}

/** This makes the package a twentieth smaller. Names of functions and classes stay, so that a trace can be read. */
const SMALLER = {
  compress: true,
  mangle: { keepNames: true, toplevel: false },
  codegen: { removeWhitespace: true },
} as const;

const NAMES = {
  format: "esm",
  chunkFileNames: "chunks/[name]-[hash].js",
  comments: { legal: true, annotation: true, jsdoc: false },
} as const satisfies OutputOptions;

const ENTRY = "src/cli/main.ts";
/**
 * Every command loads `PROGRAM`. Most load `NOTICES`, lists load `LIST`, searches `SEARCH` too; chat loads parts of
 * both.
 */
const PROGRAM = ["src/cli/program.ts"];
const NOTICES = ["src/cli/failure.ts"];
const CHAT = ["src/cli/chat/chat.ts"];
const LIST = [
  "src/cli/session/list/list.ts",
  ...AGENT_NAMES.map((agent) => `packages/native/src/native/${agent}/index.ts`),
  // The indexes of Claude Code and Codex name these, so their chunks are loaded with them, although no list uses them.
  "packages/native/src/native/claude/to-blocks.ts",
  "packages/native/src/native/codex/own-list.ts",
];

const SEARCH = ["src/cli/search/search.ts"];
/** Each of them drives one agent; the modules that several of them load are one chunk. */
const DRIVERS = ["acp", "claude", "codex", "pi"].map(
  (name) => `packages/agents/src/drivers/${name}/index.ts`,
);

/**
 * Node takes half a millisecond to find, check and link a module, so the eighty chunks that a list would load would
 * cost as much as the list itself. Therefore modules that are loaded together are one chunk.
 *
 * @param root of the package
 */
export async function commandChunks(root: string): Promise<OutputOptions> {
  const loadedWith = await drawnBy(commandBundle(root), root);
  const sets: readonly (readonly [name: string, modules: ReadonlySet<string>])[] = [
    ["start", loadedWith([ENTRY])],
    ["program", loadedWith(PROGRAM)],
    ["notices", loadedWith(NOTICES)],
    ["reading", loadedWith(LIST)],
    ["searching", loadedWith(SEARCH)],
  ];
  const chat = loadedWith(CHAT);
  const drivers = DRIVERS.map((driver) => loadedWith([driver]));
  const isShared = (id: string): boolean => drivers.filter((modules) => modules.has(id)).length > 1;
  const groupOf = (id: string): string | null => {
    if (id === join(root, ENTRY)) return null;
    const [name] = sets.find(([, modules]) => modules.has(id)) ?? [null];
    // Chat must not wait for readers or the search.
    if (name === "reading" || name === "searching") return chat.has(id) ? `${name}-and-chat` : name;
    if (name !== null) return name;
    // The agent's program starts as soon as these two are loaded.
    return chat.has(id) ? "chat" : isShared(id) ? "driving" : null;
  };
  const names = [...sets.flatMap(([name]) => [name, `${name}-and-chat`]), "chat", "driving"];
  return inGroups(names, groupOf);
}

export type BundledChunk = Pick<OutputChunk, "fileName" | "imports" | "moduleIds">;

/** Returns the modules of the chunk with the module, of the chunks that it imports, and so on. */
export function modulesLoadedWith(chunks: readonly BundledChunk[], module: string): readonly string[] {
  const first = chunks.find(({ moduleIds }) => moduleIds.includes(module));
  if (first === undefined) throw new Error(`${module} is not in the bundle`);
  return loadedFrom(chunks, first.fileName);
}

/**
 * Returns the modules of the chunk and of all chunks that are loaded with it, and the external modules that they
 * import.
 */
export function loadedFrom(chunks: readonly BundledChunk[], fileName: string): readonly string[] {
  const seen = new Set<string>([fileName]);
  const loaded: string[] = [];
  for (const name of seen) {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    loaded.push(...(chunk?.moduleIds ?? [name]));
    for (const next of chunk?.imports ?? []) seen.add(next);
  }
  return loaded;
}

/**
 * An import of a Node module reads everything that the module exports, so it also loads streams with `node:fs`, and web
 * cryptography with `node:crypto`, which the command does not need: 7 % of the processor time of `continuo --version`
 * (median of 100 pairs).
 */
export const plainBuiltins: Plugin = {
  name: "plain-builtins",
  renderChunk: (code) =>
    code.replace(
      /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{.*\})? from "(node:[\w/]+)";$/gmu,
      (_, whole: string | undefined, some: string | undefined, module: string) =>
        toPlain({ whole, some, module }),
    ),
};

/**
 * A module that is loaded late and shares its chunk with others gets a second chunk, which only re-exports its names.
 * This plugin removes that chunk, and imports the other one directly: a list would load eight of them.
 */
const directImports: Plugin = {
  name: "direct-imports",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    const passing = new Map(chunks.flatMap((one) => (one.isEntry ? [] : directImportOf(one))));
    for (const one of chunks) {
      one.code = one.code.replaceAll(
        /import\(([`"])([./\w-]*\/)([\w.-]+)\1\)/gu,
        (all, quote: string, folder: string, name: string) => {
          const direct = passing.get(name);
          return direct === undefined
            ? all
            : `import(${quote}${folder}${direct.target}${quote})${direct.renamed}`;
        },
      );
    }
    const names = new Set(chunks.flatMap(({ code }) => [...code.matchAll(/[\w.-]+\.m?js\b/gu)].map(String)));
    for (const { fileName } of chunks) {
      if (passing.has(basename(fileName)) && !names.has(basename(fileName))) delete bundle[fileName];
    }
  },
};

interface DirectImport {
  /** The name of the file to import. */
  readonly target: string;
  /** The code after the import, which maps the other chunk's names to the names of the removed chunk. */
  readonly renamed: string;
}

function directImportOf({ fileName, code }: OutputChunk): [name: string, direct: DirectImport][] {
  const [, names, target] = /^export\{([^}]*)\}from"\.\/([^"/]+)";\n?$/u.exec(code) ?? [];
  if (names === undefined || target === undefined) return [];
  const own = names.split(",").map((name) => {
    const [from = "", as = from] = name.split(" as ");
    return `${as}:e.${from}`;
  });
  return [[basename(fileName), { target, renamed: `.then(e=>({${own.join(",")}}))` }]];
}

/**
 * Most commands start no program and no thread, hash nothing and compress nothing. Loading these modules late saves
 * them 8 ms; Node itself takes 20 ms.
 */
const LATE = new Set([
  "node:child_process",
  "node:crypto",
  "node:fs/promises",
  "node:tty",
  "node:v8",
  "node:vm",
  "node:worker_threads",
  "node:zlib",
]);

interface BuiltinImport {
  readonly whole: string | undefined;
  readonly some: string | undefined;
  readonly module: string;
}

function toPlain({ whole, some, module }: BuiltinImport): string {
  const loaded = `process.getBuiltinModule("${module}")`;
  const names = some?.slice(1, -1).split(",") ?? [];
  const late = LATE.has(module) ? names.filter((name) => isFunction(module, originalOf(name))) : [];
  const early = names.filter((name) => !late.includes(name));
  return [
    ...(whole === undefined ? [] : [toWhole(whole, module)]),
    ...(early.length === 0 ? [] : [`const {${early.join(",").replaceAll(" as ", ": ")}} = ${loaded};`]),
    ...late.map((name) => {
      const [original, own = original] = name.trim().split(" as ");
      // Loading a module takes longer than hashing a line, so it is loaded once.
      return `let ${own} = (...given) => (({ ${original}: ${own} } = ${loaded}), ${own}(...given));`;
    }),
  ].join("\n");
}

function toWhole(name: string, module: string): string {
  // `process` is a global too.
  if (module === "node:process") return name === "process" ? "" : `const ${name} = process;`;
  const loaded = `process.getBuiltinModule("${module}")`;
  return LATE.has(module)
    ? `const ${name} = new Proxy({}, { get: (_, name) => ${loaded}[name] });`
    : `const ${name} = ${loaded};`;
}

function originalOf(name: string): string {
  return name.trim().split(" as ")[0] ?? "";
}

/**
 * A class is called with `new`, and `promisify` uses a special form of `execFile`; a replacement function would support
 * neither.
 */
function isFunction(module: string, name: string): boolean {
  const value: unknown = Reflect.get(process.getBuiltinModule(module) ?? {}, name);
  return typeof value === "function" && /^[a-z]/u.test(name) && !(promisify.custom in value);
}
