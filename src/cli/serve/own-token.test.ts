import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOOPBACK_LABEL } from "@continuo/core/wire";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { keepOwnToken } from "./own-token.ts";

const DAY_MS = 86_400_000;
let home: string;
let store: OpenedStore;
let said: string;
let shell: Shell;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  home = scratchFolder("own-token");
  store = await openStore("memory:", { now: () => Date.now() });
  said = "";
  const stderr = {
    write: (text: string) => {
      said += text;
      return true;
    },
  };
  shell = { home, cwd: home, env: { CONTINUO_HOME: home }, stderr } as unknown as Shell;
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const secretIn = (path: string): string => readFileSync(path, "utf8").trim();

test("the token of this machine is valid for 90 days, and stays the same at the next start", async () => {
  const first = await keepOwnToken(store, {}, shell);
  const secret = secretIn(first.path);
  const token = await store.authenticate(secret);
  expect(Date.parse(token?.expiresAt ?? "") - Date.now()).toBe(90 * DAY_MS);
  using second = await keepOwnToken(store, {}, shell);
  expect(secretIn(second.path)).toBe(secret);
  first[Symbol.dispose]();
});

test("a server that runs for months renews the token a month before it ends, and the earlier one works until then", async () => {
  using own = await keepOwnToken(store, {}, shell);
  const first = secretIn(own.path);
  await vi.advanceTimersByTimeAsync(59 * DAY_MS);
  expect(secretIn(own.path)).toBe(first);
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  const second = secretIn(own.path);
  expect(second).not.toBe(first);
  expect(await store.authenticate(first)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  expect(await store.authenticate(first)).toBeNull();
  expect(await store.authenticate(second)).not.toBeNull();
});

test("a token of an earlier version that never expires is replaced, and its id is printed so that it can be revoked", async () => {
  const old = await store.createToken({ scopes: ["admin"], label: LOOPBACK_LABEL });
  writeFileSync(join(home, "server-token"), `${old.secret}\n`, { mode: 0o600 });
  using own = await keepOwnToken(store, {}, shell);
  expect(secretIn(own.path)).not.toBe(old.secret);
  expect(said).toContain(`continuo token revoke ${old.tokenId}`);
});

test("a token that a person put into the file is never replaced", async () => {
  const expiresAt = new Date(Date.now() + 10 * DAY_MS).toISOString();
  const theirs = await store.createToken({ scopes: ["channel:a:read"], label: "mine", expiresAt });
  const file = join(home, "own");
  writeFileSync(file, `${theirs.secret}\n`, { mode: 0o600 });
  using own = await keepOwnToken(store, { tokenFile: file }, shell);
  await vi.advanceTimersByTimeAsync(5 * DAY_MS);
  expect(secretIn(own.path)).toBe(theirs.secret);
  expect(existsSync(join(home, "server-token"))).toBe(false);
});
