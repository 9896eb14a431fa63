import { expect, test } from "vitest";
import { drawStatusLine } from "./status-line.ts";

const view = { agent: "gemini", hint: "Ctrl-C cancels" };

test("a turn with output shows how long it runs", () => {
  expect(drawStatusLine({ ...view, runsMs: 34_900, silentMs: 9_900 })).toBe("◌ 34 s · Ctrl-C cancels");
});

test("after ten seconds without output, the status names the agent that is waited for, without an invented reason", () => {
  expect(drawStatusLine({ ...view, runsMs: 34_900, silentMs: 20_000 })).toBe(
    "◌ 34 s · no word from gemini for 20 s: its model or a tool is busy, or it asks again · Ctrl-C cancels",
  );
});
