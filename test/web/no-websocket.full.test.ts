/** The viewer behind a proxy that blocks WebSockets: channels and continuous sessions report it. */

import { afterAll, beforeAll, test } from "vitest";
import { plainProxy } from "../channels/plain-proxy.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer();
});
afterAll(() => viewer?.[Symbol.asyncDispose]());

test("a channel says that the proxy must allow WebSockets", async () => {
  await viewer.machine.store.createLog({ logId: "channels/team" });
  await using proxy = await plainProxy(viewer.machine.url, "refused");
  const issued = await viewer.machine.post("/v1/pages/code");
  const { code } = (await issued.json()) as { readonly code: string };
  const page = await viewer.browser.newPage();
  await page.goto(`${proxy.url}/#code=${encodeURIComponent(code)}/channels/team`);
  const said = page.getByText(
    "the server answers over HTTP, but not over a WebSocket. Let the proxy in front of it pass",
  );
  await said.first().waitFor();
});
