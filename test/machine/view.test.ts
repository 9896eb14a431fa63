/** `continuo view`: the address that it prints, who can sign in with it, and how it ends. */

import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOME_VARIABLES } from "@continuo/agents";
import type { PageEntry } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { background } from "../cli/background.ts";
import { CLAUDE_ID, createHome, type Home, type Run, writeSessions } from "../cli/home.ts";
import { runHere, type StartedCommand, startHere } from "../cli/in-process.ts";
import { fetchNamed } from "../server/harness/localhost-fetch.ts";
import { exchange } from "../server/harness/open-page.ts";

let home: Home;
const running: StartedCommand[] = [];
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});
afterEach(async () => {
  for (const { interrupt, ended } of running.splice(0)) {
    interrupt();
    await ended;
  }
  home[Symbol.dispose]();
});

const SOON = { timeout: 20_000 };
const PAGE_NAME = /^continuo-[\da-f]{32}\.localhost$/u;

interface Viewing {
  readonly base: string;
  readonly code: string;
  readonly hash: string;
  /** The output of the command. */
  readonly printed: { readonly url: string; readonly opened: boolean };
  end(): Promise<number | null>;
}

/** `continuo view` on a free port, unless the arguments name one. */
async function view(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Viewing> {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const command = ["view", "--json", ...port, ...args];
  const started = startHere(home, command, { env });
  running.push(started);
  const isPrinted = (): boolean => started.stdout().includes("\n");
  while (!isPrinted()) await Promise.race([sleep(5), started.ended.then(failAtEnd)]);
  const printed: Viewing["printed"] = JSON.parse(started.stdout());
  const { origin, hash } = new URL(printed.url);
  const code = decodeURIComponent(/^#code=([^/]+)/u.exec(hash)?.[1] ?? "");
  return {
    base: origin,
    code,
    hash,
    printed,
    end: async () => {
      started.interrupt();
      return (await started.ended).code;
    },
  };
}

function failAtEnd({ stderr }: Run): never {
  throw new Error(`the command ended: ${stderr}`);
}

/** Signs in as a page at the address. Returns the headers that the page then sends; none if it is refused. */
async function enter({ base, code }: Viewing): Promise<Record<string, string>> {
  const { secret } = (await (await exchange(base, code)).json()) as Partial<PageEntry>;
  return secret == null ? {} : { authorization: `Bearer ${secret}` };
}

test("the address lets one browser in, which sees every session, until Ctrl-C", async () => {
  const viewing = await view(["--no-open"]);
  expect((await fetchNamed(`${viewing.base}/v1/machine/sessions`)).status).toBe(401);
  const headers = await enter(viewing);
  const response = await fetchNamed(`${viewing.base}/v1/machine/sessions`, { headers });
  expect(await response.json()).toMatchObject({ total: 3 });
  expect(await enter(viewing)).toEqual({});
  expect(await viewing.end()).toBe(0);
  // The command only reads, so it creates no database of Continuo's own.
  expect(existsSync(join(home.path, ".continuo/continuo.db"))).toBe(false);
});

test("as a program of its own it listens, and ends with 0 on Ctrl-C", async () => {
  await using viewer = background(home, ["view", "--json", "--no-open", "--port", "0"]);
  const { url }: Viewing["printed"] = JSON.parse(await viewer.line("#code="));
  expect((await fetchNamed(`${new URL(url).origin}/`)).status).toBe(200);
  await viewer.kill("SIGINT");
  expect(viewer.child.exitCode).toBe(0);
});

test("the address of one session leads to it", async () => {
  const viewing = await view([CLAUDE_ID.slice(0, 6), "--no-open", "--read-only"]);
  expect(viewing.hash.endsWith(`/session/claude%3A${CLAUDE_ID}`)).toBe(true);
  const headers = await enter(viewing);
  const deleted = await fetchNamed(`${viewing.base}/v1/machine/sessions/claude:${CLAUDE_ID}/delete`, {
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
    const head = await fetchNamed(`${viewing.base}/v1/channels/team`, { headers });
    expect(await head.json()).toMatchObject({ access: status === 200 ? ["read", "write"] : ["read"] });
    const said = await fetchNamed(`${viewing.base}/v1/channels/team/messages`, {
      method: "POST",
      headers: { ...headers, origin: viewing.base, "content-type": "application/json" },
      body: JSON.stringify({ handle: "ada", content: "hello" }),
    });
    expect(said.status).toBe(status);
    expect((await fetchNamed(`${viewing.base}/v1/live`, { headers })).status).toBe(200);
    expect(await viewing.end()).toBe(0);
  }
  expect((await store.read("channels/team")).events).toHaveLength(1);
  expect((await store.listTokens()).items).toEqual([]);
  expect((await store.listLeases({ prefix: "live/" })).items).toEqual([]);
  await store.close();
});

test("no command line has the code: the browser gets a file that only its user can read, with a code of its own", async () => {
  // A stand-in for the browser stores its command line, and the content of the file that the command line names.
  const [words, page] = [join(home.path, "words"), join(home.path, "page")];
  home.write("bin/xdg-open", `#!/bin/sh\ncat "$1" > '${page}'\nprintf '%s\\n' "$@" > '${words}'\n`);
  chmodSync(join(home.path, "bin/xdg-open"), 0o755);
  const env = { PATH: `${join(home.path, "bin")}:${process.env.PATH}`, DISPLAY: ":99" };
  const viewing = await view([CLAUDE_ID.slice(0, 6)], env);
  expect(viewing.printed.opened).toBe(true);
  await expect.poll(() => existsSync(words), SOON).toBe(true);
  const [file = "", ...more] = readFileSync(words, "utf8").trim().split("\n");
  expect(more).toEqual([]);
  expect(file).not.toContain("code");
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  const [, code = "", place] =
    /url=http:\/\/[\w.:-]+\/#code=([^/"]+)([^"]+)"/u.exec(readFileSync(page, "utf8")) ?? [];
  expect(place).toBe(`/session/claude%3A${CLAUDE_ID}`);
  expect(code).not.toBe(viewing.code);
  const opened = { ...viewing, code };
  expect(await enter(opened)).toHaveProperty("authorization");
  // The printed code is for a browser that did not open.
  expect(await enter(viewing)).toHaveProperty("authorization");
  expect(await viewing.end()).toBe(0);
});

test("another `continuo view` opens a page of the viewer that runs, which may do less", async () => {
  const first = await view(["--no-open", "--port", "0"]);
  const second = await runHere(home, [
    "view",
    "--no-open",
    "--json",
    "--read-only",
    `${first.base}/#/health`,
  ]);
  const { url }: { readonly url: string } = JSON.parse(second.stdout);
  expect([second.code, new URL(url).origin, url.endsWith("/health")]).toEqual([0, first.base, true]);
  const hash = new URL(url).hash;
  const code = decodeURIComponent(/^#code=([^/]+)/u.exec(hash)?.[1] ?? "");
  const headers = await enter({ ...first, code });
  const renamed = await fetchNamed(`${first.base}/v1/machine/sessions/claude:${CLAUDE_ID}/rename`, {
    method: "POST",
    headers: { ...headers, origin: first.base, "content-type": "application/json" },
    body: JSON.stringify({ title: "x" }),
  });
  expect(renamed.status).toBe(403);
  expect(await first.end()).toBe(0);
});

test("a command with another folder of any agent does not open the viewer that runs", async () => {
  const first = await view(["--no-open"]);
  const { port } = new URL(first.base);
  const again = (env: Readonly<Record<string, string>>): Promise<Run> =>
    runHere(home, ["view", "--no-open", "--json", "--port", port], { env });
  expect(await again({})).toMatchObject({ code: 0, stdout: expect.stringContaining(first.base) });
  for (const name of Object.values(HOME_VARIABLES)) {
    // This command needs a viewer of its own, and the port is in use.
    expect([name, (await again({ [name]: join(home.path, "other") })).stdout]).toEqual([name, ""]);
  }
  await first.end();
});

test("the address of a page starts the viewer at its port, and the page gets a name that nobody had before", async () => {
  const first = await view(["--no-open"]);
  await first.end();
  const again = await view([
    "--no-open",
    "--port",
    new URL(first.base).port,
    `${first.base}/#/channels/team`,
  ]);
  const [before, now] = [new URL(first.base), new URL(again.base)];
  expect([now.port, again.hash.endsWith("/channels/team")]).toEqual([before.port, true]);
  expect(now.hostname).toMatch(PAGE_NAME);
  expect(now.hostname).not.toBe(before.hostname);
  // A bookmark of the earlier start gets the page, which explains how to open it, and gives no access.
  expect((await fetchNamed(`${first.base}/`)).status).toBe(200);
  expect((await exchange(first.base, again.code)).status).toBe(403);
  expect((await exchange(again.base, again.code)).status).toBe(401);
  const { code, stderr } = await runHere(home, ["view", "--no-open", "--read-only", "--port", "70000"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"70000" is not a port')]);
  await again.end();
});

test("an id that names no session is an error before a server starts", async () => {
  const { code, stderr } = await runHere(home, ["view", "nobody"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('there is no session "nobody"')]);
});
