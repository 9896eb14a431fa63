/**
 * Services that many test files share in one run of Vitest: its temporary folder, and programs that are made
 * when the first file asks for them, through `shared-programs.ts`: the bundled command and other programs, the browser
 * extension and a Postgres server.
 */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import type { TestProject } from "vitest/node";
import { type BundledChunk, commandBundle, commandChunks, writeStarted } from "../../scripts/bundle.ts";
import { bundleWeb } from "../../scripts/web.ts";
import { startPostgres } from "../store/harness/postgres-server.ts";
import { CHUNKS } from "./shared-programs.ts";
import { openTemporaryFolder } from "./temporary.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which the services answer. */
    readonly services: string;
  }
}

const ROOT = join(import.meta.dirname, "../..");

interface Service {
  readonly value: string;
  end(): Promise<void> | void;
}

const SERVICES: Readonly<Record<string, () => Promise<Service>>> = {
  "/command": bundleCommand,
  "/postgres": sharedPostgres,
  "/extension": buildExtension,
  "/viewer": buildViewer,
};

/** The rest of the path names a program of the tests, below the project's root. */
const PROGRAM = "/program/";

/** Programs that start the threads of the command, which are files of their own. */
const THREADED: ReadonlySet<string> = new Set(["test/web/viewer-process.ts"]);

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const temporary = openTemporaryFolder();
  // A program or thread that starts from TypeScript compiles for a second, and there are so many that a run takes a
  // third longer without the cache. Node reads the variable when it starts.
  process.env.NODE_COMPILE_CACHE ??= join(temporary.path, "compiled");
  const started = new Map<string, Promise<Service>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const service = started.get(path) ?? start(path);
    started.set(path, service);
    service.then(
      ({ value }) => response.end(value),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // If this end closed an idle connection at the moment of the next request, the asking test would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A changed file may be part of a program, so the programs are bundled again.
  const ended: Promise<Service>[] = [];
  project.onTestsRerun(async () => {
    for (const path of [...started.keys()].filter(isOfSources)) {
      ended.push(started.get(path) as Promise<Service>);
      started.delete(path);
    }
  });
  project.provide("services", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    for (const service of await Promise.allSettled([...started.values(), ...ended])) {
      if (service.status === "fulfilled") await service.value.end();
    }
    temporary[Symbol.dispose]();
  };
}

function isOfSources(path: string): boolean {
  return path === "/command" || path === "/viewer" || path.startsWith(PROGRAM);
}

async function start(path: string): Promise<Service> {
  if (path.startsWith(PROGRAM)) {
    const name = path.slice(PROGRAM.length);
    const program = await bundled(name, { ...commandBundle(ROOT), input: { main: join(ROOT, name) } });
    if (THREADED.has(name)) await writeStarted(ROOT, dirname(program.value), "mjs");
    return program;
  }
  const service = Object.hasOwn(SERVICES, path) ? SERVICES[path] : undefined;
  if (service === undefined) throw new Error(`no service ${path}`);
  return await service();
}

async function bundleCommand(): Promise<Service> {
  // The bundle is the shipped one: it has the same chunks, with the same imports.
  const command = await bundled("command", commandBundle(ROOT), await commandChunks(ROOT));
  await writeStarted(ROOT, dirname(command.value), "mjs");
  return command;
}

/** Bundles a program in one file, because it starts five to ten times slower from its sources. */
async function bundled(name: string, options: InputOptions, chunks: OutputOptions = {}): Promise<Service> {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, `continuo-${basename(name, ".ts")}-`));
  const bundle = await rolldown(options);
  // The ending is not `.js`, because the command would then keep compiled code of the build in its home, which tests
  // compare.
  const names = { entryFileNames: "[name].mjs", chunkFileNames: "chunks/[name]-[hash].mjs" };
  const { output } = await bundle.write({ ...chunks, dir, format: "esm", ...names });
  await bundle.close();
  const modules = output.flatMap((one) =>
    one.type === "chunk" ? { fileName: one.fileName, imports: one.imports, moduleIds: one.moduleIds } : [],
  );
  writeFileSync(join(dir, CHUNKS), JSON.stringify(modules satisfies readonly BundledChunk[]));
  return { value: join(dir, "main.mjs"), end: () => rmSync(dir, { recursive: true, force: true }) };
}

async function buildExtension(): Promise<Service> {
  // CI has built it from the same commit, for the package.
  const given = process.env.CONTINUO_TEST_EXTENSION ?? "";
  if (given !== "" && existsSync(join(given, "firefox-mv3"))) return { value: given, end: () => undefined };
  const dir = mkdtempSync(join(tmpdir(), "continuo-extension-"));
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/extension.ts"), "--out", dir], {
    cwd: ROOT,
  });
  return { value: dir, end: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Builds the viewer in the place where the command and the library look for it, as after `npm ci`. */
async function buildViewer(): Promise<Service> {
  const folder = join(ROOT, "dist/web");
  const page = join(folder, "file.html");
  const newest = ["web", "packages/core/src", "scripts"].flatMap((name) => timesIn(join(ROOT, name)));
  if (!existsSync(page) || statSync(page).mtimeMs < Math.max(...newest)) await bundleWeb(ROOT, folder);
  return { value: folder, end: () => undefined };
}

function timesIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs);
}

async function sharedPostgres(): Promise<Service> {
  const given = process.env.CONTINUO_TEST_POSTGRES;
  if (given !== undefined && given !== "") return { value: given, end: () => undefined };
  const server = await startPostgres({ settings: ["fsync=off"] });
  return { value: server.url, end: () => server.stop() };
}
