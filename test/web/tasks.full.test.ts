/**
 * The steps of everyday tasks: a step is one key chord, or one typed text. All tasks use `perform`, which has only a
 * keyboard, and which types only into a field with the focus.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TalkHome } from "../cli/talk.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer, type ViewerPage } from "./open-viewer.ts";
import { SECRET, tasksHome, WORK_FILE, WORK_ID } from "./tasks-home.ts";

let home: TalkHome;
let viewer: OpenViewer;
beforeAll(async () => {
  await builtViewer();
  home = tasksHome();
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** The person sees the element `sees`, and then presses one chord or types one text. */
type TaskStep = readonly [sees: string, does: { readonly key: string } | { readonly text: string }];

interface Task {
  readonly most: number;
  /** The address to begin at, or the page on which an earlier task ended. */
  readonly from: string | ViewerPage;
  readonly steps: readonly TaskStep[];
  /** Checks whether the goal was reached; it must not act. */
  readonly reached: (page: Page, seen: Seen) => Promise<void>;
}

interface Seen {
  readonly downloads: readonly Download[];
}

const key = (chord: string) => ({ key: chord });
const text = (words: string) => ({ text: words });

const FIELDS = "textarea, select, input:not([type=checkbox])";

async function perform({ most, from, steps, reached }: Task): Promise<ViewerPage> {
  expect(steps.length).toBeLessThanOrEqual(most);
  const opened = typeof from === "string" ? await viewer.open(from) : from;
  const { page } = opened;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const downloads: Download[] = [];
  page.on("download", (download) => downloads.push(download));
  for (const [sees, does] of steps) {
    await page.locator(sees).first().waitFor();
    const isField = await page.evaluate(`document.activeElement.matches("${FIELDS}")`);
    if ("key" in does) {
      // A typed letter is not a chord.
      expect([does.key, isField && does.key.length === 1]).toEqual([does.key, false]);
      await page.keyboard.press(does.key);
    } else {
      // Without a field, each letter of the text would be a chord.
      expect([does.text, isField, /[\p{Cc}]/u.test(does.text)]).toEqual([does.text, true, false]);
      await page.keyboard.type(does.text);
    }
  }
  await reached(page, { downloads });
  expect(opened.errors).toEqual([]);
  return opened;
}

const WORK = sessionAddress(WORK_ID);
const READ = `.turn-line[aria-current="true"] >> nth=0`;
const clipboard = (page: Page): Promise<string> => page.evaluate("navigator.clipboard.readText()");

/** Returns true if at least one of the ranges is completely visible in the conversation. */
const isOnScreen = (page: Page, ranges: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const room = document.querySelector("main.turns").getBoundingClientRect();
    return [...(${ranges})].some((one) => {
      const { top, bottom, height } = one.getBoundingClientRect();
      return height > 0 && top >= room.top && bottom <= room.bottom;
    });
  })()`);

test("a search in the list leads to the words in the session in at most 3 steps", async () => {
  const { page } = await perform({
    most: 3,
    from: "/",
    steps: [
      [".row", key("/")],
      ["#find:focus", text("steeping gyokuro")],
      [".row .excerpt mark", key("Enter")],
    ],
    reached: async (page) => {
      await page.locator(".session-title h1", { hasText: "The timer is wrong" }).waitFor();
      const marks = `CSS.highlights.get("found-word") ?? []`;
      await expect.poll(() => isOnScreen(page, marks)).toBe(true);
      await page.getByText("The second steeping of gyokuro").first().waitFor();
    },
  });
  await page.context().close();
});

test("from the end of a session, the call that changed a file is reached in at most 3 steps", async () => {
  const { page } = await perform({
    most: 3,
    from: WORK,
    steps: [
      [READ, key("f")],
      [".file-list [aria-pressed=true] >> text=brew.ts", key("j")],
      [".file-changes .diff >> text=const heat = 85;", key("e")],
    ],
    reached: async (page) => {
      const diffs = `[...document.querySelectorAll("main.turns .diff")].filter((one) => one.textContent.includes("const heat = 85;"))`;
      await expect.poll(() => isOnScreen(page, diffs)).toBe(true);
      expect(page.url()).toContain("/turn/2");
    },
  });
  await page.context().close();
});

test("the command that resumes a session is copied in at most 2 steps", async () => {
  const { page } = await perform({
    most: 2,
    from: WORK,
    steps: [
      [READ, key("c")],
      ["dialog .command", key("Enter")],
    ],
    reached: async (page) => {
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const command = await page.locator("dialog .command").innerText();
      expect(command).toContain(`claude --resume ${WORK_ID}`);
      expect(await clipboard(page)).toBe(command);
    },
  });
  await page.context().close();
});

test("the model's view is opened in 1 step", async () => {
  const { page } = await perform({
    most: 1,
    from: WORK,
    steps: [[READ, key("m")]],
    reached: async (page) => {
      await page.getByRole("note").getByText("The model would receive").waitFor();
      expect(page.url()).toContain("view=model");
    },
  });
  await page.context().close();
});

test("a session is handed over, and the command of the new session is copied, in at most 4 steps", async () => {
  const { page } = await perform({
    most: 4,
    from: WORK,
    steps: [
      [READ, key("h")],
      ["dialog select:focus", text("pi")],
      [".receipt tbody tr", key("Enter")],
      ["dialog .command", key("Enter")],
    ],
    reached: async (page) => {
      await page.locator("dialog", { hasText: "The new session is in pi." }).waitFor();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await clipboard(page)).toMatch(/\bpi --session \S+/u);
    },
  });
  const link = await page.locator("dialog a", { hasText: "Open it" }).getAttribute("href");
  expect(link).toMatch(/^#\/session\/pi%3A/u);
  await page.context().close();
});

test("a conversation begins in at most 2 steps, and its next prompt is sent in at most 2 more", async () => {
  const first: readonly TaskStep[] = [
    ["textarea:focus", text("refuse nothing, fix the first one")],
    ["button.primary:enabled", key("Enter")],
  ];
  const begun = await perform({
    most: 2,
    from: `/new?cwd=${encodeURIComponent(join(home.path, "project"))}&agent=robot`,
    steps: first,
    reached: async (page) => {
      await page.locator(".session-title h1", { hasText: "refuse nothing" }).waitFor();
      await expect.poll(() => home.prompts()).toContain("refuse nothing, fix the first one");
    },
  });
  const next: readonly TaskStep[] = [
    [".session-page textarea:focus", text("and now the second one")],
    [".dock button.primary:enabled", key("Enter")],
  ];
  await perform({
    most: 2,
    from: begun,
    steps: next,
    reached: async () => {
      await expect.poll(() => home.prompts()).toContain("and now the second one");
    },
  });
  await begun.page.context().close();
});

test("two branches are compared in two columns in at most 3 steps", async () => {
  const { page } = await perform({
    most: 3,
    from: WORK,
    steps: [
      [READ, key("d")],
      [".compare-choices a:focus", key("Tab")],
      [".compare-choices a:focus >> text=Write the times down.", key("Enter")],
    ],
    reached: async (page) => {
      await expect
        .poll(() => page.locator(".compare-summary").innerText())
        .toBe("Turns: 32 the same, 1 different");
    },
  });
  await page.context().close();
});

test("a session is deleted and brought back in at most 3 steps", async () => {
  const isThere = (): boolean => existsSync(join(home.path, WORK_FILE));
  const { page } = await perform({
    most: 3,
    from: WORK,
    steps: [
      [READ, key("Delete")],
      ["dialog button.primary:focus >> text=Move to the trash", key("Enter")],
      ["dialog button:focus >> text=Undo", key("Enter")],
    ],
    reached: async (page) => {
      await page.getByText("It is back.").waitFor();
      expect(isThere()).toBe(true);
    },
  });
  await page.context().close();
});

test("a session is shared as a masked file, with a receipt, in at most 2 steps", async () => {
  const { page } = await perform({
    most: 2,
    from: WORK,
    steps: [[READ, key("s")]],
    reached: async (page, { downloads }) => {
      await page.locator("dialog").getByText("Masked 1 secret: 1 × GitHub token.").waitFor();
      const [download] = downloads;
      expect(downloads).toHaveLength(1);
      const saved = readFileSync((await download?.path()) ?? "", "utf8");
      expect(saved).toContain("The timer is wrong");
      expect(saved).not.toContain(SECRET);
    },
  });
  await page.context().close();
});

test("no key of a task has an effect in a text field, and every button with a key names it", async () => {
  const { page } = await viewer.open(WORK);
  await page.locator(READ).waitFor();
  const before = page.url();
  for (const field of ["#find-turn", "textarea"]) {
    await page.locator(field).focus();
    await page.keyboard.type("fechdsmn");
    expect(await page.locator(field).inputValue()).toBe("fechdsmn");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Backspace");
    expect(await page.locator(field).inputValue()).toBe("fechdsm");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    await page.locator(field).fill("");
  }
  // The address has the text of the search field, which is empty again.
  await expect.poll(() => page.url()).toBe(before);
  const keys: readonly (readonly [string, string])[] = await page.evaluate(
    `[...document.querySelectorAll("[aria-keyshortcuts]")].map((one) => [one.getAttribute("aria-keyshortcuts"), one.title])`,
  );
  expect(keys.length).toBeGreaterThan(8);
  for (const [name, title] of keys) {
    expect([name, title.endsWith(`Key: ${name}`) || title.endsWith(`(${name})`)]).toEqual([name, true]);
  }
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.locator("dialog .keys kbd").first().waitFor();
  const listed = await page.locator("dialog .keys kbd").allInnerTexts();
  expect(listed).toEqual(expect.arrayContaining(["/", "f", "e", "c", "m", "h", "i", "d", "Del", "s"]));
  await page.context().close();
});
