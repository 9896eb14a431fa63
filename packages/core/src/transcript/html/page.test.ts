import { describe, expect, test } from "vitest";
import { headToHtml } from "./head.ts";
import {
  branchToHtml,
  type ContentsLine,
  minuteOf,
  type PageDetails,
  pageEnd,
  pageStart,
  subagentEnd,
  subagentStart,
} from "./page.ts";
import { SCRIPT } from "./script.ts";

const DETAILS: PageDetails = {
  agent: "claude",
  sessionId: "s",
  title: null,
  cwd: null,
  gitBranch: null,
  models: [],
  createdAt: null,
  updatedAt: null,
  messages: { total: 0, user: 0, assistant: 0, tool: 0, system: 0 },
  problems: [],
};

const SEARCH =
  '<div id="search" role="search" hidden>' +
  '<input type="search" placeholder="Search this session" aria-label="Search this session"><output></output>' +
  '<button type="button" aria-label="Previous match">↑</button>' +
  '<button type="button" aria-label="Next match">↓</button></div>\n<main>\n';

function bodyOf(details: Partial<PageDetails>, notes?: readonly string[]): string {
  const page = pageStart({ details: { ...DETAILS, ...details }, ...(notes === undefined ? {} : { notes }) });
  return page.slice(page.indexOf("<body>\n") + "<body>\n".length);
}

/** Returns the part of the end between the messages and the script. */
function endOf(contents?: readonly ContentsLine[], details: Partial<PageDetails> = {}): string {
  const end = pageEnd({
    details: { ...DETAILS, ...details },
    ...(contents === undefined ? {} : { contents }),
  });
  return end.slice(0, end.indexOf("<script>"));
}

const FOOTER = "<footer><p>Exported by Continuo. Times are UTC.</p></footer>\n";

describe("the start of a page", () => {
  test("a head allows no more than its policy, and sends no address", () => {
    const given = { title: "a &lt;", policy: "default-src 'none'", style: "b {}" };
    expect(headToHtml(given)).toBe(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>a &lt;</title>
<style>b {}</style>
</head>
<body>
`);
  });

  test("the page is styled for light and dark screens and for paper", () => {
    const page = pageStart({ details: DETAILS });
    expect(page).toMatch(/<style>[^<]*color-scheme: light dark;[^<]*<\/style>/u);
    expect(page).toContain("@media (prefers-color-scheme: dark)");
    expect(page).toContain("@media print");
  });

  test("facts stand in their order, and text of the session is escaped", () => {
    const html = bodyOf(
      {
        title: "a <b>\u202e",
        cwd: "/x/<y>",
        gitBranch: "fix/&",
        models: ["m1", "m2"],
        createdAt: "2026-11-21T20:43:59.123Z",
        updatedAt: "2026-11-22T07:01:00Z",
        messages: { ...DETAILS.messages, total: 7 },
      },
      ["one <note>", "another"],
    );
    expect(html).toBe(
      '<div class="top">\n<h1><bdi>a &lt;b&gt;&lt;U+202E&gt;</bdi></h1>\n<dl class="facts">' +
        "<div><dt>Agent</dt><dd><bdi>claude</bdi></dd></div>" +
        "<div><dt>Session</dt><dd><bdi>s</bdi></dd></div>" +
        "<div><dt>Folder</dt><dd><bdi>/<wbr>x/<wbr>&lt;y&gt;</bdi></dd></div>" +
        "<div><dt>Branch</dt><dd><bdi>fix/<wbr>&amp;</bdi></dd></div>" +
        "<div><dt>Models</dt><dd><bdi>m1, m2</bdi></dd></div>" +
        "<div><dt>Begun</dt><dd><bdi>2026-11-21 20:43</bdi></dd></div>" +
        "<div><dt>Updated</dt><dd><bdi>2026-11-22 07:01</bdi></dd></div>" +
        "<div><dt>Messages</dt><dd><bdi>7</bdi></dd></div></dl>" +
        '<p class="note">one &lt;note&gt;</p><p class="note">another</p>\n</div>\n' +
        SEARCH,
    );
  });

  test("facts that are not known are left out, and a session without a title is named after its agent", () => {
    expect(bodyOf({ cwd: "" })).toBe(
      '<div class="top">\n<h1><bdi>claude session</bdi></h1>\n<dl class="facts">' +
        "<div><dt>Agent</dt><dd><bdi>claude</bdi></dd></div>" +
        "<div><dt>Session</dt><dd><bdi>s</bdi></dd></div>" +
        "<div><dt>Messages</dt><dd><bdi>0</bdi></dd></div></dl>\n</div>\n" +
        SEARCH,
    );
  });

  test.each([
    ["2026-11-21T20:43:59.123Z", "2026-11-21 20:43"],
    [null, null],
  ])("a page shows the time %s as %s", (iso, minute) => expect(minuteOf(iso)).toBe(minute));
});

describe("the end of a page", () => {
  test("a page ends with its notes, the problems with their lines, and the script", () => {
    const problem = { severity: "damage", code: "bad_json" } as const;
    const problems = [
      { ...problem, line: 7, message: "cut <off>" },
      { ...problem, line: null, message: "no header" },
    ];
    expect(pageEnd({ details: { ...DETAILS, problems }, notes: ["a <note>", "another"] })).toBe(
      '</main>\n<footer><p class="note">a &lt;note&gt;</p><p class="note">another</p>' +
        "<h2>Problems met while reading</h2><ul><li>line 7: cut &lt;off&gt;</li><li>no header</li></ul>" +
        "<p>Exported by Continuo. Times are UTC.</p></footer>\n" +
        `<script>${SCRIPT}</script>\n</body>\n</html>\n`,
    );
  });

  test("a page without problems, notes and contents has no place for them", () => {
    expect(endOf()).toBe(`</main>\n${FOOTER}`);
    expect(endOf([{ id: "m1", text: "one" }])).toBe(`</main>\n${FOOTER}`);
  });

  test("contents link to the messages and the branches", () => {
    const contents: readonly ContentsLine[] = [
      { id: "m1", text: "one <i>" },
      { id: "b2", text: "two", isBranch: true },
    ];
    expect(endOf(contents)).toBe(
      '</main>\n<nav aria-label="Contents"><details><summary>Contents</summary><ol>' +
        '<li><a href="#m1"><bdi>one &lt;i&gt;</bdi></a></li>' +
        `<li class="branch"><a href="#b2"><bdi>two</bdi></a></li></ol></details></nav>\n${FOOTER}`,
    );
  });

  test("contents list 2000 lines, and the number of the lines beyond that", () => {
    const contents = Array.from({ length: 2_001 }, (_, at) => ({ id: `m${at}`, text: "x" }));
    expect(endOf(contents.slice(1))).toContain('<li><a href="#m2000"><bdi>x</bdi></a></li></ol>');
    expect(endOf(contents)).toContain(
      '<li><a href="#m1999"><bdi>x</bdi></a></li><li class="branch">1 more are not listed</li></ol>',
    );
  });
});

test.each([
  [null, '<h2 id="b2">Branch 2 of 3</h2>\n'],
  ["try <b>", '<h2 id="b2">Branch 2 of 3: <bdi>try &lt;b&gt;</bdi></h2>\n'],
])("the heading of a branch with the label %j is its number and its label", (label, html) => {
  expect(branchToHtml({ number: 2, count: 3, label })).toBe(html);
});

test.each([
  [{ type: null, description: null, messages: null }, "<b><bdi>&lt;id&gt;</bdi></b>, cannot be read"],
  [{ type: "<t>", description: null, messages: 0 }, "<b><bdi>&lt;t&gt;</bdi></b>, 0 messages"],
  [
    { type: null, description: "<d>", messages: 1 },
    "<b><bdi>&lt;id&gt;</bdi></b>: <bdi>&lt;d&gt;</bdi>, 1 message",
  ],
  [{ type: "t", description: "d", messages: 2 }, "<b><bdi>t</bdi></b>: <bdi>d</bdi>, 2 messages"],
])("a sub-agent of %j is folded below its type, its task and its size", (subagent, summary) => {
  expect(subagentStart({ id: "<id>", ...subagent }) + subagentEnd).toBe(
    `<details class="subagent"><summary>Sub-agent ${summary}</summary>\n</details>\n`,
  );
});
