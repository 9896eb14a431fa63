/**
 * Bundles the library: the doors of the package, and the modules that they share.
 *
 * Node takes a third of a millisecond to find, check and link a module, and `import "continuo"` loaded four hundred.
 * Modules that the same doors load are one file; what a door loads later, on demand, stays apart. Each module is in one
 * file only, so that a class is the same class through every door.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { type BundledChunk, loadedFrom, plainBuiltins } from "./bundle.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Every store loads its three hundred small modules. */
const BUNDLED = "kysely";

/** Writes the files that `package.json` exports below `dist/`, and their chunks. */
export async function bundleLibrary(root: string, dir: string): Promise<void> {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const input = libraryInput(root, manifest);
  const bundle = await rolldown(input);
  await bundle.write({ dir, ...NAMES, ...(await sharedChunks(input)) });
  await bundle.close();
}

function libraryInput(root: string, { exports, dependencies, peerDependencies }: Manifest): InputOptions {
  const doors = Object.values(exports).flatMap((door) => (typeof door === "string" ? [] : [door.default]));
  const names = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== BUNDLED);
  const others = names.map((name) => new RegExp(`^${name}(?:/|$)`, "u"));
  return {
    input: Object.fromEntries(doors.map((file) => [nameOf(file), `${DOOR}${sourceOf(root, file)}`])),
    plugins: [plainDoors],
    platform: "node",
    // Chunks that are chosen by hand need it.
    preserveEntrySignatures: "allow-extension",
    external: [/^node:/u, ...others],
    treeshake: { moduleSideEffects: (_, isExternal) => isExternal },
  };
}

const DOOR = "door:";

/**
 * A door is a file that only passes on what a source exports: a source that others import as well would share its file
 * with them, and export what only they need.
 */
const plainDoors: Plugin = {
  name: "plain-doors",
  resolveId: (id) => (id.startsWith(DOOR) ? id : null),
  load: (id) => (id.startsWith(DOOR) ? `export * from ${JSON.stringify(id.slice(DOOR.length))};` : null),
};

/** `store/store/index` of `./dist/store/store/index.js`. */
function nameOf(file: string): string {
  return file.replace("./dist/", "").replace(/\.js$/u, "");
}

function sourceOf(root: string, file: string): string {
  const [first = "", ...rest] = nameOf(file).split("/");
  return rest.length === 0
    ? join(root, "src", `${first}.ts`)
    : join(root, "packages", first, "src", `${rest.join("/")}.ts`);
}

const NAMES = {
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  // The types have the documentation.
  comments: { legal: true, annotation: true, jsdoc: false },
} as const satisfies OutputOptions;

/** One chunk for the modules that exactly the same doors load. */
async function sharedChunks(input: InputOptions): Promise<OutputOptions> {
  const bundle = await rolldown(input);
  const { output } = await bundle.generate(NAMES);
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  const doorsOf = doorsByModule(
    chunks,
    chunks.filter(({ isEntry }) => isEntry),
  );
  const sets = [...new Set(doorsOf.values())];
  const groups = sets.map((doors, at) => ({
    name: `shared-${at + 1}`,
    test: (id: string): boolean => !id.startsWith(DOOR) && doorsOf.get(id) === doors,
  }));
  return { codeSplitting: { includeDependenciesRecursively: false, groups }, plugins: [plainBuiltins] };
}

/** The names of the doors that load each module at once. */
function doorsByModule(
  chunks: readonly BundledChunk[],
  doors: readonly BundledChunk[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { fileName } of doors) {
    for (const id of loadedFrom(chunks, fileName)) names.set(id, `${names.get(id) ?? ""} ${fileName}`);
  }
  return names;
}
