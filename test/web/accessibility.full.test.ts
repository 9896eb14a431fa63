/** The viewer for everybody: axe over its pages, in both themes, on a wide and on a narrow screen. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLAUDE_ID } from "../cli/home.ts";
import { violations } from "./axe.ts";
import { homeWithLongSession, LONG_ID, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

describe("accessibility", () => {
  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
    ["dark", 360],
  ] as const)("axe finds nothing in the list and a session, %s at %i px", async (theme, width) => {
    const { page, errors } = await viewer.open("/", { theme, width });
    await page.waitForSelector(".row");
    expect(await violations(page)).toEqual([]);
    await page.goto(`${viewer.machine.url}/#${sessionAddress(CLAUDE_ID)}`);
    await page.waitForSelector(".row-text");
    await page.waitForSelector(".facts bdi");
    expect(await violations(page)).toEqual([]);
    for (const tab of ["files", "details"]) {
      await page.goto(`${viewer.machine.url}/#${sessionAddress(LONG_ID)}/${tab}`);
      await page.waitForSelector(tab === "files" ? ".diff" : ".page-body .fields");
      expect(await violations(page)).toEqual([]);
    }
    await page.goto(`${viewer.machine.url}/#/health`);
    await page.waitForSelector(".health dl");
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
