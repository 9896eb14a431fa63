/**
 * The worker asks the browser for the sound of a tab. It receives an id, with which the engine opens the stream.
 */

import { browser } from "wxt/browser";
import type { TabSoundAnswer } from "../messages/messages.ts";

const TRIES = 5;
const RETRY_MS = 200;

/** Errors: those of the browser, except its refusal of a tab in which the button was not pressed. */
export async function soundOf(tabId: number): Promise<TabSoundAnswer> {
  // The permission is optional, and the API does not exist without it.
  if (!(await browser.permissions.contains({ permissions: ["tabCapture"] }))) {
    return { refusal: "no-permission" };
  }
  for (let tries = 1; ; tries++) {
    try {
      return { streamId: await browser.tabCapture.getMediaStreamId({ targetTabId: tabId }) };
    } catch (error) {
      // The browser's errors have no code.
      const text = String(error);
      if (/has not been invoked/u.test(text)) return { refusal: "unasked" };
      // A stream that was just closed still exists for a moment.
      if (tries === TRIES || !/active stream/u.test(text)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
