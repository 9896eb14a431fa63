/**
 * The choices of a person for the viewer: they are stored in a file of CONTINUO_HOME, and the page has them before its
 * script runs.
 */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

const PATH = "/v1/machine/preferences";

let home: Home;
let machine: OpenMachine;
let file: string;
const reported: string[] = [];

const open = (): Promise<OpenMachine> =>
  openMachine(home, {
    pageFolder: join(home.path, "page"),
    preferencesFile: file,
    report: (line) => reported.push(line),
  });

beforeEach(async () => {
  reported.length = 0;
  home = createHome();
  mkdirSync(join(home.path, "page"));
  writeFileSync(join(home.path, "page/index.html"), '<!doctype html><html lang="en"><title>x</title>');
  file = join(home.path, "new/preferences.json");
  machine = await open();
});
afterEach(() => machine[Symbol.asyncDispose]());

async function page(etag = ""): Promise<readonly [status: number, html: string, etag: string]> {
  const response = await fetch(`${machine.url}/`, { headers: { "if-none-match": etag } });
  return [response.status, await response.text(), response.headers.get("etag") ?? ""];
}

test("a choice is on disk when it is answered, only for this user, and the next server has it", async () => {
  expect(await machine.json(PATH)).toEqual({});
  expect(existsSync(file)).toBe(false);
  expect(await (await machine.post(PATH, { theme: "dark" })).json()).toEqual({ theme: "dark" });
  expect(await (await machine.post(PATH, { channelName: "Ana" })).json()).toEqual({
    theme: "dark",
    channelName: "Ana",
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ version: 1, theme: "dark", channelName: "Ana" });
  await using next = await openMachine(home, { preferencesFile: file });
  expect(await next.json(PATH)).toEqual({ theme: "dark", channelName: "Ana" });
});

test("the page has the theme before its script runs, and a browser never takes the page of another theme", async () => {
  const [, plain, before] = await page();
  expect(plain).toContain('<html data-kept lang="en">');
  await machine.post(PATH, { theme: "dark" });
  const [status, html, after] = await page(before);
  expect([status, html]).toEqual([
    200,
    '<!doctype html><html data-kept data-theme="dark" lang="en"><title>x</title>',
  ]);
  expect((await page(after))[0]).toBe(304);
  await machine.post(PATH, { theme: "system" });
  expect((await page(after))[1]).toContain('data-theme="system"');
});

test.each([
  [{ theme: "pink" }],
  [{ theme: null }],
  [{ channelName: "a:b" }],
  [{ channelName: "x".repeat(129) }],
  [{ colour: "dark" }],
  [{ theme: "dark", __proto__x: 1 }],
  [[]],
])("an invalid choice is refused, and nothing is written: %j", async (body) => {
  const answer = await machine.post(PATH, body);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid" } }]);
  expect(existsSync(file)).toBe(false);
});

test("a page that may only read learns the choices and changes none, and a token of channels neither", async () => {
  const [reading, other] = [await machine.token(["machine:read"]), await machine.token(["channel:*:read"])];
  expect((await machine.get(PATH, reading)).status).toBe(200);
  expect((await machine.post(PATH, { theme: "dark" }, reading)).status).toBe(403);
  expect((await machine.get(PATH, other)).status).toBe(403);
  expect(existsSync(file)).toBe(false);
});

test("keys of a later version stay in the file, and its unknown values count as not chosen", async () => {
  mkdirSync(join(home.path, "new"));
  writeFileSync(file, JSON.stringify({ version: 1, theme: '"><script>', density: "small" }));
  expect([await machine.json(PATH), (await page())[1]]).toEqual([
    {},
    expect.stringContaining('<html data-kept lang="en">'),
  ]);
  await machine.post(PATH, { channelName: "Ana" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ density: "small", channelName: "Ana" });
});

test.each([["{"], ['{"version":2}'], ["null"], [`{"version":1,"x":"${"y".repeat(1024 * 1024)}"}`]])(
  "a file without valid preferences is reported once, and never overwritten: %.20s",
  async (text) => {
    mkdirSync(join(home.path, "new"));
    writeFileSync(file, text);
    expect([await machine.json(PATH), (await page())[0], await machine.json(PATH)]).toEqual([{}, 200, {}]);
    expect(reported).toEqual([expect.stringContaining(`cannot read ${file}`)]);
    const answer = await machine.post(PATH, { theme: "dark" });
    const hint = "Delete the file, and choose again.";
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { hint } }]);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a server without a file of preferences has no such path", async () => {
  await using plain = await openMachine(home);
  const answers = [await plain.get(PATH), await plain.post(PATH, { theme: "dark" })];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});
