/** The page of a session (`toHtml`) in a browser: it marks an answer that is incomplete because its process ended. */

import { openContinuo } from "@continuo/server/runtime";
import { startRun, wake } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { builtViewer } from "../sizes/shared-programs.ts";

const NOTE = "The answer was cut off here";

test("an incomplete answer is marked below its words, with scripts and without them, and a complete one is not", async () => {
  await builtViewer();
  await using c = await openContinuo("memory:");
  const { store } = c;
  await store.createSession({ sessionId: "s" });
  const { runId } = await startRun(store, "s", "Where is my order?");
  const part = { messageId: "m1", kind: "text", delta: "Your order is" };
  await store.append("s", [
    { type: "run_started", data: { runId }, runId },
    { type: "message_received", data: { messageId: "m0", content: "I look." }, runId },
    { type: "message_streamed", data: part, runId },
  ]);
  await store.transitionRun(runId, { to: "running" });
  await wake(store, "s", { leaseMs: 1 });
  const html = await c.session("s").toHtml();
  const browser = await openBrowser();
  try {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.newPage({ javaScriptEnabled, offline: true });
      await page.setContent(html);
      const main = page.locator("main");
      await main.getByText("Your order is").first().waitFor();
      const words = await main.innerText();
      expect(words.indexOf(NOTE)).toBeGreaterThan(words.indexOf("Your order is"));
      expect(words.indexOf("Your order is")).toBeGreaterThan(words.indexOf("I look."));
      expect(words.split(NOTE)).toHaveLength(2);
    }
  } finally {
    await browser.close();
  }
});
