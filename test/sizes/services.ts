/**
 * What many test files share in one run of Vitest, made when the first of them asks for it: the bundled command,
 * the browser extension and a Postgres server. Test files ask through `prepared.ts`.
 */

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import type { TestProject } from "vitest/node";
import { commandBundle } from "../../scripts/bundle.ts";
import { startPostgres } from "../store/harness/postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the services answer. */
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
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Service>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const start = Object.hasOwn(SERVICES, path) ? SERVICES[path] : undefined;
    const service = started.get(path) ?? start?.() ?? Promise.reject(new Error(`no service ${path}`));
    started.set(path, service);
    service.then(
      ({ value }) => response.end(value),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("services", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    for (const service of await Promise.allSettled(started.values())) {
      if (service.status === "fulfilled") await service.value.end();
    }
  };
}

/** The command as it is now: from `src/` it starts ten times slower. */
async function bundleCommand(): Promise<Service> {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "continuo-command-"));
  const bundle = await rolldown(commandBundle(ROOT));
  // Not `.js`: the command keeps compiled code of a build in its home, which tests compare.
  const names = { entryFileNames: "[name].mjs", chunkFileNames: "chunks/[name]-[hash].mjs" };
  await bundle.write({ dir, format: "esm", ...names });
  await bundle.close();
  return { value: join(dir, "main.mjs"), end: () => rmSync(dir, { recursive: true, force: true }) };
}

async function buildExtension(): Promise<Service> {
  const dir = mkdtempSync(join(tmpdir(), "continuo-extension-"));
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/extension.ts"), "--out", dir], {
    cwd: ROOT,
  });
  return { value: dir, end: () => rmSync(dir, { recursive: true, force: true }) };
}

async function sharedPostgres(): Promise<Service> {
  const given = process.env.CONTINUO_TEST_POSTGRES;
  if (given !== undefined && given !== "") return { value: given, end: () => undefined };
  const server = await startPostgres({ settings: ["fsync=off"] });
  return { value: server.url, end: () => server.stop() };
}
