import type { LivePage, LiveSession, Note, PageItem } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { momentUrl } from "./moments.ts";
import { fileNameOf, headOf, sectionOf } from "./note-pages.ts";

test.each([
  ["youtube:dQw4w9WgXcQ", "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=65s"],
  ["vimeo:76979871", "https://vimeo.com/76979871#t=65s"],
  ["file:/home/ann/a%20film.mp4", "file:///home/ann/a%20film.mp4#t=65"],
  ["html5:https://example.org/a(1).mp4?x=1", "https://example.org/a%281%29.mp4?x=1#t=65"],
  ["https://example.org/talk", "https://example.org/talk#t=65"],
  ["html5:javascript:alert(1)", null],
  ["html5:https://example.org/very-long#1x2y3z", null],
  ["html5:https://ann:secret@example.org/a.mp4", "https://example.org/a.mp4#t=65"],
  ["harbour", null],
])("the address that plays %s at a moment is known only for real addresses", (videoId, url) => {
  expect(momentUrl(videoId, 65_999)).toBe(url);
});

test.each([
  ["A talk", "A talk"],
  ["a/b\\c: d? *e* <f> |g| #h [i] ^j", "a b c d e f g h i j"],
  ["../../etc/passwd", "etc passwd"],
  ["..", "video"],
  ["\u0000\u202e", "video"],
  ["con", "_con"],
  ["Ends with dots...", "Ends with dots"],
  ["日本語の話", "日本語の話"],
])("the file of a video with the title %j has a name that all systems accept", (title, name) => {
  expect(fileNameOf(title)).toBe(name);
});

test("a long title makes a name of at most 150 bytes that ends with a whole character", () => {
  const name = fileNameOf("👩‍💻é".repeat(100));
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
  expect(name.isWellFormed()).toBe(true);
});

test("text from others is no Markdown, no HTML, and no syntax of Obsidian in the file", () => {
  const hostile = '--> <!-- continuo:end --> %%x%% $y$ ==z== [[link]] #tag\n- "item"\u001b[2J';
  const session = { sessionId: "s", parentId: null, videoId: "youtube:abc", title: hostile };
  const note = { startMs: 65_000, endMs: 70_000, text: hostile, status: "unsure" };
  const item = { kind: "chapter", title: hostile, text: hostile, startMs: 0, endMs: 70_000 } as PageItem;
  const page = { items: [item] as readonly PageItem[] } as LivePage;
  const notes = { session: session as LiveSession, notes: [note as Note], page };
  const { text } = sectionOf(notes);
  expect(text.split("\n")).toHaveLength(8);
  expect(text).toContain("- [1:05](https://www.youtube.com/watch?v=abc&t=65s) (unsure) ");
  expect(text).toMatch(/^## Chapters\n\n- \[0:00\]\(https:\/\/www\.youtube\.com\/watch\?v=abc&t=0s\) \*\*/u);
  const head = headOf({ videoId: "youtube:abc", sessions: [notes] });
  for (const page of [text, head.split("\n# ")[1] ?? ""]) {
    expect(page).not.toMatch(/(?<!\\)(?:<!|%|\$y|==z|\[\[|#tag)/u);
    expect(page).not.toContain("\u001b");
  }
});
