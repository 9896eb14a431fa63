/**
 * Bundles the library: the entry points of the package (here called doors), and the modules that they share.
 *
 * Node takes a third of a millisecond to find, check and link a module, and `import "continuo"` loaded four hundred.
 * Modules that the same doors load are one file; modules that a door loads later, on demand, stay separate. Each module
 * is in one file only, so that a class is the same class through every door.
 */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { type BundledChunk, loadedFrom, plainBuiltins } from "./bundle.ts";

/**
 * The files of one public entry point: for bundlers of pages (if it has such a file), for other bundlers, and for Node.
 */
interface Door {
  readonly browser?: string;
  readonly module: string;
  readonly default: string;
}

interface Manifest {
  readonly exports: Readonly<Record<string, Door | string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** This package is bundled, because every store loads its three hundred small modules. */
const BUNDLED = "kysely";

/** Writes the files that `package.json` exports below `dist/`, and their chunks. */
export async function bundleLibrary(root: string, dir: string): Promise<void> {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const input = libraryInput(root, manifest);
  const bundle = await rolldown(input);
  await bundle.write({ dir, ...NAMES, ...(await sharedChunks(input)) });
  await bundle.close();
  await writeModules(root, dir, manifest);
}

/**
 * Writes the same doors for bundlers, module by module, because a bundler can leave out unused code completely only if
 * it is a separate file. The doors for browsers are in the same folder, so that the client throws the same error class
 * that `continuo` exports.
 */
async function writeModules(root: string, dir: string, manifest: Manifest): Promise<void> {
  const doors = Object.values(manifest.exports).flatMap((door) =>
    typeof door === "string" ? [] : [door.module, ...(door.browser === undefined ? [] : [door.browser])],
  );
  const input = [...new Set(doors)].map((file) =>
    join(root, file.replace(MODULES, "./").replace(/\.js$/u, ".ts")),
  );
  const external = [/^node:/u, BUNDLED_BELOW, ...packagesOf(manifest)];
  const treeshake = { moduleSideEffects: false };
  const bundle = await rolldown({ input, platform: "node", external, treeshake });
  const { format, comments } = NAMES;
  const modules = { preserveModules: true, preserveModulesRoot: root };
  await bundle.write({ dir: join(dir, basename(MODULES)), format, comments, ...modules });
  await bundle.close();
}

const MODULES = "./dist/modules/";
const BUNDLED_BELOW = new RegExp(`^${BUNDLED}(?:/|$)`, "u");

function libraryInput(root: string, manifest: Manifest): InputOptions {
  const doors = Object.values(manifest.exports).flatMap((door) =>
    typeof door === "string" ? [] : [door.default],
  );
  return {
    input: Object.fromEntries(doors.map((file) => [nameOf(file), `${DOOR}${sourceOf(root, file)}`])),
    plugins: [plainDoors],
    platform: "node",
    // Chunks that are chosen by hand need it.
    preserveEntrySignatures: "allow-extension",
    external: [/^node:/u, ...packagesOf(manifest)],
    treeshake: { moduleSideEffects: (_, isExternal) => isExternal },
  };
}

/** The dependencies that are not bundled. */
function packagesOf({ dependencies, peerDependencies }: Manifest): readonly RegExp[] {
  const names = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== BUNDLED);
  return names.map((name) => new RegExp(`^${name}(?:/|$)`, "u"));
}

const DOOR = "door:";

/**
 * A door is a file that only re-exports a source. If the source itself were the door, it would also export what only
 * other modules import from it.
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
