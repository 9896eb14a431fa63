import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { pageLabel } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { runCreateToken, runListTokens } from "./tokens.ts";

const NOW = new Date();
const home = scratchFolder("tokens");
const url = `sqlite:${join(home, "tokens.db")}`;
let store: Store;
beforeAll(async () => {
  store = await openStore(url, { migrate: true });
});
afterAll(async () => {
  await store.close();
});

async function printed(work: (shell: Shell) => Promise<number>): Promise<string> {
  let text = "";
  const stdout = {
    write: (part: string, done?: () => void) => {
      text += part;
      done?.();
      return true;
    },
    on: () => stdout,
    once: () => stdout,
    off: () => stdout,
    removeListener: () => stdout,
  };
  const shell = { home, cwd: home, env: { CONTINUO_HOME: home }, now: NOW, stdout } as unknown as Shell;
  expect(await work(shell)).toBe(0);
  return text;
}

async function lifeDays(expires: string): Promise<number | null> {
  const flags = { scope: ["channel:team:read"], expires, store: url };
  const secret = (await printed((shell) => runCreateToken(flags, shell))).trim();
  const { expiresAt } = (await store.authenticate(secret)) ?? { expiresAt: "" };
  return expiresAt === null ? null : (Date.parse(expiresAt) - NOW.getTime()) / 86_400_000;
}

test("a token is valid as long as --expires says, and forever only with never", async () => {
  expect([await lifeDays("90d"), await lifeDays("12h"), await lifeDays("never")]).toEqual([90, 0.5, null]);
  await expect(lifeDays("soon")).rejects.toMatchObject({ code: "usage" });
});

test("pages are listed below the token with which they were opened, and end with it", async () => {
  const own = await store.createToken({ scopes: ["machine:read"], label: "laptop" });
  const other = await store.createToken({ scopes: ["channel:a:read"], label: "other" });
  const open = (kind: "code" | "tab" | "cookie", parentId: string) =>
    store.createToken({ scopes: ["machine:read"], label: pageLabel({ kind, parentId }) });
  const [tab, cookie] = [await open("tab", own.tokenId), await open("cookie", own.tokenId)];
  const left = await open("tab", "0190-forgotten");
  const code = await open("code", other.tokenId);
  await store.revokeToken(own.tokenId);
  const list = await printed((shell) => runListTokens({ store: url }, shell));
  const lines = list.split("\n").filter((line) => /laptop|other|page/u.test(line));
  const wordsOf = (line: string): string => line.replaceAll(/ {2,}/gu, "  ");
  expect(lines.map(wordsOf)).toEqual([
    `${own.tokenId}  revoked  -  never  laptop  machine:read`,
    `  ${tab.tokenId}  revoked  -  never  page  machine:read`,
    `  ${cookie.tokenId}  revoked  -  never  page  machine:read`,
    `${other.tokenId}  active  -  never  other  channel:a:read`,
    `  ${code.tokenId}  active  -  never  code of a page  machine:read`,
    `  ${left.tokenId}  expired  -  never  page  machine:read`,
  ]);
});
