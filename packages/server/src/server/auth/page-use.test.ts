import type { Store, Token } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Grant, PageName, PageUse, Quotas } from "../context/index.ts";
import { createPageUse, PAGE_USES, withPageConnections } from "./page-use.ts";

const IDLE_MS = 10_000;

let store: Awaited<ReturnType<typeof openStore>>;
let use: PageUse;
let ending: AbortController;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  store = await openStore("memory:", { now: () => Date.now() });
  ending = new AbortController();
  use = createPageUse(() => store as Store, {
    idleMs: IDLE_MS,
    ending: ending.signal,
    report: () => undefined,
  });
});
afterEach(async () => {
  ending.abort();
  await store.close();
  vi.useRealTimers();
});

async function openedPage(): Promise<PageName> {
  const { tokenId } = await store.createToken({ scopes: ["channel:team:read"] });
  const page = { tokenId, workspaceId: store.workspaceId, parentId: "parent" };
  await use.opened(page);
  return page;
}

async function stateOf({ tokenId }: PageName): Promise<Token["state"] | undefined> {
  return (await store.getToken(tokenId))?.state;
}

test("a page whose last connection ended is unused from that moment on", async () => {
  const page = await openedPage();
  const connection = use.connected(page);
  vi.advanceTimersByTime(3 * IDLE_MS);
  connection[Symbol.dispose]();
  vi.advanceTimersByTime(IDLE_MS - 1);
  await expect(use.used(page)).resolves.toBeUndefined();
  vi.advanceTimersByTime(IDLE_MS + 1);
  await expect(use.used(page)).rejects.toMatchObject({ code: "unauthorized" });
});

test("a page that was unused for too long is revoked, so that it stays ended when its lease is removed", async () => {
  const page = await openedPage();
  vi.advanceTimersByTime(IDLE_MS + 1);
  expect(await stateOf(page)).toBe("active");
  await expect(use.used(page)).rejects.toMatchObject({ code: "unauthorized" });
  await store.removeLeases({ state: "expired", endedForMs: 0, prefix: `${PAGE_USES}/` });
  expect(await stateOf(page)).toBe("revoked");
});

test("the use of a page that a server of a young process sees first is known to the next server", async () => {
  const page = await openedPage();
  for (let restarts = 0; restarts < 3; restarts++) {
    vi.advanceTimersByTime(IDLE_MS - 1);
    const restarted = createPageUse(() => store as Store, {
      idleMs: IDLE_MS,
      ending: ending.signal,
      report: () => undefined,
    });
    await expect(restarted.used(page)).resolves.toBeUndefined();
  }
});

test("if a token has too many pages, those that were used last stay", async () => {
  const pages: PageName[] = [];
  for (let n = 0; n < 100; n++) {
    pages.push(await openedPage());
    vi.advanceTimersByTime(1);
  }
  const newest = await openedPage();
  const states = await Promise.all(
    [pages[0], pages[1], pages[99], newest].map((page) => stateOf(page as PageName)),
  );
  expect(states).toEqual(["revoked", "active", "active", "active"]);
});

test("a connection of a page that ends twice leaves its other connection counted", async () => {
  const page = await openedPage();
  const quotas = { connect: () => ({ [Symbol.dispose]: () => undefined }) } as unknown as Quotas;
  const { connect } = withPageConnections(quotas, use);
  const grant = { ...page, page: { kind: "tab", parentId: page.parentId } } as unknown as Grant;
  const [first, second] = [connect(grant, () => undefined), connect(grant, () => undefined)];
  for (let times = 0; times < 2; times++) first[Symbol.dispose]();
  vi.advanceTimersByTime(3 * IDLE_MS);
  await expect(use.used(page)).resolves.toBeUndefined();
  second[Symbol.dispose]();
});
