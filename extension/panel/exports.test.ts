/** Exports of the panel. */

import type { Note } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { type ExportFormat, exportOf } from "./exports.ts";

const SESSION = {
  title: "A/B <talk>",
  notes: [{ startMs: 61_000, text: "<b>One</b>" }] as unknown as readonly Note[],
  spoken: [
    { startMs: 500, endMs: 2_000, text: "Hello\n\nthere --> you", speaker: "" },
    { startMs: 3_661_000, endMs: 3_661_000, text: "a < b", speaker: "viewer" },
  ],
  pictured: [{ startMs: 900, text: "Built in 1853" }],
};
const textOf = (format: ExportFormat): string => exportOf(SESSION, format).text;

test("the transcript is SRT and VTT, each piece with its times, and no text ends its cue", () => {
  expect(textOf("SRT")).toBe(
    "1\n00:00:00,500 --> 00:00:02,000\nHello there -> you\n\n2\n01:01:01,000 --> 01:01:03,000\na < b\n",
  );
  expect(textOf("VTT")).toBe(
    "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nHello there -&gt; you\n\n01:01:01.000 --> 01:01:03.000\na &lt; b\n",
  );
});

test("a name of a file has no separators, and HTML of a note stays text", () => {
  expect(exportOf(SESSION, "Markdown").name).toBe("A_B _talk_.md");
  expect(textOf("HTML")).toContain("<li><b>1:01</b> &lt;b&gt;One&lt;/b&gt;</li>");
  expect(textOf("HTML")).toContain("<title>A/B &lt;talk&gt;</title>");
});
