/** `continuo view` as a process: the address that it prints, who gets in by it, and how it ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import type { PageEntry } from "../../src/wire/index.ts";
import { CLAUDE_ID, cleanEnv, createHome, type Home, MAIN, run, writeSessions } from "../cli/home.ts";
import { exchange } from "../server/harness/open-page.ts";

let home: Home;
let child: ChildProcess | null = null;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});
afterEach(() => {
  child?.kill("SIGKILL");
  child = null;
  home[Symbol.dispose]();
});

interface Viewing {
  readonly base: string;
  readonly code: string;
  readonly hash: string;
  end(): Promise<number | null>;
}

async function view(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Viewing> {
  const started = spawn(process.execPath, [MAIN, "view", "--json", ...args], {
    cwd: home.path,
    env: { ...cleanEnv(home.path), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  started.on("close", resolve);
  let text = "";
  for await (const chunk of started.stdout) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const { url }: { url: string } = JSON.parse(text);
  const { origin, hash } = new URL(url);
  const code = /^#code=([^/]+)/u.exec(hash)?.[1] ?? "";
  return {
    ...{ base: origin, code, hash },
    end: () => {
      started.kill("SIGINT");
      return ended;
    },
  };
}

/** What a page of the address sends; nothing if it is not let in. */
async function enter({ base, code }: Viewing): Promise<Record<string, string>> {
  const { secret } = (await (await exchange(base, code)).json()) as Partial<PageEntry>;
  return secret == null ? {} : { authorization: `Bearer ${secret}` };
}

test("the address lets one browser in, which sees every session, until Ctrl-C", async () => {
  const viewing = await view(["--no-open"]);
  expect((await fetch(`${viewing.base}/v1/machine/sessions`)).status).toBe(401);
  const headers = await enter(viewing);
  const response = await fetch(`${viewing.base}/v1/machine/sessions`, { headers });
  expect(await response.json()).toMatchObject({ total: 3 });
  expect(await enter(viewing)).toEqual({});
  expect(await viewing.end()).toBe(0);
  // It is for looking: no database of Continuo's own is made.
  expect(existsSync(join(home.path, ".continuo/continuo.db"))).toBe(false);
});

test("the address of one session leads to it", async () => {
  const viewing = await view([CLAUDE_ID.slice(0, 6), "--no-open", "--read-only"]);
  expect(viewing.hash.endsWith(`/session/claude%3A${CLAUDE_ID}`)).toBe(true);
  const headers = await enter(viewing);
  const deleted = await fetch(`${viewing.base}/v1/machine/sessions/claude:${CLAUDE_ID}/delete`, {
    method: "POST",
    headers: { ...headers, origin: viewing.base },
  });
  expect(deleted.status).toBe(403);
  expect(await viewing.end()).toBe(0);
});

test("channels of the user's store are shown; with --read-only nobody can write, and the codes stay out of the store", async () => {
  home.write(".continuo/keep", "");
  const url = `sqlite:${join(home.path, ".continuo/continuo.db")}`;
  const store = await openStore(url, { migrate: true });
  await store.createLog({ logId: "channels/team" });
  for (const [args, status] of [
    [[], 200],
    [["--read-only"], 403],
  ] as const) {
    const viewing = await view(["--no-open", ...args]);
    const headers = await enter(viewing);
    const head = await fetch(`${viewing.base}/v1/channels/team`, { headers });
    expect(await head.json()).toMatchObject({ access: status === 200 ? ["read", "write"] : ["read"] });
    const said = await fetch(`${viewing.base}/v1/channels/team/messages`, {
      method: "POST",
      headers: { ...headers, origin: viewing.base, "content-type": "application/json" },
      body: JSON.stringify({ handle: "ada", content: "hello" }),
    });
    expect(said.status).toBe(status);
    expect((await fetch(`${viewing.base}/v1/live`, { headers })).status).toBe(200);
    expect(await viewing.end()).toBe(0);
  }
  expect((await store.read("channels/team")).events).toHaveLength(1);
  expect((await store.listTokens()).items).toEqual([]);
  expect((await store.listLeases({ prefix: "live/" })).items).toEqual([]);
  await store.close();
});

test("a browser is opened where there is a display, and not through ssh", async () => {
  const opened = join(home.path, "opened");
  home.write("bin/xdg-open", `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
  chmodSync(join(home.path, "bin/xdg-open"), 0o755);
  const env = { PATH: `${join(home.path, "bin")}:${process.env.PATH}`, DISPLAY: ":99" };
  const far = await view([], { ...env, SSH_CONNECTION: "1" });
  await far.end();
  expect(existsSync(opened)).toBe(false);
  const near = await view([], env);
  await expect.poll(() => existsSync(opened)).toBe(true);
  expect(await near.end()).toBe(0);
});

test("an id that names no session is an error before a server starts", async () => {
  const { code, stderr } = await run(home, ["view", "nobody"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('there is no session "nobody"')]);
});
