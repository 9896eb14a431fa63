/** Exported pages in a real browser: what a session says is shown, and never done. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { attacksOn, hostileSession, type Line } from "../hostile/hostile-session.ts";
import { openBrowser } from "./browser.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, run } from "./home.ts";

let browser: Browser;
let home: Home;
let server: Server;
let address: string;
let received: string[];

beforeAll(async () => {
  browser = await openBrowser();
  received = [];
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("fetched");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 60_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
});
beforeEach(() => {
  home = createHome();
  received.length = 0;
});
afterEach(() => home[Symbol.dispose]());

async function exportHostile(): Promise<string> {
  home.write(claudeFile(CLAUDE_ID), hostileSession(CLAUDE_ID, address));
  const path = join(home.path, "page.html");
  const { code, stderr } = await run(home, ["session", "export", CLAUDE_ID, "--output", path]);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^~\/page\.html, [\d,]+ bytes\n$/u),
  });
  return path;
}

interface Seen {
  readonly owned: unknown;
  readonly title: string;
  readonly names: readonly string[];
  readonly handlers: readonly string[];
  readonly addresses: readonly string[];
  readonly text: string;
  /** The visible text of each article, and that of its folded parts. */
  readonly articles: readonly (readonly string[])[];
  readonly images: readonly number[];
  readonly violations: readonly string[];
}

const WATCH = `globalThis.violations = [];
  document.addEventListener("securitypolicyviolation", (event) =>
    violations.push(event.violatedDirective + " " + event.blockedURI));`;

/** Opens, hovers and focuses everything, and tells what is there. */
const LOOK = `(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const element of document.querySelectorAll("*")) {
    for (const name of ["mouseover", "focus", "toggle", "error", "load"]) element.dispatchEvent(new Event(name));
  }
  const elements = [...document.body.querySelectorAll("*")];
  return {
    owned: globalThis.owned,
    title: document.title,
    names: [...new Set(elements.map((element) => element.localName))].sort(),
    handlers: elements.flatMap((element) => element.getAttributeNames().filter((name) => /^on|^style$/.test(name))),
    addresses: elements.flatMap((element) =>
      ["href", "src", "action", "data", "srcdoc"].flatMap((name) => element.getAttribute(name)?.slice(0, 30) ?? [])),
    text: document.body.innerText,
    articles: [...document.querySelectorAll("main > article")].map((article) =>
      [...article.children].filter((part) => part.localName !== "header").map((part) =>
        (part.querySelector(":scope > pre") ?? part).innerText)),
    images: [...document.images].map((one) => one.naturalWidth),
    violations,
  };
})()`;

/** Opens, hovers and focuses everything on a page, and returns what the browser shows and requests. */
async function visit(path: string) {
  const page = await browser.newPage();
  const requests: string[] = [];
  const dialogs: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) requests.push(request.url());
  });
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.addInitScript(WATCH);
  await page.goto(`file://${path}`);
  const seen: Seen = await page.evaluate(LOOK);
  await page.close();
  return { ...seen, requests, dialogs };
}

const SAFE_ELEMENTS = new Set(
  "a article b bdi blockquote br button code dd del details div dl dt em footer h1 h2 h3 h4 h5 h6 header hr img input li main nav ol output p pre script span strong summary table tbody td th thead time tr ul wbr".split(
    " ",
  ),
);

describe("a hostile session", { timeout: 180_000 }, () => {
  test.each(["as it is exported", "even without the policy in its head"])(
    "%s: shown and not done",
    async (how) => {
      const path = await exportHostile();
      if (how !== "as it is exported") {
        const html = readFileSync(path, "utf8");
        expect(html).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src 'none';/u);
        writeFileSync(path, html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/u, ""));
      }
      const { text, title, names, images, addresses, articles, ...seen } = await visit(path);
      expect(seen).toEqual({
        owned: undefined,
        handlers: [],
        violations: [],
        requests: [`file://${path}`],
        dialogs: [],
      });
      expect(names.filter((name) => !SAFE_ELEMENTS.has(name))).toEqual([]);
      expect(
        addresses.filter((one) => !/^(https?:|mailto:|data:image\/png;base64,|#[mb]\d+$)/u.test(one)),
      ).toEqual([]);
      expect(title).toMatch(/^<script>document\.title='owned'/u);
      expect(images).toEqual([1]);
      expect(received).toEqual([]);
      const words = attacksOn(address).map((attack) => /after-[\w-]+/u.exec(attack)?.[0] ?? "");
      const unread = words.flatMap((word, at) => {
        const [said = [], answered = [], result = []] = articles.slice(at * 3, at * 3 + 3);
        // The parts: said; thought, answered, called with; got back.
        const parts = [said, answered, result].map((shown) => shown.map((part) => part.includes(word)));
        return isDeepStrictEqual(parts, [[true], [true, true, true], [true]]) ? [] : [{ word, parts }];
      });
      expect(unread).toEqual([]);
      expect(articles).toHaveLength(words.length * 3 + 1);
      expect(text).toContain("\u2068\u202egnp.exe\u202c\u2069 \u200b␀␇␛[31m <U+D800> after-bidi");
      expect(text).toContain("after-images");
    },
  );
});

test("light and dark have different colours, a phone does not scroll sideways, and tools are folded", async () => {
  home.write(claudeFile(CLAUDE_ID), hostileSession(CLAUDE_ID, address));
  const path = join(home.path, "page.html");
  await run(home, ["session", "export", CLAUDE_ID, "--format", "html", "--output", path]);
  const colours: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 360, height: 700 } });
    await page.goto(`file://${path}`);
    const seen: { readonly colour: string } = await page.evaluate(`({
      colour: getComputedStyle(document.body).backgroundColor,
      isWider: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      open: document.querySelectorAll("details[open]").length,
    })`);
    expect(seen).toEqual({ colour: expect.any(String), isWider: false, open: 0 });
    colours.push(seen.colour);
    await page.close();
  }
  expect(new Set(colours).size).toBe(2);
}, 120_000);

describe("a long conversation", { timeout: 120_000 }, () => {
  /** Words that wrap in two pieces although a line has room for them. */
  const BROKEN_WORDS = `(() => {
    const broken = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (node.parentElement.closest("script, style")) continue;
      for (const { 0: word, index } of node.data.matchAll(/\\p{L}+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    return broken;
  })()`;

  async function open(width: number) {
    const lines: Line[] = [];
    const add = (role: Line["role"], content: unknown): void => {
      const uuid = `u${lines.length}`;
      lines.push({ uuid, parent: lines.at(-1)?.uuid ?? null, role, content, time: "10:00:00" });
    };
    for (let at = 0; at < 30; at += 1) {
      add("user", `Question ${at}: incomprehensibilities of internationalization-related authentication?`);
      add("assistant", [
        {
          type: "text",
          text: `Answer ${at}: \`src/authentication/session-management.ts\`\n\n| responsibility | file |\n|---|---|\n| authentication | internationalization |`,
        },
        {
          type: "tool_use",
          id: `t${at}`,
          name: "Edit",
          input: {
            file_path: "/home/ann/app/src/authentication/session-management.ts",
            old_string: "a",
            new_string: `configurationManagerOfTheAuthenticationService${at}`,
          },
        },
      ]);
      add("user", [{ type: "tool_result", tool_use_id: `t${at}`, content: `found-only-${at}` }]);
    }
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
    const path = join(home.path, "page.html");
    await run(home, ["session", "export", CLAUDE_ID, "--output", path]);
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => errors.push(message.text()));
    await page.goto(`file://${path}`);
    return { page, errors };
  }

  test("no word is broken on a phone, and nothing scrolls sideways", async () => {
    const { page, errors } = await open(360);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the search hides what does not match, and opens the fold of the match that Enter leads to", async () => {
    const { page, errors } = await open(1200);
    await page.fill("#search input", "FOUND-only-2");
    const shown = '[...document.querySelectorAll("main > *")].filter((one) => one.checkVisibility()).length';
    // 2, and 20 to 29.
    expect(await page.evaluate(shown)).toBe(11);
    expect(await page.textContent("#search output")).toBe("11 of 90");
    await page.press("#search input", "Enter");
    await page.press("#search input", "Enter");
    expect(await page.textContent("#search output")).toBe("2 of 11");
    expect(
      await page.evaluate(
        '[...document.querySelectorAll(".tool details[open] pre")].map((one) => one.textContent)',
      ),
    ).toEqual(["found-only-2", "found-only-20"]);
    expect(await page.evaluate('CSS.highlights.get("found").size')).toBe(11);
    await page.press("#search input", "Escape");
    expect(await page.evaluate(shown)).toBe(90);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the contents lead to what was asked, also while a search hides it", async () => {
    const { page, errors } = await open(1200);
    expect(await page.evaluate('document.querySelectorAll("nav li").length')).toBe(30);
    await page.fill("#search input", "found-only-3");
    await page.click("nav a >> text=Question 12:");
    await expect.poll(() => page.evaluate('document.querySelector("#m13").checkVisibility()')).toBe(true);
    expect(await page.textContent("#m13")).toContain("Question 12:");
    expect(errors).toEqual([]);
    await page.close();
  });
});
