/** What ends a session. */

import { expect, test } from "vitest";
import { openSite, openViewer } from "./harness.ts";
import { keysOf, serve } from "./served.ts";

test("another video, a closed tab and a page without a video end a session, and a duplicated tab has its own", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const stateOf = async (key: string): Promise<string> => (await served.session(key)).state;
  const first = await viewer.context.newPage();
  await first.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [left = ""] = await keysOf(served);

  const opening = viewer.context.waitForEvent("page");
  await viewer.ask(
    `chrome.tabs.query({ url: "${site.url}/*" }).then(([tab]) => chrome.tabs.duplicate(tab.id))`,
  );
  const second = await opening;
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const closed = (await keysOf(served)).find((key) => key !== left) ?? "";
  expect(closed.split("/")[0]).not.toBe(left.split("/")[0]);
  await second.close();
  await expect.poll(() => stateOf(closed)).toBe("closed");
  expect(await stateOf(left)).not.toBe("closed");

  await first.goto(`${site.url}/other`);
  await expect.poll(() => stateOf(left)).toBe("closed");
  await expect.poll(() => keysOf(served)).toHaveLength(3);
  const other = (await keysOf(served)).find((key) => key.endsWith("/other.webm")) ?? "";
  expect(other.split("/")[0]).toBe(left.split("/")[0]);
  await first.goto(`${site.url}/empty`);
  await expect.poll(() => stateOf(other)).toBe("closed");
});
