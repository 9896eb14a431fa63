/** Opens the page with the video, which the extension watches, with the side panel and a server for both. */

import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openSite, openViewer, type Site, type Viewer, type ViewerOptions } from "./harness.ts";
import { keysOf, type ServeOptions, type ServerProcess, serve } from "./served.ts";

export interface WatchedPage extends AsyncDisposable {
  readonly site: Site;
  readonly served: ServerProcess;
  readonly viewer: Viewer;
  readonly panel: Page;
  readonly page: Page;
  /** The key of the tab's session. */
  readonly key: string;
}

export async function openWatched(
  options: ViewerOptions & Pick<ServeOptions, "yaml" | "path" | "whisper"> = {},
): Promise<WatchedPage> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await openSite());
  const served = stack.use(await serve(options));
  const viewer = stack.use(await openViewer(site, served, options));
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const open = stack.move();
  return { site, served, viewer, panel, page, key, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The viewer's page of the session, from the person's server. */
export async function openViewerPage({ served, viewer, key }: WatchedPage): Promise<Page> {
  const answer = await served.send("POST", "/v1/pages/code");
  const { code, host } = answer as { readonly code: string; readonly host: string | null };
  const address = new URL(served.url);
  // The page has a host name of its own, which browsers resolve to this machine.
  if (host !== null) address.hostname = host;
  const page = await viewer.context.newPage();
  await page.goto(`${address.origin}/#code=${encodeURIComponent(code)}/live/${encodeURIComponent(key)}`);
  return page;
}
