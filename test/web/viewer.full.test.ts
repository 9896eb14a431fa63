/** The viewer in a real browser: its content, and the effects of its keys. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile, claudeText } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { violations } from "./axe.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const nodes = (page: Page): Promise<number> => page.evaluate("document.querySelectorAll('*').length");

/** Returns the number of the turn that the rail marks as the current one. */
const turnOf = (page: Page): Promise<string> =>
  page.locator('.turn-line[aria-current="true"] .number').innerText();

describe("a session", () => {
  test("a session opens at its newest turn with few nodes, and loads more when the reader scrolls up", async () => {
    const { page, requests } = await viewer.open(session(LONG_ID));
    await page.getByText(`Answer ${LONG_TURNS}`, { exact: true }).waitFor();
    await page.waitForSelector(".turn-line");
    // The number is known after the rest of the session was read.
    await expect.poll(() => turnOf(page)).toBe(String(LONG_TURNS));
    const inView = `(() => {
      const { bottom } = document.querySelector('.turn-line[aria-current="true"]').getBoundingClientRect();
      return bottom <= document.querySelector(".rail .scroller").getBoundingClientRect().bottom;
    })()`;
    await page.waitForSelector(".dock");
    await expect.poll(() => page.evaluate(inView)).toBe(true);
    // Earlier turns of the rail are loaded when the reader goes there.
    expect(requests.filter((url) => /\/outline\b.*before/u.test(url))).toEqual([]);
    expect(await nodes(page)).toBeLessThan(3_000);
    const windows = (): number => requests.filter((url) => /\/history\?/u.test(url)).length;
    const before = windows();
    for (let wheel = 0; windows() < before + 3; wheel++) {
      await page.mouse.move(700, 500);
      await page.mouse.wheel(0, -3_000);
      await page.waitForTimeout(20);
      expect(wheel).toBeLessThan(1_000);
    }
    expect(Number(await turnOf(page))).toBeLessThan(LONG_TURNS - 20);
    expect(await nodes(page)).toBeLessThan(3_000);
    await page.context().close();
  });

  test("a reader at the end stays there when the space for turns gets smaller, and so does a reader in the middle", async () => {
    const { page } = await viewer.open(session(LONG_ID));
    await page.waitForSelector(".dock");
    // The numbers of turns and the facts are known when the whole session was read.
    await page.waitForSelector(".facts-line");
    await expect.poll(() => turnOf(page)).toBe(String(LONG_TURNS));
    const place = (): Promise<{ readonly top: number; readonly gap: number }> =>
      page.evaluate(`(() => {
        const { scrollTop, clientHeight, scrollHeight } = document.querySelector("main.turns");
        return { top: scrollTop, gap: Math.round(scrollHeight - clientHeight - scrollTop) };
      })()`);
    await expect.poll(async () => (await place()).gap).toBe(0);
    await page.setViewportSize({ width: 1280, height: 500 });
    await expect.poll(async () => (await place()).gap).toBe(0);
    expect(await turnOf(page)).toBe(String(LONG_TURNS));
    // A turn is measured when it becomes visible. The position then changes by the error of its estimated height.
    const settled = async (): ReturnType<typeof place> => {
      const [before, after] = [await place(), await page.waitForTimeout(250).then(place)];
      return before.top === after.top && before.gap === after.gap ? after : await settled();
    };
    await settled();
    await page.mouse.move(640, 250);
    await page.mouse.wheel(0, -400);
    await expect.poll(async () => (await place()).gap).toBeGreaterThan(300);
    const { top, gap } = await settled();
    await page.setViewportSize({ width: 1280, height: 450 });
    await expect.poll(place, { timeout: 5_000 }).toEqual({ top, gap: gap + 50 });
    await page.context().close();
  });

  test.each([
    [740, 360],
    [844, 390],
    [640, 400],
    [640, 330],
    [320, 480],
    [1280, 500],
  ])(
    "at %i by %i pixels, most of the height is for reading, and a prompt can be written",
    async (width, height) => {
      const { page } = await viewer.open(session(LONG_ID));
      await page.setViewportSize({ width, height });
      await page.waitForSelector(".dock .composer");
      const part = `(() => {
      const { top, bottom } = document.querySelector("main.turns").getBoundingClientRect();
      return (Math.min(bottom, innerHeight) - top) / innerHeight;
    })()`;
      // The style of the prompt field may be loaded after the page.
      await expect.poll(() => page.evaluate(part)).toBeGreaterThan(0.59);
      for (const name of ["Conversation", "Files", "Details"]) {
        await page.locator(".tabs").getByText(name, { exact: true }).click({ trial: true });
      }
      await page.getByRole("button", { name: "Thinking", exact: true }).click({ trial: true });
      await page.locator(".menu summary").click({ trial: true });
      await page.locator(".composer textarea").click();
      await page.locator(".composer-foot .primary").waitFor();
      await page.context().close();
    },
  );

  test("a deep link opens its turn; j and k go through the turns; ] and [ go to the next and the previous error; g and G go to the first and the last turn", async () => {
    const { page } = await viewer.open(`${session(LONG_ID)}/turn/750`, { height: 2_400 });
    await page.getByText("Question 750", { exact: true }).first().waitFor();
    const at = (turn: number): Promise<void> =>
      expect.poll(() => turnOf(page).catch(() => "none")).toBe(String(turn)) as unknown as Promise<void>;
    await at(750);
    await page.keyboard.press("j");
    await at(751);
    expect(page.url()).toContain("/turn/751");
    await page.keyboard.press("k");
    await at(750);
    await page.keyboard.press("G");
    await at(LONG_TURNS);
    // On such a high screen, a turn near the end cannot be at the top.
    for (const [key, turn] of [
      ["k", 1],
      ["k", 2],
      ["k", 3],
      ["j", 2],
    ] as const) {
      await page.keyboard.press(key);
      await at(LONG_TURNS - turn);
    }
    await page.reload();
    await at(LONG_TURNS - 2);
    await page.keyboard.press("G");
    await at(LONG_TURNS);
    await page.keyboard.press("[");
    await at(LONG_TURNS - 100);
    await page.keyboard.press("]");
    await at(LONG_TURNS);
    await page.keyboard.press("g");
    await page.locator("main").getByText("Question 1", { exact: true }).waitFor();
    await at(1);
    await page.context().close();
  });

  test("the rail loads turns up to the turn of a link", async () => {
    const { page } = await viewer.open(`${session(LONG_ID)}/turn/100`);
    await page.locator("main").getByText("Question 100", { exact: true }).waitFor();
    await expect.poll(() => turnOf(page).catch(() => "none")).toBe("100");
    await page.context().close();
  });

  test("a reader who goes to another turn while a turn still loads stays at the turn that was requested last", async () => {
    const { page } = await viewer.open(session(LONG_ID));
    await page.waitForSelector(".turn-line");
    await expect.poll(() => turnOf(page).catch(() => "none")).toBe(String(LONG_TURNS));
    // The page knows which of the unloaded turns have errors only after it has read the rest of the session.
    await page.locator(".facts", { hasText: "1,500 turns" }).waitFor();
    const release = Promise.withResolvers<void>();
    let state: "not asked" | "asked" | "answered" = "not asked";
    await page.route(/\/history\?.*around/u, async (route) => {
      state = "asked";
      await release.promise;
      await route.fulfill({ response: await route.fetch() });
      state = "answered";
    });
    await page.keyboard.press("[");
    await expect.poll(() => state).toBe("asked");
    await page.keyboard.press("]");
    release.resolve();
    await expect.poll(() => state).toBe("answered");
    await page.evaluate("new Promise((done) => setTimeout(done, 100))");
    expect(await turnOf(page)).toBe(String(LONG_TURNS));
    await expect.poll(() => page.url()).toContain(`/turn/${LONG_TURNS}`);
    await page.context().close();
  });

  test("/ finds words in the session, and Enter goes to the message", async () => {
    const { page } = await viewer.open(session(LONG_ID));
    await page.waitForSelector(".turn-line");
    await page.keyboard.press("/");
    await page.keyboard.type("answer **123**");
    const line = page.locator(".found-line");
    await expect.poll(() => line.allInnerTexts()).toHaveLength(1);
    expect(await line.locator("mark").allInnerTexts()).toEqual(["Answer", "123"]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("main").getByText("Answer 123", { exact: true }).waitFor();
    await page.locator("#find-turn").fill("");
    await expect.poll(() => turnOf(page)).toBe("123");
    await page.context().close();
  });

  test("animations stop for people who prefer reduced motion", async () => {
    const { page } = await viewer.open("/");
    const moves = (): Promise<string> =>
      page.evaluate(`(() => {
        const dot = document.createElement("span");
        dot.className = "beat";
        document.body.append(dot);
        const { animationName, animationDuration } = getComputedStyle(dot);
        dot.remove();
        return animationName === "none" || parseFloat(animationDuration) < 0.01 ? "still" : "moves";
      })()`);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(moves).toBe("moves");
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await moves()).toBe("still");
    await page.context().close();
  });

  test("t unfolds the thinking, m shows what the model sees, and f shows the files", async () => {
    const { page } = await viewer.open(session(LONG_ID));
    await page.waitForSelector(".thinking-line");
    await page.waitForSelector(".turn-line");
    expect(await page.locator(".thought").count()).toBe(0);
    await page.keyboard.press("t");
    await page.waitForSelector(".thought");
    await page.keyboard.press("m");
    await page.locator('.switches [aria-pressed="true"]', { hasText: "model" }).waitFor();
    await page.keyboard.press("f");
    await page.waitForSelector(".file-changes .diff");
    expect(page.url()).toMatch(/\/files(?:\?.*)?$/u);
    await page.context().close();
  });

  test("a folded call opens by keyboard and by mouse, and a worker colours the code", async () => {
    const { page } = await viewer.open(session(CLAUDE_ID));
    const call = page.locator(".call-line").first();
    await call.waitFor();
    expect(await call.getAttribute("aria-expanded")).toBe("false");
    await call.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("pre.command");
    await call.click();
    await expect.poll(() => call.getAttribute("aria-expanded")).toBe("false");
    await page.goto(`${viewer.machine.url}/#${session(LONG_ID)}`);
    await page.waitForSelector(".diff");
    await expect.poll(() => page.evaluate("CSS.highlights.get('code-keyword')?.size > 0")).toBe(true);
    await expect.poll(() => page.evaluate("CSS.highlights.get('word-ins')?.size > 0")).toBe(true);
    await page.context().close();
  });

  test("messages that the agent adds appear on the open page", async () => {
    const { page } = await viewer.open(session(CLAUDE_ID));
    await page.waitForSelector(".row-text");
    const added: Line = {
      uuid: "n9",
      parent: "a3",
      role: "user",
      content: "One more thing",
      time: "10:05:00",
    };
    appendFileSync(join(viewer.machine.home.path, claudeFile(CLAUDE_ID)), claudeText(CLAUDE_ID, [added]));
    await page.locator("main").getByText("One more thing", { exact: true }).waitFor();
    await page.context().close();
  });

  test("branches are shown as a tree for keyboard and mouse, and each branch has its own turns", async () => {
    const id = "4bf3dddd-0000-4000-8000-00000000000b";
    const said: readonly [string, string | null, Line["role"], string][] = [
      ["q1", null, "user", "The question"],
      ["a1", "q1", "assistant", "The first answer"],
      ["q3", "a1", "user", "Another question"],
      ["a3", "q3", "assistant", "Another answer"],
      ["q4", "a1", "user", "A third question"],
      ["a2", "q1", "assistant", "The second answer"],
      ["q2", "a2", "user", "The next question"],
    ];
    const lines = said.map(([uuid, parent, role, content]) => ({
      uuid,
      parent,
      role,
      content,
      time: "10:00:00",
    }));
    viewer.machine.home.write(claudeFile(id), claudeText(id, lines));
    const { page } = await viewer.open(session(id));
    const main = page.locator("main");
    await main.getByText("The second answer").waitFor();
    await page.getByRole("button", { name: "3 branches" }).waitFor();
    await page.keyboard.press("b");
    const tree = page.locator(".branch-tree");
    const focused = (): Promise<string> => page.locator(".branch-tree button:focus bdi").innerText();
    await expect.poll(focused).toBe("The next question");
    const nested = await tree
      .getByRole("listitem")
      .evaluateAll((all) => all.map((one) => one.querySelectorAll("li").length));
    expect(nested).toEqual([2, 1, 0]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toBe("A third question");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Another question");
    await page.keyboard.press("Enter");
    await main.getByText("Another answer").waitFor();
    await expect.poll(() => main.getByText("The second answer").count()).toBe(0);
    await expect.poll(() => tree.locator("[aria-current] bdi").innerText()).toBe("Another question");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(focused).toBe("A third question");
    await tree.getByText("The next question", { exact: true }).click();
    await main.getByText("The next question", { exact: true }).waitFor();
    await expect.poll(() => main.getByText("Another answer").count()).toBe(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => tree.count()).toBe(0);
    await expect.poll(() => page.locator("#branches:focus").count()).toBe(1);
    await page.context().close();
  });

  test("the rest of a long text is shown on request", async () => {
    const id = "4bf3cccc-0000-4000-8000-00000000000a";
    const words = "word ".repeat(7_000);
    const line: Line = { uuid: "q1", parent: null, role: "user", content: `${words}END`, time: "10:00:00" };
    viewer.machine.home.write(claudeFile(id), claudeText(id, [line]));
    const { page } = await viewer.open(session(id));
    await page.locator(".cut").getByText("32,768 of 35,003").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page
      .locator("main")
      .getByText("wordEND")
      .or(page.locator("main").getByText("word END"))
      .first()
      .waitFor();
    expect(await page.locator(".cut").count()).toBe(0);
    await page.context().close();
  });

  test("right-to-left text has its bullets and bars on the right", async () => {
    const id = "4bf3abab-0000-4000-8000-000000000008";
    const content = "- שורה ראשונה\n- שורה שנייה\n\n> ציטוט\n\n1. first\n";
    const lines: Line[] = [
      { uuid: "q1", parent: null, role: "user", content: "שאלה", time: "10:00:00" },
      {
        uuid: "a1",
        parent: "q1",
        role: "assistant",
        content: [{ type: "text", text: content }],
        time: "10:00:01",
      },
    ];
    viewer.machine.home.write(claudeFile(id), claudeText(id, lines));
    const { page } = await viewer.open(session(id));
    await page.waitForSelector(".prose ol");
    const directions = await page.evaluate(
      `["ul", "blockquote", "ol"].map((name) => getComputedStyle(document.querySelector(".prose " + name)).direction)`,
    );
    expect(directions).toEqual(["rtl", "rtl", "ltr"]);
    await page.context().close();
  });

  test("a printed page has the loaded messages without the rail and the buttons, and nothing is cut off", async () => {
    const { page } = await viewer.open(session(CLAUDE_ID));
    await page.waitForSelector(".turn-line");
    await page.waitForSelector(".actions");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    await expect.poll(() => page.locator('.turns .line[style*="transform"]').count()).toBe(0);
    for (const hidden of [".top", ".rail", ".tabs", ".switches", ".actions"]) {
      expect([hidden, await page.locator(hidden).first().isVisible()]).toEqual([hidden, false]);
    }
    const cut: unknown =
      await page.evaluate(`[...document.querySelectorAll(".session-title h1, .turns .number, .turns .line > *")]
      .filter((element) => element.getBoundingClientRect().left < 0).map((element) => element.outerHTML.slice(0, 80))`);
    expect(cut).toEqual([]);
    await page.context().close();
  });

  test("two browsers on one growing session show the same messages, each once", async () => {
    const id = "4bf3bbbb-0000-4000-8000-000000000009";
    const line = (turn: number): Line => ({
      uuid: `g${turn}`,
      parent: turn === 1 ? null : `g${turn - 1}`,
      role: "user",
      content: `Grown ${turn}.`,
      time: "10:00:00",
    });
    viewer.machine.home.write(claudeFile(id), claudeText(id, [line(1)]));
    const pages = await Promise.all([viewer.open(session(id)), viewer.open(session(id))]);
    const file = join(viewer.machine.home.path, claudeFile(id));
    for (const { page } of pages) await page.locator("main").getByText("Grown 1.", { exact: true }).waitFor();
    for (let turn = 2; turn <= 6; turn++) appendFileSync(file, claudeText(id, [line(turn)]));
    for (const { page } of pages) {
      await page.locator("main").getByText("Grown 6.", { exact: true }).waitFor();
      const asked = await page.locator("main .asked").allInnerTexts();
      expect(asked.map((text) => text.trim())).toEqual([1, 2, 3, 4, 5, 6].map((turn) => `Grown ${turn}.`));
      await page.context().close();
    }
  });

  test("the page of an unknown session and a page without a sign-in say what to do", async () => {
    const { page } = await viewer.open("/session/claude%3Anone");
    await page.waitForSelector(".notice.bad");
    const stranger = await viewer.browser.newPage();
    await stranger.goto(`${viewer.machine.url}/`);
    await stranger.getByText("Open this page again").waitFor();
    await stranger.getByText(`continuo view '${viewer.machine.url}/'`).waitFor();
    await stranger.close();
    await page.context().close();
  });
});

test("sessions of Codex open too", async () => {
  const { page } = await viewer.open(`/session/${encodeURIComponent(`codex:${CODEX_ID}`)}`);
  await page.locator("main").getByText("Hello Codex", { exact: true }).waitFor();
  await page.context().close();
});
