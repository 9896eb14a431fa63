import { expect, test } from "vitest";
import { markIn, type NoteSection, videoMark, withSections } from "./sections.ts";

const MARK = videoMark("youtube:abc");

function section(sessionId: string, text: string, more: Partial<NoteSection> = {}): NoteSection {
  return { sessionId, text, noteCount: 1, replaces: "nothing", parentId: null, ...more };
}

function written(file: string, ...sections: readonly NoteSection[]): string {
  const result = withSections(file, MARK, sections);
  if (result === "broken") throw new Error(result);
  return result.file;
}

test("only the text between the two lines of a section changes, whatever else the file contains", () => {
  const first = written("", section("s-1", "- one\n"));
  expect(markIn(first)).toBe(MARK);
  // Bytes that are not UTF-8 also stay.
  const edited = `---\ntags: [a]\n---\nMine \xff\n${first}Below, without a line end`;
  const second = written(edited, section("s-1", "- one\n- two ✓\n"));
  expect(second).toBe(edited.replace("- one\n", `- one\n- two ${Buffer.from("✓").toString("latin1")}\n`));
  expect(written(second, section("s-1", "- one\n- two ✓\n"))).toBe(second);
});

test("a file with the line ends of Windows keeps them", () => {
  const file = `Mine\r\n\r\n${written("", section("s-1", "- one\n")).replaceAll("\n", "\r\n")}`;
  const next = written(file, section("s-1", "- one\n- two\n"));
  expect(next).toBe(file.replace("- one\r\n", "- one\r\n- two\r\n"));
});

test("a session that took notes over replaces its parent's section, and another one gets a section of its own", () => {
  const first = `Mine\n\n${written("", section("s-1", "- one\n"))}After`;
  const beside = written(first, section("s-1", "- one\n"), section("s-2", "- two\n"));
  expect(beside).toMatch(
    /^Mine[\s\S]*- one\n[\s\S]*end -->\n\n<!-- [\s\S]*- two\n<!-- continuo:end -->\nAfter$/u,
  );
  const over = section("s-2", "- one\n- two\n", { replaces: "parent", parentId: "s-1" });
  expect(written(first, over).replace("s-2", "s-1")).toBe(first.replace("- one\n", "- one\n- two\n"));
  // The session between the two was never written.
  const later = section("s-3", "- three\n", { replaces: "parent", parentId: "s-2" });
  expect(written(first, later).replace("s-3", "s-1")).toBe(first.replace("- one\n", "- three\n"));
});

test("a new session without notes leaves the notes of the earlier one", () => {
  const first = written("", section("s-1", "- one\n"));
  const empty = section("s-2", "No notes.\n", { noteCount: 0, replaces: "parent", parentId: "s-1" });
  expect(written(first, empty)).toBe(first);
  expect(written(first, section("s-1", "No notes.\n", { noteCount: 0 }))).toContain("No notes.");
});

test("a section without its end is not changed, and neither is a section of another video", () => {
  const file = written("", section("s-1", "- one\n"));
  expect(withSections(file.replace("<!-- continuo:end -->", ""), MARK, [section("s-1", "- x\n")])).toBe(
    "broken",
  );
  const other = videoMark("youtube:other");
  const both = withSections(file, other, [section("s-1", "- other\n")]);
  expect(both).toEqual({ file: expect.stringMatching(/- one\n[\s\S]*- other\n/u) });
});
