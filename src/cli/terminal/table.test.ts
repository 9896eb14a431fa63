import { expect, test } from "vitest";
import { type Column, layOut } from "./table.ts";

const columns: readonly Column[] = [
  { header: "id", align: "left" },
  { header: "title", align: "left", ideal: 8, min: 4 },
  { header: "path", align: "left", ideal: 6, min: 3, cut: "start" },
  { header: "size", align: "right" },
  { header: "notes", align: "left", min: 4 },
];
const rows = [
  ["1", "a long long title", "/home/x/project", "10 KB", ""],
  ["22", "日本語", "/y", "9 B", ""],
];

test("columns are as wide as their cells, and a column without text is left out", () => {
  expect(layOut(columns, rows)).toEqual({
    columns: [0, 1, 2, 3],
    cells: [
      ["id", "title            ", "path           ", " size"],
      ["1 ", "a long long title", "/home/x/project", "10 KB"],
      ["22", "日本語           ", "/y             ", "  9 B"],
    ],
  });
});

test.each([
  [28, ["1 ", "a long …", "…roject", "10 KB"]],
  [20, ["1 ", "a l…", "…ct", "10 KB"]],
  [5, ["1 ", "a l…", "…ct", "10 KB"]],
])("fitted to %i columns", (width, first) => {
  expect(layOut(columns, rows, { columns: width }).cells[1]).toEqual(first);
});

test("a column gets the room that it wants before a column without a wish keeps more than its minimum", () => {
  const [id, title, agent] = ["0199c3f2-1234-7abc", "A conversation with two agents", "continuo (claude)"];
  const table = layOut(
    [
      { header: "agent", align: "left", ideal: 16, min: 6 },
      { header: "id", align: "left", ideal: 36, min: 8, wants: 20 },
      { header: "title", align: "left", ideal: 40, min: 8, wants: 24 },
    ],
    [[agent, id, title]],
    { columns: 60 },
  );
  expect(table.cells[1]).toEqual(["continuo (cla…", id, "A conversation with two…"]);
});
