/** The file store of the Durable Streams reference server, in this process, installed from npm by exact version. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Contender } from "./sampling.ts";

export const PACKAGE = "@durable-streams/server";
const VERSION = "0.3.7";
const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");
const BODY = new TextEncoder().encode(JSON.stringify({ name: "bench", value: "x".repeat(480) }));

interface FileStore {
  create(path: string, options: { readonly contentType: string }): Promise<unknown>;
  append(path: string, data: Uint8Array): Promise<unknown>;
  close(): Promise<void>;
}

export interface Reference {
  contenders(calls: number, events: number): readonly Contender[];
  close(): Promise<void>;
}

export async function openReference(folder: string, batch: number): Promise<Reference> {
  const entry = join(installReference(), "node_modules", PACKAGE, "dist/index.js");
  const { FileBackedStreamStore } = (await import(pathToFileURL(entry).href)) as {
    readonly FileBackedStreamStore: new (options: { readonly dataDir: string }) => FileStore;
  };
  const dataDir = join(folder, `reference-${batch}`);
  mkdirSync(dataDir);
  const store = new FileBackedStreamStore({ dataDir });
  await store.create("/log", { contentType: "application/json" });
  const data = batch === 1 ? BODY : bodyOf(batch);
  return {
    close: () => store.close(),
    contenders: (calls, events) =>
      [1, 32].map((callers) => ({
        name: `Durable Streams file store, ${callers} ${callers === 1 ? "caller" : "callers"}`,
        run: async () => {
          let left = calls;
          const call = async (): Promise<void> => {
            while (left-- > 0) await store.append("/log", data);
          };
          await Promise.all(Array.from({ length: callers }, call));
          return events;
        },
      })),
  };
}

function bodyOf(batch: number): Uint8Array {
  const one = new TextDecoder().decode(BODY);
  return new TextEncoder().encode(`[${Array.from({ length: batch }, () => one).join(",")}]`);
}

/** The folder in which it is installed. */
export function installReference(): string {
  // Not the folder for temporary files: another user could put programs there, which this process would run.
  const target = join(FOLDER, `durable-streams-${VERSION}`);
  if (existsSync(target)) return target;
  const making = `${target}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(
    join(making, "package.json"),
    JSON.stringify({ private: true, dependencies: { [PACKAGE]: VERSION } }),
  );
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options], { cwd: making, stdio: ["ignore", "ignore", "inherit"] });
  renameSync(making, target);
  return target;
}
