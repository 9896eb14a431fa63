import { describe, expect, test } from "vitest";
import { draftOf, editsOf, remainingLines } from "./index.ts";
import { createLinks } from "./links.ts";

interface Row {
  readonly id: string;
  readonly parent: string | null;
  readonly isBad?: boolean;
}

/** Removes the bad rows, mends the links and gives `id <- parent` of what is left. */
function relinked(rows: readonly Row[]): readonly string[] {
  const draft = draftOf(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")));
  const links = createLinks(draft, {
    id: "id",
    parent: "parent",
    isLinked: () => true,
    kindOf: () => "row",
    hintOf: () => null,
    newId: () => "new",
  });
  for (const line of remainingLines(draft)) if (line.value.isBad === true) links.drop(line, "it is bad");
  links.complete();
  links.relink();
  expect(editsOf(draft).every(({ reason }) => reason !== "")).toBe(true);
  return remainingLines(draft).map(({ value }) => `${String(value.id)} <- ${String(value.parent)}`);
}

describe("what followed a removed record follows", () => {
  test("the nearest record before it that is left", () => {
    const rows = [
      { id: "a", parent: null },
      { id: "b", parent: "a", isBad: true },
      { id: "c", parent: "b", isBad: true },
      { id: "d", parent: "c" },
      { id: "e", parent: "c" },
    ];
    expect(relinked(rows)).toEqual(["a <- null", "d <- a", "e <- a"]);
  });

  test("nothing, if the removed record had no parent", () => {
    const rows = [
      { id: "a", parent: null, isBad: true },
      { id: "b", parent: "a" },
      { id: "c", parent: "b" },
    ];
    expect(relinked(rows)).toEqual(["b <- null", "c <- b"]);
  });

  test("the record before it, if the removed record was its own parent", () => {
    const rows = [
      { id: "a", parent: null },
      { id: "b", parent: "b", isBad: true },
      { id: "c", parent: "b" },
      { id: "d", parent: "b" },
    ];
    expect(relinked(rows)).toEqual(["a <- null", "c <- a", "d <- c"]);
  });

  test("the record before it, if removed records lead in a circle", () => {
    const rows = [
      { id: "a", parent: null },
      { id: "b", parent: "d", isBad: true },
      { id: "c", parent: "b", isBad: true },
      { id: "d", parent: "c", isBad: true },
      { id: "e", parent: "d" },
      { id: "f", parent: "b" },
    ];
    expect(relinked(rows)).toEqual(["a <- null", "e <- a", "f <- e"]);
  });
});

describe("records that are left and lead in a circle", () => {
  test("are linked to the record before them", () => {
    const rows = [
      { id: "a", parent: null },
      { id: "b", parent: "b" },
      { id: "c", parent: "d" },
      { id: "d", parent: "c" },
    ];
    const parents = new Map(relinked(rows).map((row) => row.split(" <- ") as [string, string]));
    expect([...parents.keys()]).toEqual(["a", "b", "c", "d"]);
    for (const id of parents.keys()) expect(rootOf(id, parents)).toBe("a");
  });
});

/** Ends at the fourth step at the latest. */
function rootOf(id: string, parents: ReadonlyMap<string, string>): string {
  let at = id;
  for (let steps = 0; steps < 4 && parents.get(at) !== "null"; steps++) at = parents.get(at) ?? "";
  return at;
}
