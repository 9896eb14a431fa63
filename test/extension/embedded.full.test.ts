/** A video in a frame of another origin is watched if its site is allowed; otherwise the panel offers to allow it. */

import { expect, test } from "vitest";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, NOTE_AGENT, serve, textsOf } from "./served.ts";

const around = (url: string): string =>
  `<!doctype html><title>Around it</title><iframe src="${url}" width="640" height="400" allow="autoplay"></iframe>`;

test("a video in a frame of an allowed site has a session, and the panel offers to allow the site of another frame", async () => {
  await using site = await openSite();
  await using other = await openSite();
  site.pages.set("/framed", around(`${other.url}/`));
  site.pages.set("/elsewhere", around(other.url.replace("127.0.0.1", "localhost")));
  await using served = await serve({ yaml: NOTE_AGENT });
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/elsewhere`);
  await panel.getByRole("button", { name: "Allow on http://localhost" }).waitFor();
  await checkPanel(panel, "framed");
  expect(await keysOf(served)).toEqual([]);

  await page.goto(`${site.url}/framed`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  expect(key).toMatch(new RegExp(`/html5:${other.url}/harbour.webm$`, "u"));
  expect(await served.session(key)).toMatchObject({ title: "Around it" });
  const frame = () => page.frames()[1] ?? page;
  const end = await play(frame(), { fromMs: 0, toMs: 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(end));
  await panel.locator(".note .time").first().click();
  await expect.poll(() => frame().evaluate(`document.querySelector("video").currentTime`)).toBe(0);

  await page.reload();
  await frame().waitForSelector("video");
  const later = await play(frame(), { fromMs: end, toMs: end + 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(later));
  expect(await keysOf(served)).toEqual([key]);
});
