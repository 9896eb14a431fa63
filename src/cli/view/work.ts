/** The work of the command for other folders, loaded at its first use. */

import type { Shell } from "../terminal/index.ts";

/** Opens a page of HTML in the browser. Returns `false` if there is none, or the person is connected through ssh. */
export async function openPageWork(html: string, shell: Shell): Promise<boolean> {
  return await (await import("./browser.ts")).openPage(html, shell);
}
