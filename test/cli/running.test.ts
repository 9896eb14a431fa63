/** Lists and searches that a running process answers, and processes that answer wrongly, late or never. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { answerCommands, answeredElsewhere } from "../../src/cli/running/index.ts";
import { RUNNING_LIMITS } from "../../src/cli/running/limits.ts";
import { programOf, socketsOf, surroundings } from "../../src/cli/running/places.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { createHome, type Home, type Run, writeSessions } from "./home.ts";
import { type RunHereOptions, runInProcess, runProgramHere, shellHere } from "./in-process.ts";

const FILE = import.meta.filename;
const PROGRAM = programOf(FILE);

let home: Home;
/**
 * Commands get the time zone of this process, because a running process does not answer commands of another time zone.
 */
let env: Record<string, string>;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  env = process.env.TZ === undefined ? {} : { TZ: process.env.TZ };
});
const opened: (AsyncDisposable | Server)[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const folder = (): string => join(home.path, ".continuo/running");

const withoutWords = (shell: Shell): Shell => {
  const { TZ: _tz, LANG: _lang, ...others } = shell.env;
  return { ...shell, env: { ...others, ...env } };
};

/** The commands that were executed for other processes. */
async function startAnswering(file: string = FILE): Promise<string[]> {
  const ran: string[] = [];
  const run = async (argv: readonly string[], shell: Shell): Promise<number> => {
    ran.push(argv.join(" "));
    return await runProgramHere(argv, shell);
  };
  opened.push(await answerCommands({ run, shell: withoutWords(shellHere(home).shell) }, file));
  return ran;
}

/** Returns the answer of the running process, or `null` if the command has to do the work itself. */
async function ask(args: readonly string[], options: RunHereOptions = {}): Promise<Run | null> {
  const { shell, stdout, stderr } = shellHere(home, options);
  const code = await answeredElsewhere(args, withoutWords(shell), FILE);
  if (code === null) expect([stdout(), stderr()]).toEqual(["", ""]);
  return code === null ? null : { code, stdout: stdout(), stderr: stderr() };
}

/** On a busy machine a process does not answer in time, and is asked again. */
async function answered(args: readonly string[], options: RunHereOptions = {}): Promise<Run> {
  return await vi.waitFor(async () => (await ask(args, options)) ?? expect.fail(`${args} was not answered`), {
    timeout: 20_000,
  });
}

test.each([
  [["list"], {}],
  [["list", "--json", "--all"], {}],
  [["list", "--limit", "1"], { columns: 90 }],
  [["list", "codex"], { columns: 40, env: { FORCE_COLOR: "1" } }],
  [["list", "--limit", "no"], {}],
  [["list", "--sort", "no", "--json"], {}],
  [["list", "--cwd", "app"], { cwd: "/home/ann" }],
  [["search", "--json", "nothing0that"], {}],
  [["search", "retry"], { columns: 100 }],
  [["search", "agnet:claude"], {}],
] as const)(
  "the answer to %j is byte for byte the output without a running process",
  async (args, options) => {
    const ran = await startAnswering();
    const now = new Date();
    const alone = await runInProcess(home, args, { ...options, now });
    expect(await answered(args, options)).toEqual(alone);
    expect([...new Set(ran)]).toEqual([args.join(" ")]);
  },
);

test("rows of an answered list have the numbers of the terminal that asked", async () => {
  await startAnswering();
  await answered(["list"], { columns: 90 });
  const [first] = JSON.parse((await runInProcess(home, ["list", "--json"])).stdout);
  const shown = await runInProcess(home, ["show", "1", "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ sessionId: first.sessionId });
});

test("a few commands are answered at the same time, and further ones do the work themselves", async () => {
  await startAnswering();
  const alone = await runInProcess(home, ["list"]);
  const answers = await Promise.all(Array.from({ length: RUNNING_LIMITS.commands + 2 }, () => ask(["list"])));
  for (const one of answers) expect([alone, null]).toContainEqual(one);
  expect(answers).toContainEqual(null);
  expect(await answered(["list"])).toEqual(alone);
});

test("no process is asked if none runs, after its end, with `--debug`, or with CONTINUO_DEBUG", async () => {
  expect(await ask(["list"])).toBeNull();
  const ran = await startAnswering();
  expect(await ask(["list", "--debug"])).toBeNull();
  expect(await ask(["list"], { env: { CONTINUO_DEBUG: "1" } })).toBeNull();
  expect(ran).toEqual([]);
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
  expect(await ask(["list"])).toBeNull();
  expect(readdirSync(folder())).toEqual([]);
});

test("a process with another time zone is not answered for", async () => {
  const ran = await startAnswering();
  env = { ...env, TZ: "Asia/Tokyo" };
  expect(await ask(["list"])).toBeNull();
  expect(ran).toEqual([]);
});

test.each(["LANG", "LC_ALL", "LC_TIME"])("a process with another %s is answered for", async (name) => {
  const ran = await startAnswering();
  const alone = await runInProcess(home, ["list"]);
  env = { ...env, [name]: "tr_TR.UTF-8" };
  expect(await answered(["list"])).toEqual(alone);
  expect([...new Set(ran)]).toEqual(["list"]);
});

test("a process of another build is not asked, and does not answer commands of this build", async () => {
  const other = join(home.path, "other-build.js");
  writeFileSync(other, "");
  const ran = await startAnswering(other);
  expect(await ask(["list"])).toBeNull();
  // Its socket is at the path that the same build would use.
  const [name = ""] = readdirSync(folder());
  symlinkSync(join(folder(), name), join(folder(), `${PROGRAM}-1`));
  expect(await ask(["list"])).toBeNull();
  expect(ran).toEqual([]);
});

/** The user `nobody`, who owns no files. */
const NOBODY = 65_534;

describe("the socket is only the user's:", () => {
  test("the folder of sockets is private, even if it was open before", async () => {
    mkdirSync(folder(), { recursive: true, mode: 0o777 });
    chmodSync(folder(), 0o777);
    await startAnswering();
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(await answered(["list"])).toMatchObject({ code: 0 });
  });

  test("a folder that others may enter, or that another user owns, is not read", async () => {
    const ran = await startAnswering();
    const { shell } = shellHere(home);
    expect(socketsOf(shell)).toHaveLength(1);
    expect(socketsOf(shell, 12_345)).toEqual([]);
    chmodSync(folder(), 0o711);
    expect(await ask(["list"])).toBeNull();
    chmodSync(folder(), 0o700);
    chmodSync(join(home.path, ".continuo"), 0o777);
    expect(await ask(["list"])).toBeNull();
    expect(ran).toEqual([]);
  });

  // Only root can give a folder away, and start a process as another user.
  test.runIf(process.getuid?.() === 0)("another user can neither connect nor own the folder", async () => {
    await startAnswering();
    const [path = ""] = socketsOf(shellHere(home).shell);
    for (const open of [home.path, join(home.path, ".continuo")]) chmodSync(open, 0o711);
    // The process changes its user only after the start, since another user may not be able to start this Node.
    const script = `process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});
      require("node:net").connect(${JSON.stringify(path)}).on("error", ({ code }) => console.log(code))`;
    const started = spawn(process.execPath, ["-e", script], { cwd: "/" });
    expect(await text(started.stdout)).toBe("EACCES\n");
    expect(await answered(["list"])).toMatchObject({ code: 0 });
    chownSync(folder(), NOBODY, NOBODY);
    expect(await ask(["list"])).toBeNull();
  });

  test("a link in place of the folder is not followed", async () => {
    const elsewhere = join(home.path, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    mkdirSync(join(home.path, ".continuo"), { mode: 0o700 });
    symlinkSync(elsewhere, folder());
    const heard = await listenBadly(() => undefined, join(elsewhere, `${PROGRAM}-1`));
    expect(await ask(["list"])).toBeNull();
    expect(heard()).toBe(0);
  });
});

/** Listens where a running process of this build would, and returns the number of requests. */
async function listenBadly(
  answer: (socket: Socket) => void,
  path: string = join(folder(), `${PROGRAM}-1`),
): Promise<() => number> {
  if (!existsSync(join(home.path, ".continuo"))) mkdirSync(join(home.path, ".continuo"), { mode: 0o700 });
  if (!existsSync(folder())) mkdirSync(folder(), { mode: 0o700 });
  let asked = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    asked += 1;
    open.add(socket.on("error", () => undefined));
    answer(socket);
  });
  opened.push({
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  });
  await once(server.listen(path), "listening");
  return () => asked;
}

const accepting = (rest: string): ((socket: Socket) => void) => {
  return (socket) => void socket.end(`${PROGRAM}\n${rest}`);
};
const head = (value: unknown): string => `${JSON.stringify(value)}\n`;

test.each<readonly [string, (socket: Socket) => void]>([
  ["says nothing", () => undefined],
  ["accepts and sends no answer", (socket) => void socket.write(`${PROGRAM}\n`)],
  ["hangs up", (socket) => void socket.destroy()],
  ["hangs up after it has accepted", accepting("")],
  ["has another version", (socket) => void socket.end(`other-build\n${head({ exitCode: 0, parts: [] })}`)],
  ["speaks another protocol", (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["cuts its answer off", accepting(`${head({ exitCode: 0, parts: [["stdout", 10]] })}abc`)],
  ["sends more than its answer", accepting(`${head({ exitCode: 0, parts: [["stdout", 1]] })}abc`)],
  ["names no stream", accepting(`${head({ exitCode: 0, parts: [["env", 3]] })}abc`)],
  ["names a length below zero", accepting(`${head({ exitCode: 0, parts: [["stdout", -3]] })}`)],
  ["has no exit code", accepting(`${head({ parts: [] })}`)],
  ["sends no JSON", accepting("}{\n")],
])("the command does the work itself if a process %s", async (_, answer) => {
  const heard = await listenBadly(answer);
  expect(await ask(["list"])).toBeNull();
  expect(heard()).toBe(1);
});

test("the command does the work itself if an answer never ends", async () => {
  const part = Buffer.alloc(4 * 1024 * 1024, "x");
  const heard = await listenBadly((socket) => {
    socket.write(`${PROGRAM}\n`);
    const more = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on("drain", more);
    more();
  });
  expect(await ask(["list"])).toBeNull();
  expect(heard()).toBe(1);
});

test("after a kill the next process is asked, and the killed one's socket is removed when a process starts", async () => {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const dead = join(folder(), `${PROGRAM}-0`);
  const script = `require("node:net").createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, "SIGKILL"))`;
  await once(spawn(process.execPath, ["-e", script], { stdio: "ignore" }), "exit");
  expect(existsSync(dead)).toBe(true);
  expect(await ask(["list"])).toBeNull();
  await startAnswering();
  expect(existsSync(dead)).toBe(false);
  expect(await answered(["list"])).toMatchObject({ code: 0 });
});

test("a request that is not a command of this build gets no answer, and does not end the process", async () => {
  const ran = await startAnswering();
  const [path = ""] = socketsOf(shellHere(home).shell);
  const request = { program: PROGRAM, argv: ["show", "last"], env: {}, home: "", cwd: "", startedBy: 1 };
  const said = ["\n", "{}\n", "[1]\n", head(request), "x".repeat(RUNNING_LIMITS.requestBytes + 1)];
  for (const text of said) {
    const socket = connect(path);
    let heard = "";
    socket.setEncoding("latin1").on("data", (part) => {
      heard += part;
    });
    socket.on("error", () => undefined).write(text);
    await once(socket, "close");
    expect(heard.trim()).toBe("");
  }
  expect(ran).toEqual([]);
  expect(await answered(["list"])).toMatchObject({ code: 0 });
});

test("a process runs lists for the terminal and the folder that ask, and no other command", async () => {
  const ran: unknown[] = [];
  const run = async (argv: readonly string[], { startedBy, cwd }: Shell): Promise<number> => {
    ran.push([argv, startedBy, cwd]);
    return 0;
  };
  opened.push(await answerCommands({ run, shell: shellHere(home).shell }, FILE));
  const stream = { isTTY: false, columns: 0, rows: 0 };
  const request = {
    env: {},
    home: home.path,
    cwd: "/elsewhere",
    startedBy: 4242,
    stdout: stream,
    stderr: stream,
  };
  const answerTo = async (argv: readonly string[]): Promise<string> => {
    const socket = connect(socketsOf(shellHere(home).shell)[0] ?? "");
    socket.write(head({ ...request, program: PROGRAM, surroundings: surroundings(process.env), argv }));
    return (await text(socket)).trim();
  };
  expect(await answerTo(["list", "--json"])).toMatch(new RegExp(`^${PROGRAM}\n`, "u"));
  expect(await answerTo(["session", "delete", "last", "--force"])).toBe("");
  expect(ran).toEqual([[["list", "--json"], 4242, "/elsewhere"]]);
});

test("no part of a too large answer is sent, and the command does the work itself", async () => {
  // Together, the parts that fit are smaller than the limit.
  const part = Buffer.alloc(3 * 1024 * 1024, "x");
  const run = async (_: readonly string[], { stdout }: Shell): Promise<number> => {
    for (let at = 0; at <= RUNNING_LIMITS.answerBytes / part.length; at += 1) stdout.write(part);
    return 0;
  };
  opened.push(await answerCommands({ run, shell: withoutWords(shellHere(home).shell) }, FILE));
  expect(await ask(["list"])).toBeNull();
});

test("a command that a process accepted but did not answer is not sent to another process", async () => {
  await listenBadly(accepting(""));
  const next = await listenBadly(accepting(""), join(folder(), `${PROGRAM}-2`));
  expect(await ask(["list"])).toBeNull();
  expect(next()).toBe(0);
});

test("if a command stops waiting, the process stops the work for it", async () => {
  const began = vi.fn();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const run = async (_: readonly string[], { signal }: Shell): Promise<number> => {
    began();
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve());
    await stopped;
    return 0;
  };
  opened.push(await answerCommands({ run, shell: withoutWords(shellHere(home).shell) }, FILE));
  await vi.waitFor(
    async () => {
      expect(await ask(["list"])).toBeNull();
      expect(began).toHaveBeenCalled();
    },
    { timeout: 20_000 },
  );
  await stopped;
});
