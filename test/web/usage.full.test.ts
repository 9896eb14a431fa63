/** The usage page: its figures are those of the server, its choices are in the address, and it is accessible. */

import type { MachineUsage } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cost, tokens } from "../../web/content/words.ts";
import { createPricedHome } from "../machine/priced-home.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
let usage: MachineUsage;
beforeAll(async () => {
  const home = createPricedHome();
  viewer = await openViewer(home);
  usage = await viewer.machine.json("/v1/machine/usage");
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test("the totals and every line of the table of models equal the figures of the server, also after a reload", async () => {
  const { page, errors } = await viewer.open("/usage?days=all");
  await page.locator(".usage-totals").waitFor();
  const shown = async (): Promise<unknown> => ({
    totals: await page.locator(".usage-totals dd").allInnerTexts(),
    models: (await page.getByRole("table", { name: "Models" }).locator("tbody tr").allInnerTexts()).sort(),
  });
  const { total, models } = usage;
  const lines = models.map(({ key, sessions, turns, tokens: { total: all }, costUsd }) =>
    [key ?? "unknown", sessions, turns, tokens(all), costUsd === null ? "–" : cost(costUsd)].join("\t"),
  );
  const expected = {
    totals: [
      cost(total.costUsd ?? 0),
      tokens(total.tokens.total),
      String(total.sessions),
      String(total.turns),
    ],
    models: lines.sort(),
  };
  expect(await shown()).toEqual(expected);
  await page.getByText(`By prices of ${usage.prices.asOf}`).waitFor();
  await page.reload();
  await page.locator(".usage-totals").waitFor();
  expect(await shown()).toEqual(expected);
  expect(await violations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a measure and a period are chosen by keyboard, stay in the address, and back undoes them", async () => {
  const { page } = await viewer.open("/usage?days=all", { width: 360, theme: "dark" });
  await page.locator(".usage-chart").waitFor();
  await page.getByRole("link", { name: "Tokens" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^Tokens by month, at most/u).waitFor();
  expect(new URL(page.url()).hash).toBe("#/usage?days=all&measure=tokens");
  await page.getByRole("link", { name: "7 days" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was used in this time.").waitFor();
  expect(await page.locator(".usage-totals dd").allInnerTexts()).toEqual(["$0", "0", "0", "0"]);
  await page.getByRole("link", { name: "Show all" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^Tokens by month, at most/u).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText(/^Tokens by month, at most/u).waitFor();
  const isWide = "document.documentElement.scrollWidth > innerWidth";
  expect(await page.evaluate(isWide)).toBe(false);
  const isCut =
    "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.top-links'))";
  expect(await page.evaluate(isCut)).toBe(false);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

test("on a phone, the last column of the tables is on the screen", async () => {
  const { page } = await viewer.open("/usage?days=all", { width: 390, height: 844 });
  await page.locator(".usage-table").first().waitFor();
  const beyond = `[...document.querySelectorAll(".usage-table")].map((one) => one.scrollWidth - one.clientWidth)`;
  for (const width of [390, 360, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect([width, ...((await page.evaluate(beyond)) as readonly number[])]).toEqual([width, 0, 0, 0]);
  }
  await page.context().close();
});

test("a project links to its sessions", async () => {
  const { page } = await viewer.open("/usage?days=all");
  await page.getByRole("table", { name: "Projects" }).getByRole("link").first().click();
  await page.waitForSelector(".row");
  expect(new URL(page.url()).hash).toMatch(/^#\/\?project=/u);
  await page.context().close();
});
