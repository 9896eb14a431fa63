/** The system calls of a server, as strace sees them: the files that it writes, and the connections that it opens. */

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";

const root = scratchFolder("traces");
const home = join(root, "home");

const WRONG = `continuo_${"0".repeat(32)}_${"A".repeat(43)}`;
const CALLS = "trace=openat,creat,mkdir,mkdirat,rename,renameat,renameat2,connect";

/** The paths below a folder that were opened for writing, created or renamed to. */
function writtenIn(trace: string): readonly string[] {
  const opened = [...trace.matchAll(/openat\([^,]+, "([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)/gu)];
  const made = [
    ...trace.matchAll(/(?:mkdir|creat)\("([^"]+)"/gu),
    ...trace.matchAll(/mkdirat\([^,]+, "([^"]+)"/gu),
  ];
  const renamed = [...trace.matchAll(/rename\w*\(.*, "([^"]+)"/gu)];
  return [...new Set([...opened, ...made, ...renamed].map(([, path = ""]) => path))];
}

test("a server writes only to its database, its token file and its log, and opens no connection by itself", async () => {
  const command = await bundledCommand();
  const trace = join(root, "trace");
  const log = join(root, "security.log");
  const env = { PATH: process.env.PATH ?? "", HOME: home, CONTINUO_HOME: home, TMPDIR: join(root, "tmp") };
  const serve = [
    process.execPath,
    command,
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--json",
    "--security-log",
    log,
  ];
  const child = spawn("strace", ["-f", "-qq", "-e", CALLS, "-o", trace, ...serve], {
    env,
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once("line", resolve),
  );
  const { url, tokenFile } = JSON.parse(line) as { readonly url: string; readonly tokenFile: string };
  const token = readFileSync(tokenFile, "utf8").trim();
  const json = { "content-type": "application/json" };
  const ask = (path: string, secret: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, { ...init, headers: { ...json, authorization: `Bearer ${secret}` } });
  const TEAM = "/v1/stream/channels/team";
  expect((await ask(TEAM, token, { method: "PUT" })).status).toBe(201);
  const body = JSON.stringify({ type: "message_sent", data: { content: "hello" } });
  expect((await ask(TEAM, token, { method: "POST", body })).status).toBeLessThan(300);
  expect((await ask(TEAM, WRONG)).status).toBe(401);
  expect((await ask("/v1/pages/code", token, { method: "POST" })).status).toBe(201);
  expect((await ask("/v1/blobs", token, { method: "POST", body: "bytes" })).status).toBeLessThan(300);
  const traced = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  process.kill(Number(traced), "SIGTERM");
  expect(await ended).toBe(0);

  const calls = readFileSync(trace, "utf8");
  const written = writtenIn(calls).filter(
    (path) => path.startsWith(root) || !/^\/(?:dev|proc|sys)\//u.test(path),
  );
  const known = [
    /^security\.log$/u,
    /^home$/u,
    /^home\/continuo\.db(?:-wal|-shm|-journal)?$/u,
    /^home\/server-token(?:\..*)?$/u,
    // The socket on which the server answers commands of the same user.
    /^home\/running(?:\/.*)?$/u,
    // The folder of the socket through which VS Code on this machine uses the server.
    /^home\/viewer(?:\/.*)?$/u,
  ];
  const unknown = written
    .map((path) => path.replace(`${root}/`, ""))
    .filter((path) => !known.some((pattern) => pattern.test(path)));
  expect(unknown).toEqual([]);
  expect(written).toContain(log);
  expect(readdirSync(root).toSorted()).toEqual(["home", "security.log", "trace"]);
  // Local sockets look up names of users; nothing connects to a network address.
  expect(calls.split("\n").filter((call) => /connect\(.*AF_INET/u.test(call))).toEqual([]);
}, 120_000);
