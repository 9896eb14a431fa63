/** A session that ended while the browser could not reach the server: what waited goes to its successor. */

import { expect, test } from "vitest";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, serve, textsOf } from "./served.ts";

test("what was said while the server was gone goes to the successor of a session that ended meanwhile", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const before = await play(page, { fromMs: 0, toMs: 4_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(before));
  const { sessionId } = await served.session(key);
  await served.kill();
  await panel
    .getByText(/does not answer|Offline/u)
    .first()
    .waitFor();
  const during = await play(page, { fromMs: before, toMs: 12_500 });
  await panel.getByLabel("Remark or question").fill("Said while it was offline.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  await panel.getByText(/; \d+ items wait here/u).waitFor();
  await checkPanel(panel, "offline");
  await served.elsewhere(async (url) => {
    const authorization = `Bearer ${served.token}`;
    await fetch(`${url}/v1/live/${encodeURIComponent(key)}`, {
      method: "DELETE",
      headers: { authorization },
    });
  });
  await served.restart();
  await expect
    .poll(async () => textsOf(await served.events(key)))
    .toEqual(captionsUntil(during).slice(captionsUntil(before).length));
  const next = await served.session(key);
  expect(next).toMatchObject({ parentId: sessionId });
  expect(textsOf(await served.events(key), "remark_added")).toEqual(["Said while it was offline."]);
});
