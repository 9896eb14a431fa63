/** Every format case and recorded session of every agent, opened in one page of the viewer. */

import { listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { AGENT_NAMES } from "@continuo/core/model";
import { messageKind, visibleText } from "@continuo/core/transcript";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { counted } from "../../web/content/words.ts";
import { cleanEnv } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "../machine/open-machine.ts";
import { violations } from "./axe.ts";
import { homesOfFormatCases } from "./format-homes.ts";
import { type OpenViewer, openViewer, signIn } from "./open-viewer.ts";
import { checkContent, offTheServer } from "./safe-content.ts";

let viewer: OpenViewer;
const machines: OpenMachine[] = [];
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  const [first, ...others] = await homesOfFormatCases();
  for (const home of others) stack.defer(() => home[Symbol.dispose]());
  viewer = stack.use(await openViewer(first));
  machines.push(viewer.machine);
  for (const home of others) machines.push(stack.use(await openMachine(home, { pageFolder: viewer.pages })));
});
afterAll(async () => {
  await stack.disposeAsync();
});

interface Expected {
  /** `claude:ID`, as in the address of its page. */
  readonly key: string;
  /** The letters and digits of the last texts of the session. */
  readonly texts: readonly string[];
  /** The codes of its problems. */
  readonly problems: readonly string[];
}

/** Returns the sessions that the library reads in a home. */
async function readHome(home: string): Promise<readonly Expected[]> {
  const places: Places = { home, env: cleanEnv(home) };
  const read: Expected[] = [];
  const listed = await listNativeSessions({ places, archived: "include", empty: "exclude" });
  for (const { agent, sessionId } of listed) {
    const key = `${agent}:${sessionId}`;
    using session = await openNativeSession(key, { places });
    const said = { agent: [] as string[], person: [] as string[] };
    for await (const message of session.history()) {
      const kind = messageKind(message);
      // The page shows messages of other kinds collapsed, so their text is not compared.
      if (kind !== "agent" && kind !== "person") continue;
      const texts = message.content.flatMap((block) =>
        block.type === "text" ? letters(visibleText(block.text)) : [],
      );
      said[kind].push(...texts.filter((text) => text !== ""));
    }
    const texts = said.agent.length > 0 ? said.agent.slice(-3) : said.person.slice(-1);
    read.push({ key, texts, problems: session.problems.map(({ code }) => code).sort() });
  }
  return read;
}

/** The letters and digits of a text, which are the same with any markup. */
function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/** The kinds of elements that a page shows. */
const KINDS = `[...new Set([...document.querySelectorAll("body *")].map((one) => one.localName + "." + [...one.classList].join(".")))]`;

/** Goes to a session within the page, and waits until its facts are there. */
async function goTo(page: Page, key: string): Promise<void> {
  const link = `#/session/${encodeURIComponent(key)}`;
  await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
  await page.waitForSelector(`.session-head:has(.tabs [href="${link}"][aria-current]) .facts > *`);
}

const textOf = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector("main")?.textContent ?? ""`);

/** The test needs a long time: it opens every case while other test files use their own browsers. */
const LIMIT = { timeout: 600_000 };

test(
  "every session of the format cases is shown as the library reads it, safely and accessibly",
  LIMIT,
  async () => {
    const { page, errors, requests } = await viewer.open("/");
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.setViewportSize({ width: 1280, height: 3_000 });
    const seen = new Set<string>();
    const keys: string[] = [];
    const agents = new Set<string>();
    const silent: string[] = [];
    const damagedKeys: string[] = [];
    /** Axe checks a page if it has a kind of element that no earlier page had. */
    const look = async (): Promise<void> => {
      const kinds: readonly string[] = await page.evaluate(KINDS);
      if (kinds.every((kind) => seen.has(kind))) return;
      for (const kind of kinds) seen.add(kind);
      expect([keys.at(-1), await violations(page)]).toEqual([keys.at(-1), []]);
    };
    for (const machine of machines) {
      const expected = await readHome(machine.home.path);
      if (machine !== viewer.machine) await signIn(page, machine, "/");
      await page.waitForSelector(".row .title");
      await look();
      for (const { key, texts, problems } of expected) {
        keys.push(key);
        agents.add(key.replace(/:.*/u, ""));
        await goTo(page, key);
        if (texts.length === 0) silent.push(key);
        for (const text of texts)
          await expect.poll(async () => letters(await textOf(page)), { message: key }).toContain(text);
        await checkContent(page, ["article", "details", "header", "summary"]);
        await look();
        const damaged = page.locator(".facts .damaged");
        expect([key, await damaged.allInnerTexts()]).toEqual([
          key,
          problems.length === 0 ? [] : [counted(problems.length, "problem")],
        ]);
        if (problems.length === 0) continue;
        damagedKeys.push(key);
        await damaged.click();
        await page.waitForSelector(".problems code");
        const codes = await page.locator(".problems code").allInnerTexts();
        expect([key, codes.sort()]).toEqual([key, problems]);
        await look();
      }
      // A page may send a request to its server a moment after it was left.
      const elsewhere = machines.reduce<readonly string[]>(
        (urls, { url }) => offTheServer(urls, url),
        requests.splice(0),
      );
      expect(elsewhere).toEqual([]);
    }
    // The comparisons above were not empty.
    expect(silent).toEqual([]);
    expect([...agents].sort()).toEqual([...AGENT_NAMES].sort());
    expect(damagedKeys.length).toBeGreaterThan(4);
    expect(errors).toEqual([]);
    expect(said).toEqual([]);
  },
);
