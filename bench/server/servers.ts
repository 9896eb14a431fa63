/** Two servers in separate processes: `continuo serve` on SQLite, and the reference server on its file store. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { installReference, PACKAGE } from "../store/reference.ts";

export interface RunningServer {
  readonly name: string;
  readonly url: string;
  /** The number of the server's process, or of the program that traces it. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** `tracer` is a command under which the server is started. */
export function startContinuo(
  folder: string,
  database = "continuo",
  tracer: readonly string[] = [],
): Promise<RunningServer> {
  const store = `sqlite:${join(folder, `${database}.db`)}`;
  const args = ["serve", "--no-auth", "--json", "--listen", "127.0.0.1:0", "--store", store];
  return start("continuo serve, SQLite", tracer, [
    join(import.meta.dirname, "../../bin/continuo.js"),
    ...args,
  ]);
}

export function startReference(
  folder: string,
  name = "reference",
  tracer: readonly string[] = [],
): Promise<RunningServer> {
  const entry = pathToFileURL(join(installReference(), "node_modules", PACKAGE, "dist/index.js")).href;
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  const script = join(folder, `${name}.mjs`);
  writeFileSync(
    script,
    `const { DurableStreamTestServer } = await import(${JSON.stringify(entry)});
     const server = new DurableStreamTestServer({ port: 0, dataDir: ${JSON.stringify(dataDir)}, compression: false });
     console.log(JSON.stringify({ url: await server.start() }));
     process.on("SIGTERM", () => process.exit(0));`,
  );
  return start("Durable Streams reference server, files", tracer, [script]);
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").filter(Boolean).map(Number);
}

async function start(
  name: string,
  tracer: readonly string[],
  args: readonly string[],
): Promise<RunningServer> {
  const [command = "", ...rest] = [...tracer, process.execPath, ...args];
  const child: ChildProcess = spawn(command, rest, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const line = await Promise.race([
    // Other lines are messages of the server.
    new Promise<string>((resolve) => lines.on("line", (text) => text.startsWith("{") && resolve(text))),
    ended.then(() => Promise.reject(new Error(`${name} did not start`))),
  ]);
  return {
    name,
    url: (JSON.parse(line) as { readonly url: string }).url,
    pid: child.pid ?? 0,
    stop: async () => {
      // strace ignores signals; it ends when the traced process ends.
      const traced = tracer.length === 0 ? [] : childrenOf(child.pid ?? 0);
      if (traced.length === 0) child.kill("SIGTERM");
      for (const pid of traced) process.kill(pid, "SIGTERM");
      await ended;
    },
  };
}
