/** Exports of the panel. */

import { crc32 } from "node:zlib";
import type { LiveOutline, Note } from "@continuo/core/wire";
import { expect, test } from "vitest";
import type { PanelPageItem } from "../sending/panel-view.ts";
import { type ExportFormat, exportOf, type SessionFile } from "./exports.ts";
import { type ExportedPage, pageOfOutline } from "./page-parts.ts";

const SESSION: SessionFile = {
  key: "k",
  title: "A/B <talk>",
  notes: [{ noteId: "n", startMs: 61_000, text: "<b>One</b>\n# b [x](y)" }] as unknown as readonly Note[],
  spoken: [
    { id: "e/1", startMs: 500, endMs: 2_000, text: "Hello\n\nthere --> you", speaker: "" },
    { id: "e2", startMs: 3_661_000, endMs: 3_661_000, text: 'a < "b"', speaker: "viewer" },
  ],
  pictured: [{ startMs: 900, text: "Built in 1853" }],
  page: null,
  frames: {},
};

function item(kind: PanelPageItem["kind"], more: Partial<PanelPageItem>): PanelPageItem {
  const common = { title: null, text: "", startMs: 0, endMs: 0, by: "agent", status: "written" } as const;
  return { itemId: kind, kind, citations: [], ...common, ...more };
}

const PAGE: ExportedPage = {
  writer: "extractive",
  standIn: null,
  items: [
    item("summary", { text: "It <began>.", citations: [{ id: "e/1", startMs: 500, text: 'Hello "you"' }] }),
    item("chapter", { title: "One", text: "The first.", endMs: 190_000 }),
    item("decision", { text: "We *go*.", startMs: 61_000, citations: [{ startMs: 61_000, text: "" }] }),
    item("question", { text: "Why?", startMs: 62_000 }),
  ],
};

const PICTURES: ReadonlyMap<string, string> = new Map([["n", "data:image/png;base64,AA"]]);

function textOf(format: ExportFormat, more: Partial<SessionFile> = {}): string {
  const pictures = format === "HTML" ? PICTURES : new Map();
  return exportOf({ ...SESSION, ...more }, format, pictures).content as string;
}

test("the transcript is SRT and VTT, each piece has its times, and no text can end its cue", () => {
  expect(textOf("SRT")).toBe(
    '1\n00:00:00,500 --> 00:00:02,000\nHello there -> you\n\n2\n01:01:01,000 --> 01:01:03,000\na < "b"\n',
  );
  expect(textOf("VTT")).toBe(
    'WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nHello there -&gt; you\n\n01:01:01.000 --> 01:01:03.000\na &lt; "b"\n',
  );
});

test("a file name has no separators, and HTML in a note stays text", () => {
  expect(exportOf(SESSION, "Markdown").name).toBe("A_B _talk_.md");
  expect(textOf("HTML")).toContain(
    '<time>1:01</time> &lt;b&gt;One&lt;/b&gt;\n# b [x](y)<img src="data:image/png;base64,AA" alt="Frame">',
  );
  expect(textOf("HTML")).toContain("<title>A/B &lt;talk&gt;</title>");
});

test("Markdown of a session without a page has only its notes, whose texts are no Markdown or HTML", () => {
  expect(textOf("Markdown")).toBe("# A/B \\<talk\\>\n\n- **1:01** \\<b\\>One\\</b\\> \\# b \\[x\\]\\(y\\)\n");
});

test("Markdown has the summary, the chapters with their times, decisions and open questions, each with its citations", () => {
  expect(textOf("Markdown", { page: PAGE })).toBe(`# A/B \\<talk\\>

## Summary

- 0:00 It \\<began\\>. (said at 0:00)

## Chapters

- 0:00–3:10 **One** The first.

## Decisions

- 1:01 We \\*go\\*. (said at 1:01)

## Open questions

- 1:02 Why?

_Taken from what was said, without a model._

## Notes

- **1:01** \\<b\\>One\\</b\\> \\# b \\[x\\]\\(y\\)
`);
});

test("Markdown of a session with pictures is an archive: the text, and each picture once as a file that its note shows", async () => {
  const notes = ["n", "m", "o", "p"].map((noteId) => ({ noteId, startMs: 61_000, text: "One" }));
  const [text, jpeg] = ["data:image/png;base64,iVBORw0K", "data:image/jpeg;base64,/9j/4AA="];
  const pictures = new Map([
    ["n", text],
    ["m", jpeg],
    ["o", text],
    ["p", "data:text/html,<b>"],
  ]);
  const { name, content } = exportOf(
    { ...SESSION, notes: notes as unknown as readonly Note[] },
    "Markdown",
    pictures,
  );
  expect(name).toBe("A_B _talk_.zip");
  const files = filesIn(Buffer.from(await (content as Blob).arrayBuffer()));
  expect([...files.keys()]).toEqual(["A_B _talk_.md", "frames/0-01-01.png", "frames/0-01-01-2.jpg"]);
  expect(files.get("frames/0-01-01.png")?.toString("base64")).toBe("iVBORw0K");
  expect(files.get("A_B _talk_.md")?.toString()).toContain(
    [
      "- **1:01** One\n\n  ![Frame at 1:01](frames/0-01-01.png)\n",
      "- **1:01** One\n\n  ![Frame at 1:01](frames/0-01-01-2.jpg)\n",
      "- **1:01** One\n\n  ![Frame at 1:01](frames/0-01-01.png)\n",
      "- **1:01** One\n",
    ].join("\n"),
  );
});

/** The stored files of an archive, as its directory lists them; each has its checksum. */
function filesIn(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.length - 22;
  expect(archive.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  expect(at + archive.readUInt32LE(end + 12)).toBe(end);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50);
    const [sum, size, nameLength] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ];
    const [place, name] = [
      archive.readUInt32LE(at + 42),
      archive.toString("utf8", at + 46, at + 46 + nameLength),
    ];
    expect(archive.readUInt32LE(place)).toBe(0x04034b50);
    expect(archive.toString("utf8", place + 30, place + 30 + nameLength)).toBe(name);
    const from = place + 30 + nameLength;
    const bytes = archive.subarray(from, from + size);
    expect(crc32(bytes)).toBe(sum);
    files.set(name, bytes);
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}

test("HTML links each citation of the page to its passage in the transcript, and loads and runs nothing", () => {
  const html = textOf("HTML", { page: PAGE });
  expect(html.match(/<h2>[^<]+/gu)).toEqual(
    ["Summary", "Chapters", "Decisions", "Open questions", "Notes", "Transcript"].map((one) => `<h2>${one}`),
  );
  expect(html).toContain(
    'It &lt;began&gt;.<small> (said at <a href="#e-e_2F1" title="Hello &quot;you&quot;">0:00</a>)',
  );
  expect(html).toContain('<li id="e-e_2F1" dir="auto"><time>0:00</time> Hello');
  expect(html).toContain("<time>0:00–3:10</time> <b>One</b> The first.");
  expect(html).toContain("(said at 1:01)");
  expect(html).toContain("default-src 'none'; img-src data:");
});

test("an item from another video, whose tab joined the session, names its video", () => {
  const page = {
    ...PAGE,
    items: [item("chapter", { title: "Two", text: "It.", endMs: 9_000, elsewhere: "youtube:<b>" })],
  };
  expect(textOf("Markdown", { page })).toContain("- 0:00–0:09 \\(video youtube:\\<b\\>\\) **Two** It.");
  expect(textOf("HTML", { page })).toContain("<time>0:00–0:09</time> (video youtube:&lt;b&gt;) <b>Two</b>");
});

test("JSON has the page with the words that it cites", () => {
  const file = JSON.parse(textOf("JSON", { page: PAGE })) as SessionFile;
  expect(file.page).toEqual(PAGE);
  expect(file).not.toHaveProperty("key");
});

test("a session without a page has the chapters and the summary of its listed captions, and none without captions", () => {
  const outline: LiveOutline = { cues: 9, lang: "en", summary: [], chapters: [], watched: [] };
  expect(pageOfOutline(outline)).toBeNull();
  const said = { startMs: 1_000, endMs: 5_000, text: "It began." };
  const page = pageOfOutline({
    ...outline,
    summary: [said],
    chapters: [{ ...said, title: "One", watched: 1 }],
  });
  const text = textOf("Markdown", { page });
  expect(text).toContain("## Summary\n\n- 0:01 It began. (said at 0:01)\n");
  expect(text).toContain("## Chapters\n\n- 0:01–0:05 **One** It began. (said at 0:01)\n");
});
