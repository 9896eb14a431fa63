/** The list of the viewer in a real browser: its keys, its search, and its address. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claudeFile, claudeText } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { openMachine } from "../machine/open-machine.ts";
import { violations } from "./axe.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS } from "./long-session.ts";
import { type OpenViewer, openViewer, signIn } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

describe("the list", () => {
  test("j, k and the arrow keys go through sessions, Enter opens one, and u returns to the list", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    const title = (): Promise<string> => page.locator(".row.selected .title").innerText();
    await page.keyboard.press("j");
    const first = await title();
    await page.keyboard.press("j");
    const second = await title();
    expect(second).not.toBe(first);
    await page.keyboard.press("k");
    expect(await title()).toBe(first);
    await page.keyboard.press("ArrowDown");
    expect(await title()).toBe(second);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-title h1");
    await expect.poll(() => page.title()).toContain(" · Continuo");
    await page.keyboard.press("u");
    await page.waitForSelector(".row");
    // The page no longer has the title of the session.
    await expect.poll(() => page.title()).toBe("Continuo");
    await page.context().close();
  });

  test("keys work on the first rows while the rest of the list is still being read", async () => {
    // A server that was just started answers with the newest rows first.
    await using machine = await openMachine(homeWithLongSession(), { pageFolder: viewer.pages });
    const page = await viewer.browser.newPage();
    const allowed = Promise.withResolvers<void>();
    let held = 0;
    await page.route(/\/sessions\?(?!.*partial=)/u, async (route) => {
      held += 1;
      await allowed.promise;
      await route.continue();
    });
    await signIn(page, machine, "/");
    await page.waitForSelector(".row");
    await page.keyboard.press("j");
    await page.locator(".row.selected:focus").waitFor();
    await expect.poll(() => held).toBe(1);
    const title = await page.locator(".row.selected .title").innerText();
    expect(await page.locator(".list-main .scroller").getAttribute("aria-busy")).toBe("false");
    allowed.resolve();
    await page.locator(".find-line output", { hasText: /session/u }).waitFor();
    expect(await page.locator(".row.selected:focus .title").innerText()).toBe(title);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-title h1");
    await page.close();
  });

  test("/ searches, Escape clears the search, and filters reduce the list", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    const all = await page.locator(".row").count();
    await page.getByRole("button", { name: /^Codex/u }).click();
    await expect.poll(() => page.locator(".row").count()).toBeLessThan(all);
    expect(await page.locator(".row .agent").allInnerTexts()).toEqual(expect.arrayContaining(["Codex"]));
    await page.getByRole("button", { name: /^Codex/u }).click();
    await expect.poll(() => page.locator(".row").count()).toBe(all);
    await page.keyboard.press("/");
    await page.keyboard.type("no session says this");
    await page.locator(".empty", { hasText: "No session matches" }).waitFor();
    // A group without choices has no heading; the chosen agent stays in its group, so that the choice can be undone.
    const agents = page.getByRole("group", { name: "Agent" });
    await expect.poll(() => agents.count()).toBe(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".row").count()).toBe(all);
    await page.evaluate(`location.hash = "#/?agents=pi&text=no+session+says+this"`);
    await page.locator(".empty", { hasText: "No session matches" }).waitFor();
    await agents.getByRole("button", { name: /^pi/u, pressed: true }).click();
    await expect.poll(() => new URL(page.url()).hash).not.toContain("agents");
    await page.context().close();
  });

  test("Enter goes to the first row for the typed words, not to a row of the previous search", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    await page.keyboard.press("j");
    await page.locator(".row:focus").waitFor();
    await page.keyboard.press("/");
    // A server that answers slowly.
    await page.route(/sessions\?.*text=/u, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue();
    });
    await page.keyboard.type("Question 7");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(await page.locator(".list-main .scroller").getAttribute("aria-busy")).toBe("true");
    expect(await page.locator(".row.selected").count()).toBe(0);
    await page.keyboard.press("Tab");
    expect(await page.locator(".row:focus").count()).toBe(0);
    await page.locator(".row.selected .excerpt").waitFor();
    expect(await page.locator(".line").first().locator(".row.selected").count()).toBe(1);
    expect(new URL(page.url()).hash).toMatch(/^#\/\?text=Question\+7&at=claude%3A/u);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-title h1");
    expect(page.url()).toContain(encodeURIComponent(LONG_ID));
    await page.context().close();
  });

  test("the page shows that a search runs, and that a number of hits is not final", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    const count = page.locator(".find-line output");
    const { promise, resolve } = Promise.withResolvers<void>();
    let answers = 0;
    await page.route(/sessions\?.*text=/u, async (route) => {
      answers += 1;
      if (answers > 2) await promise;
      else await new Promise((done) => setTimeout(done, 700));
      const response = await route.fetch();
      const found = (await response.json()) as object;
      // On a machine that was never searched, the second part is read after the first one.
      await route.fulfill({ response, json: { ...found, unsearched: answers > 2 ? 0 : 9_760, unlisted: 0 } });
    });
    await page.keyboard.press("/");
    // The words are one input, because slowly typed words would be several searches.
    await page.keyboard.insertText("no session says this");
    await expect.poll(() => count.innerText()).toBe("Searching…");
    await expect.poll(() => count.innerText()).toBe("0 sessions so far, 9,760 unread");
    await page.getByText("Reading 9,760 sessions…").waitFor();
    expect(await page.getByText("No session matches").count()).toBe(0);
    resolve();
    await page.getByText("No session matches").waitFor();
    expect(await count.innerText()).toBe("0 sessions");
    await page.context().close();
  });

  test("the address has the search and every filter, so that reload, back, forward and u restore them exactly", async () => {
    const { page } = await viewer.open("/?text=tea&agents=codex&time=month&project=%2Fx&shown=archived");
    const shown = () =>
      page.evaluate(`[
        // A row that was opened is named too.
        location.hash.replace(/[?&]at=[^&]+/, ""),
        ...[...document.querySelectorAll(".list-page input")].map((one) => one.value),
        ...[...document.querySelectorAll(".choice[aria-pressed=true]")].map((one) => one.title),
      ]`);
    const all = [
      "#/?text=tea&agents=codex&time=month&project=%2Fx&shown=archived",
      "/x",
      "tea",
      // The choice of an agent can be undone even if none of its sessions is found.
      "Codex",
      "30 days",
      "Archived",
      "Best match",
    ];
    await expect.poll(shown).toEqual(all);
    await page.reload();
    await expect.poll(shown).toEqual(all);
    await page.locator("a.brand").click();
    await expect.poll(shown).toEqual(["#/", "", "", "Any time", "Current", "Newest change"]);
    await page.waitForSelector(".row");
    const count = await page.locator(".row").count();
    await page.getByRole("button", { name: /^Codex/u }).click();
    const codex = ["#/?agents=codex", "", "", "Codex", "Any time", "Current", "Newest change"];
    await expect.poll(shown).toEqual(codex);
    await expect.poll(() => page.locator(".row").count()).toBeLessThan(count);
    await page.locator("#find").pressSequentially("tea");
    await expect
      .poll(shown)
      .toEqual(["#/?agents=codex&text=tea", "", "tea", ...codex.slice(3, -1), "Best match"]);
    // Typing a word is one step of the browser's history.
    await page.goBack();
    await expect.poll(shown).toEqual(codex);
    await page.locator(".row").first().click();
    await page.waitForSelector(".session-title h1");
    await page.keyboard.press("u");
    await expect.poll(shown).toEqual(codex);
    await page.goBack();
    await page.waitForSelector(".session-title h1");
    await page.goBack();
    await expect.poll(shown).toEqual(codex);
    await page.goBack();
    await expect.poll(shown).toEqual(["#/", "", "", "Any time", "Current", "Newest change"]);
    await expect.poll(() => page.locator(".row").count()).toBe(count);
    await page.context().close();
  });

  test("the address has the selected row and the chosen ones, which are restored after a reload and after opening a session", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    for (const key of ["j", "x", "j", "x", "j"]) await page.keyboard.press(key);
    const shown = () =>
      page.evaluate(`[
        document.querySelector(".row.selected")?.hash,
        ...[...document.querySelectorAll(".choose")].map((one) => one.checked),
      ]`);
    // The boxes are loaded together with the code for their actions.
    await expect.poll(() => page.locator(".choose:checked").count()).toBe(2);
    await expect.poll(() => page.url()).toMatch(/#\/\?at=[^&]+&chosen=[^&]+&chosen=[^&]+$/u);
    const before = (await shown()) as readonly unknown[];
    await page.reload();
    await page.waitForSelector(".row");
    await expect.poll(shown).toEqual(before);
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-title h1");
    await page.keyboard.press("u");
    await page.waitForSelector(".row");
    await expect.poll(shown).toEqual([expect.not.stringMatching(String(before[0])), ...before.slice(1)]);
    await page.context().close();
  });

  test("a new session and a growing one are shown without a reload", async () => {
    const { page } = await viewer.open("/");
    await page.waitForSelector(".row");
    const id = "4bf3ffff-0000-4000-8000-00000000000d";
    const line: Line = { uuid: "n1", parent: null, role: "user", content: "A new one", time: "10:00:00" };
    viewer.machine.home.write(claudeFile(id), claudeText(id, [line]));
    await page.getByText("A new one").waitFor();
    await page.context().close();
  });
});

test("rows show how the session ended and what it changed, and a list in another order has no headings of days", async () => {
  const { page } = await viewer.open("/");
  const long = page.locator(".row", { has: page.getByText("Question 1", { exact: true }) });
  await expect.poll(() => long.locator(".row-facts .last").innerText()).toContain(`Answer ${LONG_TURNS}`);
  expect(await long.locator(".row-facts .files").innerText()).toBe("a.ts");
  expect(await page.locator(".row-facts .branches").allInnerTexts()).toEqual(["2 branches"]);
  await page.getByRole("button", { name: "Largest" }).click();
  await expect.poll(() => page.locator(".day").count()).toBe(0);
  await expect.poll(() => page.locator(".row .title").first().innerText()).toBe("Question 1");
  expect(page.url()).toContain("sort=largest");
  await page.reload();
  await page.waitForSelector(".row.ordered");
  expect(await page.locator(".row .title").first().innerText()).toBe("Question 1");
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});
