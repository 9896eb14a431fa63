/**
 * `c.handler` in hosts that are separate programs: Bun, and a route of Next. `test/runtime/mounted.test.ts` tests the
 * other hosts.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const HERE = import.meta.dirname;
const CONTINUO = join(HERE, "node_modules/continuo");
/**
 * The program itself, because no script of a package runs when it is installed, and that of `bun` would create the
 * link.
 */
const BUN = `node_modules/@oven/bun-${process.platform}-${process.arch.replace("arm64", "aarch64")}/bin/bun`;

beforeAll(() => {
  rmSync(CONTINUO, { force: true });
  symlinkSync(join(HERE, "../.."), CONTINUO);
});
afterAll(() => rmSync(CONTINUO, { force: true }));

interface Host {
  readonly name: string;
  /** The program, its folder and its arguments. */
  readonly command: (port: number) => readonly [file: string, ...args: string[]];
  readonly cwd: string;
  /** The path under which the host serves the handler. */
  readonly path: string;
  readonly ready: RegExp;
  /** True if the host compiles nothing when it starts. */
  readonly startsAtOnce: boolean;
}

const HOSTS: readonly Host[] = [
  {
    name: "Bun",
    command: () => [join(HERE, BUN), join(HERE, "bun.js")],
    cwd: HERE,
    path: "/any/path",
    ready: /^(http:\/\/\S+)/mu,
    startsAtOnce: true,
  },
  {
    name: "Next",
    command: (port) => [
      process.execPath,
      join(HERE, "node_modules/next/dist/bin/next"),
      "dev",
      "--hostname=127.0.0.1",
      `--port=${port}`,
    ],
    cwd: join(HERE, "next"),
    path: "/api/shop",
    ready: /Local:\s+(http:\/\/\S+)[\s\S]*Ready in/u,
    startsAtOnce: false,
  },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(HOSTS)("the handler in $name", ({ command, cwd, path, ready, startsAtOnce }) => {
  let folder: string;
  let child: ChildProcess | undefined;
  let url: string;

  /** @param stay `middle`: the answer of the counting agent does not end before the kill */
  async function start(stay: "middle" | "" = ""): Promise<void> {
    const [file, ...args] = command(await freePort());
    const env = {
      ...process.env,
      NODE_ENV: "development",
      STORE: `sqlite:${join(folder, "store.db")}`,
      NEXT_TELEMETRY_DISABLED: "1",
      STAY: stay,
    };
    const started = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    child = started;
    url = await new Promise((resolve, reject) => {
      let said = "";
      for (const stream of [started.stdout, started.stderr]) {
        stream.on("data", (part) => {
          said += part;
          const address = ready.exec(said)?.[1];
          if (address !== undefined) resolve(`${address}${path}/v1`);
        });
      }
      started.once("exit", (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    });
  }

  /** Kills the host and all processes that it started. */
  async function kill(): Promise<void> {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  function ask(person: string | null, asked: string, body?: object): Promise<Response> {
    return fetch(`${url}${asked}`, {
      headers: person === null ? {} : { authorization: person },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
  }

  interface Question {
    readonly id: string;
    readonly runId: string;
  }

  async function question(not?: string): Promise<Question> {
    const open = async (): Promise<Question | undefined> => {
      const all = (await (await ask("staff", "/approvals")).json()) as readonly Question[];
      return all.find(({ runId }) => runId !== not);
    };
    await expect.poll(open, { timeout: 60_000 }).toBeDefined();
    return (await open()) as Question;
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "continuo-hosts-"));
    await start();
  });
  afterEach(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("accepts each message once, streams its answer, and refuses unknown users", async () => {
    expect((await ask(null, "/sessions/shop")).status).toBe(401);
    expect((await ask("ann", "/sessions/other")).status).toBe(404);
    const message = { text: "hello", id: "1", agent: "echo" };
    for (let time = 0; time < 2; time++) {
      expect((await ask("ann", "/sessions/shop/messages", message)).status).toBe(202);
    }
    const answer = await (await ask("ann", "/sessions/shop/runs/1/events")).text();
    expect(answer).toContain('"type":"run_completed"');
    expect(answer).toContain("event: end");
    const { messages } = (await (await ask("ann", "/sessions/shop")).json()) as {
      readonly messages: readonly { readonly role: string }[];
    };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  interface Told {
    readonly sequence: number;
    readonly type: string;
    readonly runId?: string;
    readonly data: { readonly delta?: string };
  }

  /**
   * Reads the events of the run after a sequence, until `isEnough` or the end of the stream. `hasEnded`: the stream
   * ended with the event `end`.
   */
  async function follow(
    after: number | null,
    isEnough: (told: readonly Told[]) => boolean,
  ): Promise<{ readonly told: readonly Told[]; readonly hasEnded: boolean }> {
    const headers = {
      authorization: "ann",
      ...(after === null ? {} : { "last-event-id": String(after) }),
    };
    const { body } = await fetch(`${url}/sessions/shop/runs/1/events`, { headers });
    let text = "";
    let told: readonly Told[] = [];
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const lines = text.matchAll(/^id: (\d+)\ndata: (.*)\n\n/gmu);
      told = [...lines].map(([, id, data]) => ({ ...JSON.parse(data ?? ""), sequence: Number(id) }) as Told);
      if (isEnough(told)) break;
    }
    return { told, hasEnded: text.endsWith('event: end\ndata: {"status":"completed"}\n\n') };
  }

  test("after a kill, a reader continues after its last event, and gets the complete next attempt", async () => {
    await kill();
    await start("middle");
    await ask("ann", "/sessions/shop/messages", { text: "count", id: "1", agent: "counting" });
    const wordsOf = (told: readonly Told[]): string =>
      told.map(({ type, data }) => (type === "message_streamed" ? data.delta : "")).join("");
    // Earlier attempts that were cut off also left words, so only the end is compared.
    const before = await follow(null, (told) => wordsOf(told).endsWith("1 2 3 4 5 "));
    expect(before.hasEnded).toBe(false);
    const last = before.told.at(-1)?.sequence ?? 0;
    await kill();
    await start();
    const { told, hasEnded } = await follow(last, () => false);
    expect(hasEnded).toBe(true);
    const sequences = [...before.told, ...told].map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
    expect(told.filter(({ type }) => type === "run_interrupted")).toHaveLength(1);
    expect(told.at(-1)?.type).toBe("run_completed");
    const ofLast = told.filter(({ runId }) => runId === told.at(-1)?.runId);
    expect(wordsOf(ofLast)).toMatch(/^1 2 3 .* 19 20 $/u);
  });

  const when = startsAtOnce ? ", also over a kill" : "";
  test(`asks the people who may answer${when}, and passes their answer to the run`, async () => {
    await ask("ann", "/sessions/shop/messages", { text: "may I?", id: "1", agent: "asking" });
    const asked = await question();
    if (startsAtOnce) {
      await kill();
      await start();
    }
    const { id } = startsAtOnce ? await question(asked.runId) : asked;
    expect(id).toBe(asked.id);
    expect((await ask("ann", `/approvals/${id}`, { outcome: "granted" })).status).toBe(403);
    expect((await ask("staff", `/approvals/${id}`, { outcome: "granted" })).status).toBe(200);
    const answer = await (await ask("ann", "/sessions/shop/runs/1/events")).text();
    expect(answer).toContain("it was granted");
    expect(answer).toContain("event: end");
  });
});
