import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { withCodeMap, withRooms } from "../../scripts/code-map.ts";
import { FLOOR_PLAN } from "./floor-plan.ts";
import { fileOf, ROOT, roomOf } from "./imports.ts";

test("ARCHITECTURE.md contains the floor plan and the first sentence of every index.ts", () => {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  expect(text, "run `node scripts/docs.ts`").toBe(withCodeMap(text));
});

test("a README of a package with rooms cannot lose the marks for its rooms, and other packages need none", () => {
  expect(() => withRooms("# Core\n", "core")).toThrow("the document has no <!-- rooms");
  expect(withRooms("# AG-UI\n", "ag-ui")).toBe("# AG-UI\n");
});

test("ARCHITECTURE.md has at most 250 lines", () => {
  const lines = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(250);
});

describe("every path that a guide for contributors names exists", () => {
  test.each(["ARCHITECTURE.md", "docs/formats/README.md"])("%s", (document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    const paths = [...text.matchAll(/`([\w-]+\/(?:[\w./-]*[./]\w*)?)`/gu)]
      // One agent stands for all, because their folders have the same files.
      .map(([, path = ""]) => path.replace("NAME", "codex"))
      .filter((path) => existsSync(join(ROOT, path.split("/")[0] ?? "")) || roomOf(path) in FLOOR_PLAN);
    expect(paths.length).toBeGreaterThan(10);
    expect(
      paths.filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, fileOf(path)))),
    ).toEqual([]);
  });
});

test("no page for users sends readers to the source", () => {
  const pages = ["README.md", ...["docs", "docs/guides"].flatMap((folder) => markdownIn(folder))];
  const sent = pages.flatMap((page) =>
    readFileSync(join(ROOT, page), "utf8")
      .split("\n")
      .filter((line) => /`(?:src|packages\/\w+)\/[\w-]+\//u.test(line) && !line.startsWith("Generated from"))
      .map((line) => `${page}: ${line}`),
  );
  expect(pages.length).toBeGreaterThan(15);
  expect(sent).toEqual([]);
});

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

test("every link from one document to another leads to a file", () => {
  const documents = [
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "PROTOCOL.md", "SECURITY.md", "CHANGELOG.md"],
    "test/agents/README.md",
    ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join("docs", name)),
  ];
  const broken = documents.flatMap((document) =>
    [...readFileSync(join(ROOT, document), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/gu)]
      .map(([, link = ""]) => link)
      .filter((link) => !existsSync(join(ROOT, dirname(document), link)))
      .map((link) => `${document}: ${link}`),
  );
  expect(documents.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});

test.each(["server", "channels", "live", "extension", "library"])(
  "the page %s opens with one sentence and the commands to begin with",
  (name) => {
    const [title = "", , sentence = "", , fence, ...rest] = readFileSync(
      join(ROOT, `docs/${name}.md`),
      "utf8",
    ).split("\n");
    expect(title).toMatch(/^# /u);
    expect(sentence).toMatch(/^[A-Z].*\.$/u);
    expect(fence).toBe("```sh");
    expect(rest.indexOf("```")).toBeLessThan(10);
  },
);

test("the README is short, begins with one sentence and a picture that needs nothing from elsewhere", () => {
  const lines = readFileSync(join(ROOT, "README.md"), "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(90);
  const [, , sentence = "", , picture = ""] = lines;
  expect(sentence).toMatch(/^\*\*[^.]+\.\*\*$/u);
  expect(sentence.split(" ").length).toBeLessThanOrEqual(20);
  const path = /\]\((docs\/pictures\/\w+\.svg)\)$/u.exec(picture)?.[1] ?? "";
  const svg = readFileSync(join(ROOT, path), "utf8");
  expect(svg).toContain("@keyframes");
  expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(
    /https?:|<script|<image|href|url\(|@import/u,
  );
  const commands = [...svg.matchAll(/<tspan class="command">\$ ([^<]+)</gu)].map(
    ([, command = ""]) => command,
  );
  expect(lines.flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []))).toEqual(commands);
});
