/** The address of a session has all choices of the reader: reload, back and forward restore them exactly. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { homeWithLongSession, LONG_ID, sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

/** The time of the first read of a long session on a busy machine. */
const SLOW_MS = 100_000;

const HIT_ID = "4bf3dddd-0000-4000-8000-00000000000e";

/** Returns ten turns. The word to search for is far down in the output of the calls of turns 4 and 8. */
function sessionWithHit(): string {
  const lines: Line[] = [];
  const add = (role: Line["role"], content: unknown): void => {
    const uuid = `h${lines.length}`;
    lines.push({ uuid, parent: lines.at(-1)?.uuid ?? null, role, content, time: "10:00:00" });
  };
  for (let turn = 1; turn <= 10; turn++) {
    add("user", `Step ${turn}`);
    const command = {
      type: "tool_use",
      id: `c${turn}`,
      name: "Bash",
      input: { command: `make step${turn}` },
    };
    add("assistant", [{ type: "text", text: `I look at part **${turn}**.` }, command]);
    const output = Array.from({ length: 120 }, (_, at) => `line ${at}`);
    if (turn === 4 || turn === 8) output[100] = "\u001b[31merror\u001b[0m: the quokka is missing";
    add("user", [{ type: "tool_result", tool_use_id: `c${turn}`, content: output.join("\n") }]);
    add("assistant", [{ type: "text", text: `Part ${turn} is done.` }]);
  }
  return claudeText(HIT_ID, lines);
}

let viewer: OpenViewer;
beforeAll(async () => {
  const home = homeWithLongSession();
  home.write(claudeFile(HIT_ID), sessionWithHit());
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** Returns all choices that the person made in the page, most of them from attributes for screen readers. */
const seen = (page: Page): Promise<unknown> =>
  page.evaluate(`({
    pressed: [...document.querySelectorAll("[aria-pressed=true]")].map((one) => one.textContent),
    turn: document.querySelector('.turn-line[aria-current="true"] .number')?.textContent ?? null,
    open: [...document.querySelectorAll(".turns [aria-expanded=true]")].map((one) => one.textContent.replace("/home/ann/app/", "")).slice(0, 1),
    find: document.querySelector("#find-turn").value,
  })`);

async function settled(page: Page): Promise<unknown> {
  let before = "";
  let now = JSON.stringify(await seen(page));
  for (let same = 0; same < 3; same = now === before ? same + 1 : 0) {
    await page.waitForTimeout(250);
    before = now;
    now = JSON.stringify([await seen(page), new URL(page.url()).hash]);
  }
  return JSON.parse(now);
}

/** A walk whose steps follow from a seed. */
function* walk(seed: number): Generator<string> {
  const keys = ["j", "k", "t", "m", "j", "k", "]", "[", "open", "find"];
  for (let state = seed; ; state = (state * 48_271) % 2_147_483_647)
    yield keys[state % keys.length] as string;
}

test("after any choices, a reload shows the same page", async () => {
  const { page, errors } = await viewer.open(`${session(LONG_ID)}/turn/750`);
  await page.waitForSelector(".turn-line", { timeout: SLOW_MS });
  const steps = walk(20_261_126);
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 4; count++) {
      const step = steps.next().value as string;
      if (step === "open") {
        // This opens or closes the first call of the page.
        const call = page.locator(".turns .call-line").first();
        await call.click({ timeout: 5_000 }).catch(() => undefined);
      } else if (step === "find") {
        await page.locator("#find-turn").fill(round % 2 === 0 ? "Answer" : "");
        await page.locator("#find-turn").blur();
      } else await page.keyboard.press(step);
      await settled(page);
    }
    const before = await settled(page);
    await page.reload();
    await page.waitForSelector(".turns .line", { timeout: SLOW_MS });
    await expect.poll(() => settled(page), { message: `round ${round}` }).toEqual(before);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test("back from the model's view, and from unfolded thinking, restores the page exactly", async () => {
  const { page } = await viewer.open(`${session(LONG_ID)}/turn/750`);
  await page.waitForSelector(".turn-line[aria-current=true]", { timeout: SLOW_MS });
  const first = await settled(page);
  await page.keyboard.press("t");
  await expect.poll(() => page.url()).toContain("thinking=open");
  const thinking = await settled(page);
  await page.keyboard.press("m");
  await expect.poll(() => page.url()).toContain("view=model");
  expect(await page.getByRole("button", { name: "As the model sees it" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await page.goBack();
  await expect.poll(() => settled(page)).toEqual(thinking);
  await page.goBack();
  await expect.poll(() => settled(page)).toEqual(first);
  await page.goForward();
  await expect.poll(() => settled(page)).toEqual(thinking);
  await page.context().close();
});

test("a hit of a search opens its call at the word and marks it, and n and N go to the other hits", async () => {
  const { page, errors } = await viewer.open("/?text=quokka");
  await page.locator(".row .excerpt").first().click();
  await page.waitForSelector(".turns .line", { timeout: SLOW_MS });
  await expect.poll(() => page.url()).toContain("find=quokka");
  /** Returns the marked words that are on the screen. */
  const marks = (): Promise<readonly string[]> =>
    page.evaluate(`(() => {
      const { top, bottom } = document.querySelector("main.turns").getBoundingClientRect();
      return [...(CSS.highlights.get("found-word") ?? [])]
        .filter((range) => {
          const box = range.getBoundingClientRect();
          return box.height > 0 && box.top >= top && box.bottom <= bottom;
        })
        .map((range) => String(range));
    })()`);
  const turn = () => /turn\/(\d+)/u.exec(page.url())?.[1];
  await expect.poll(marks).toEqual(["quokka"]);
  await expect.poll(() => page.locator(".found-line").count()).toBe(2);
  const line = await page.locator(".found-line bdi").first().innerText();
  expect(line).toContain("error: the quokka is missing");
  expect(line).not.toMatch(/\[31m|␛/u);
  const opened = (): Promise<number> => page.locator(".turns .call-line[aria-expanded=true]").count();
  expect(await opened()).toBe(1);
  const first = turn();
  expect(["4", "8"]).toContain(first);
  const [there, back, other] = first === "4" ? ["n", "N", "8"] : ["N", "n", "4"];
  await page.keyboard.press(there);
  await expect.poll(turn).toBe(other);
  await expect.poll(marks).toEqual(["quokka"]);
  await page.keyboard.press(back);
  await expect.poll(turn).toBe(first);
  await expect.poll(marks).toEqual(["quokka"]);
  expect(errors).toEqual([]);
  await page.context().close();
});
