/** A hostile session in the viewer: its content is shown as text and never executed. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, createHome } from "../cli/home.ts";
import { attacksOn, hostileSession } from "../hostile/hostile-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { checkContent, offTheServer } from "./safe-content.ts";

let viewer: OpenViewer;
let target: Server;
let address: string;
const received: string[] = [];

beforeAll(async () => {
  target = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("fetched");
  });
  await new Promise<void>((listening) => target.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const home = createHome();
  home.write(claudeFile(CLAUDE_ID), hostileSession(CLAUDE_ID, address));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
  target?.close();
});

test("the content of a hostile session is shown as text, and none of it is executed", async () => {
  const { page, errors, requests } = await viewer.open(
    `/session/${encodeURIComponent(`claude:${CLAUDE_ID}`)}/turn/1`,
  );
  await page.waitForSelector(".turn-line");
  const words = attacksOn(address).map((attack) => /after-[\w-]+/u.exec(attack)?.[0] ?? "");
  const found = new Set<string>();
  const turns = words.length + 1;
  for (let turn = 1; turn <= turns; turn++) {
    await expect
      .poll(() =>
        page
          .locator('.turn-line[aria-current="true"] .number')
          .innerText()
          .catch(() => ""),
      )
      .toBe(String(turn));
    // The rail shows the number of the next turn a moment before its text is drawn.
    const before = found.size;
    await expect
      .poll(async () => {
        const seen = await checkContent(page);
        for (const word of words) if (seen.text.includes(word)) found.add(word);
        return found.size;
      })
      .toBeGreaterThanOrEqual(Math.min(before + 1, turn - 1, new Set(words).size));
    await page.keyboard.press("j");
  }
  expect([...found].sort()).toEqual([...new Set(words)].sort());
  expect(errors).toEqual([]);
  expect(await page.title()).not.toBe("owned");
  expect(offTheServer(requests, viewer.machine.url)).toEqual([]);
  expect(received).toEqual([]);
});
