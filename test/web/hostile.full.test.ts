/** A hostile session in the viewer: what it says is shown, and never done. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, createHome } from "../cli/home.ts";
import { attacksOn, hostileSession } from "../hostile/hostile-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

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

/** Opens every fold, hovers and focuses everything, and tells what is there. */
const LOOK = `(() => {
  for (const fold of document.querySelectorAll('.fold[aria-expanded="false"]')) fold.click();
  for (const element of document.querySelectorAll("main *")) {
    for (const name of ["mouseover", "focus", "toggle", "error", "load"]) element.dispatchEvent(new Event(name));
  }
  const elements = [...document.querySelectorAll("main *")];
  return {
    owned: globalThis.owned ?? null,
    names: elements.map((element) => element.localName),
    handlers: elements.flatMap((element) => element.getAttributeNames().filter((name) => /^on/.test(name))),
    addresses: elements.flatMap((element) => ["href", "src", "action", "data", "srcdoc"].flatMap((name) => element.getAttribute(name)?.slice(0, 30) ?? [])),
    text: document.querySelector("main").textContent,
  };
})()`;

interface Seen {
  readonly owned: unknown;
  readonly names: readonly string[];
  readonly handlers: readonly string[];
  readonly addresses: readonly string[];
  readonly text: string;
}

const SAFE_ELEMENTS = new Set(
  "a b bdi blockquote br button code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong table tbody td th thead time tr ul wbr".split(
    " ",
  ),
);

test("everything that it says is shown, and nothing of it is done", async () => {
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
    await page.evaluate(LOOK);
    // Again when the folds are open.
    const seen: Seen = await page.evaluate(LOOK);
    expect(seen.owned).toBe(null);
    expect(seen.handlers).toEqual([]);
    expect(seen.names.filter((name) => !SAFE_ELEMENTS.has(name))).toEqual([]);
    for (const one of seen.addresses)
      expect(one).toMatch(/^(?:https?:\/\/|mailto:|data:image\/png|#\/|\/v1\/machine\/)/u);
    for (const word of words) if (seen.text.includes(word)) found.add(word);
    await page.keyboard.press("j");
  }
  expect([...found].sort()).toEqual([...new Set(words)].sort());
  expect(errors).toEqual([]);
  expect(await page.title()).not.toBe("owned");
  expect(requests.filter((url) => !url.startsWith(viewer.machine.url) && !url.startsWith("data:"))).toEqual(
    [],
  );
  expect(received).toEqual([]);
});
