/**
 * Channels in real browsers: people and an agent in one channel, threads, streaming, hostile messages, and rights to
 * write.
 */

import { type AgenticClient, connect } from "@continuo/core/client";
import type { NewEvent } from "@continuo/core/model";
import type { Page, WebSocketRoute } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { WATCH_SAYING } from "./saying.ts";

let viewer: OpenViewer;
let token: string;
const clients: AgenticClient[] = [];
beforeAll(async () => {
  viewer = await openViewer();
  token = await viewer.machine.token(["channel:*:read,write"]);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(viewer.browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

async function join(channel: string, handle: string, type = "person"): Promise<AgenticClient> {
  const { url } = viewer.machine;
  const client = await connect({ serverUrl: url, token, channel, handle, type, workspaceId: "default" });
  clients.push(client);
  return client;
}

const message = (page: Page) => page.getByRole("textbox", { name: "Message" });
const post = (page: Page, text: string) => page.locator(".post", { hasText: text });

async function call(page: Page, name: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Your name in channels" });
  await field.fill(name);
  await field.press("Tab");
}

async function here(page: Page, name: string): Promise<void> {
  await page.locator(".names").getByText(name, { exact: true }).waitFor({ state: "attached" });
}

test("two people and an agent in one channel see presence, a message in progress, and a reply in a thread", async () => {
  await viewer.machine.store.createLog({ logId: "channels/team" });
  const first = await viewer.open("/channels/team");
  const second = await viewer.open("/channels/team", { theme: "dark", width: 360 });
  await call(first.page, "ada");
  await call(second.page, "grace");
  for (const { page } of [first, second]) {
    await here(page, "ada");
    await here(page, "grace");
  }
  await message(first.page).fill("Where is the build?");
  await message(first.page).press("Enter");
  await post(second.page, "Where is the build?").waitFor();
  await expect.poll(() => message(first.page).inputValue()).toBe("");

  const claude = await join("team", "claude", "agent");
  const asked = (await viewer.machine.store.read("channels/team")).events[0]?.id ?? "";
  const { messageId } = await claude.openMessage({ replyTo: asked });
  await claude.update(messageId, "In ");
  for (const { page } of [first, second]) {
    await page.locator(".row-reply .saying", { hasText: "In" }).waitFor();
    await page.evaluate(WATCH_SAYING);
  }
  await claude.update(messageId, "`ci/build.yml`, ");
  await claude.update(messageId, "I think.");
  for (const { page } of [first, second]) {
    await expect.poll(() => page.locator(".saying").allInnerTexts()).toEqual(["In `ci/build.yml`, I think."]);
    expect(new Set(await page.evaluate<readonly string[]>("changed"))).toEqual(
      new Set(["characterData #text"]),
    );
  }
  await claude.complete(messageId);
  for (const { page } of [first, second])
    await page.locator(".row-reply .prose code", { hasText: "ci/build.yml" }).waitFor();

  // A reply to the agent's reply is in the same thread.
  await second.page.getByRole("button", { name: "Reply to claude" }).click();
  await second.page.locator(".dock-line", { hasText: "Reply to" }).waitFor();
  await message(second.page).fill("Found it");
  await message(second.page).press("Enter");
  await first.page.locator(".row-reply", { hasText: "Found it" }).waitFor();
  expect(await first.page.locator(".row-reply .who").allInnerTexts()).toEqual(["claude", "grace"]);

  await claude.close();
  await first.page.locator(".names").getByText("claude", { exact: true }).waitFor({ state: "detached" });
  for (const { page, errors } of [first, second]) {
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
  }
});

test("by keyboard, writers can edit and delete their own messages, and everybody can react to them", async () => {
  await viewer.machine.store.createLog({ logId: "channels/changes" });
  const { page: ada } = await viewer.open("/channels/changes");
  const { page: grace } = await viewer.open("/channels/changes", { theme: "dark", width: 360 });
  await call(ada, "ada");
  await call(grace, "grace");
  await message(ada).fill("Lunch at noon?");
  await message(ada).press("Enter");
  await post(grace, "Lunch at noon?").waitFor();
  const actions = (page: Page) => page.getByRole("button", { name: "Actions for the message of ada" });

  // Another reader can react, and cannot change the text.
  await actions(grace).focus();
  await grace.keyboard.press("Enter");
  const reactions = grace.getByRole("group", { name: "Actions" }).getByRole("button");
  await reactions.and(grace.locator(":focus")).waitFor();
  expect(await reactions.count()).toBe(6);
  await grace.keyboard.press("Enter");
  await ada.getByRole("button", { name: "Thumbs up, 1: grace" }).click();
  const both = grace.getByRole("button", { name: "Thumbs up, 2: grace, ada" });
  await both.waitFor();
  await grace.locator(".post-actions > button:focus").waitFor();
  await both.press("Enter");
  await ada.getByRole("button", { name: "Thumbs up, 1: ada" }).waitFor();

  // Escape keeps the old text; Enter saves the new one.
  const field = ada.getByRole("textbox", { name: "New text of the message" });
  for (const [words, key] of [
    ["Nothing of that", "Escape"],
    ["Lunch at one?", "Enter"],
  ] as const) {
    await actions(ada).focus();
    await ada.keyboard.press("Enter");
    await ada.getByRole("button", { name: "Edit", exact: true }).press("Enter");
    await field.fill(words);
    expect(await violations(ada)).toEqual([]);
    await field.press(key);
    await field.waitFor({ state: "detached" });
  }
  await post(grace, "Lunch at one?").getByText("Edited").waitFor();
  expect(await grace.getByText("Nothing of that").count()).toBe(0);

  await actions(ada).focus();
  await ada.keyboard.press("Enter");
  await ada.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  expect(await violations(ada)).toEqual([]);
  await ada.getByRole("button", { name: "Delete it" }).press("Enter");
  await grace.getByText("Deleted", { exact: true }).waitFor();
  expect(await grace.getByText("Lunch at one?").count()).toBe(0);
  expect(await actions(grace).count()).toBe(0);
});

test("a message whose writer disappears is shown as interrupted, and a reader who returns sees the new messages", async () => {
  const bot = await join("watch", "bot", "agent");
  await bot.send("before");
  const { page } = await viewer.open("/channels/watch");
  await post(page, "before").waitFor();
  await call(page, "ada");
  await here(page, "ada");
  // The server stores the position of the reader under this name.
  const processed = async (): Promise<number> => {
    const sessions = await viewer.machine.store.getCursor({ logId: "channels/watch", name: "processed/ada" });
    return sessions?.sequence ?? 0;
  };
  await expect.poll(processed).toBeGreaterThan(0);
  await page.goto(`${viewer.machine.url}/#/channels`);
  await page.locator(".channel-line", { hasText: "before" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await bot.openMessage({ messageId: "half" });
  await bot.update("half", "I was about to");
  await bot.close();
  await page.locator(".channel-line", { hasText: "interrupted" }).waitFor();
  await page.goto(`${viewer.machine.url}/#/channels/watch`);
  await page.locator(".post", { hasText: "Interrupted" }).getByText("I was about to").waitFor();
  await page.locator(".seen-mark").waitFor();
  expect(await page.locator(".line").allInnerTexts()).toEqual([
    expect.stringContaining("Today"),
    expect.stringContaining("before"),
    "New since you were here",
    expect.stringContaining("I was about to"),
  ]);
});

test("two pages under one name write and see everything, and the roster lists the person once", async () => {
  await viewer.machine.store.createLog({ logId: "channels/twice" });
  const first = await viewer.open("/channels/twice");
  const second = await viewer.open("/channels/twice");
  for (const { page } of [first, second]) {
    await call(page, "ada");
    await here(page, "ada");
  }
  for (const { page } of [second, first]) {
    const text = page === first.page ? "from the first" : "from the second";
    await message(page).fill(text);
    await message(page).press("Enter");
    for (const other of [first, second]) await post(other.page, text).waitFor();
  }
  expect(await first.page.locator(".post .who").allInnerTexts()).toEqual(
    await second.page.locator(".post .who").allInnerTexts(),
  );
  for (const { page } of [first, second]) {
    expect(await page.locator(".names .who").allInnerTexts()).toEqual(["ada"]);
    expect(await page.getByText("is here under your name").count()).toBe(0);
  }
});

test("a page reports that an agent has its name, and takes the name over when the agent leaves the channel", async () => {
  await viewer.machine.store.createLog({ logId: "channels/after" });
  const agent = await join("after", "ada", "agent");
  const { page } = await viewer.open("/channels/after");
  await call(page, "ada");
  const notice = page.getByText("An agent is here under your name");
  await notice.waitFor();
  // Another participant who joins changes nothing.
  await join("after", "grace");
  await here(page, "grace");
  expect(await notice.count()).toBe(1);

  await agent.close();
  await notice.waitFor({ state: "detached" });
  await here(page, "ada");
  await message(page).fill("still here");
  await message(page).press("Enter");
  await post(page, "still here").waitFor();
  expect(await page.locator(".names .who").allInnerTexts()).toEqual(["ada", "grace"]);
});

test("a page that loses its connection reports it, tries again, and misses nothing", async () => {
  const bot = await join("cut", "bot", "agent");
  await bot.send("before");
  const { page } = await viewer.open("/");
  const open: WebSocketRoute[] = [];
  let isCut = false;
  await page.routeWebSocket(/./u, (route) => {
    if (isCut) return void route.close();
    route.connectToServer();
    open.push(route);
  });
  await page.evaluate("location.hash = '#/channels/cut'");
  await post(page, "before").waitFor();
  await call(page, "ada");
  // When the name is shown, the server has accepted the connection.
  await here(page, "ada");
  isCut = true;
  for (const route of open) await route.close();
  const lost = page.getByText("The connection was lost");
  await lost.waitFor();
  await bot.send("meanwhile");
  isCut = false;
  await post(page, "meanwhile").waitFor();
  await lost.waitFor({ state: "detached" });
  expect(await post(page, "before").count()).toBe(1);
});

test("a page that cannot store the position of the reader reports it, and still reads and writes", async () => {
  const { store } = viewer.machine;
  await store.createLog({ logId: "channels/forgetful" });
  // The log of the participant cannot be created, because another log already has its name.
  await store.createLog({ logId: "participant:forgetful:ada" });
  const { page } = await viewer.open("/channels/forgetful");
  await call(page, "ada");
  await page.getByText("What you have read is not remembered").waitFor();
  await message(page).fill("All the same");
  await message(page).press("Enter");
  await post(page, "All the same").waitFor();
  expect(await violations(page)).toEqual([]);
});

const HOSTILE = [
  "<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>",
  "[click](javascript:alert(4)) ![x](https://evil.example/x.png) <style>body{display:none}</style>",
  `\u202e${"\u001b[31m"}${"A".repeat(40_000)}`,
];

test("a long channel of hostile messages runs no script, sends no foreign request, and keeps the page small", async () => {
  const { store, url } = viewer.machine;
  await store.createLog({ logId: "channels/long" });
  const events = Array.from({ length: 600 }, (_, n): NewEvent => {
    const hostile = HOSTILE[n % 100] ?? `message ${n}`;
    return {
      id: `m${n}`,
      type: "message_sent",
      actor: { kind: "person", id: n % 2 === 0 ? "<b>eve</b>" : "ada" },
      occurredAt: new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString(),
      data: { messageId: `m${n}`, content: hostile },
    };
  });
  await store.append("channels/long", events);
  const { page, errors, requests } = await viewer.open("/channels/long", { access: "read" });
  await post(page, "message 599").waitFor();
  await page.getByText("Read only").waitFor();
  expect(await message(page).count()).toBe(0);
  expect(await page.getByRole("button", { name: /Reply/u }).count()).toBe(0);
  // The page loads older messages, one window at a time, until the beginning of the channel is reached.
  await page.locator(".posts").focus();
  const top = "document.querySelector('.posts').scrollTop = 0";
  await expect
    .poll(
      async () => {
        await page.evaluate(top);
        return (await page.locator(".line").allInnerTexts()).join(" ");
      },
      { timeout: 60_000 },
    )
    .toContain("<script>alert(1)</script>");
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1_500);
  expect(
    await page.evaluate(
      "document.querySelectorAll('.post script, .post img, .post style, .post svg, .post b').length",
    ),
  ).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(requests.filter((one) => !one.startsWith(url) && !one.startsWith("data:"))).toEqual([]);
  expect(errors).toEqual([]);
  await page.getByRole("button", { name: "Newest messages" }).click();
  await post(page, "message 599").waitFor();
});
