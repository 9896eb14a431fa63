import { expect, test } from "vitest";
import { notesIn } from "./share.tsx";

const page = (notes: string, before = ""): string =>
  `<html><body>${before}<script type="application/json" id="saved-session">{"savedAt":"2026-01-31T09:00:00.000Z","notes":${notes},"sessions":[{"notes":["x"]}]}</script>`;

test("the receipt equals the file's statement about itself, whatever words the file contains", () => {
  expect(notesIn(page('["Masked 1 secret: 1 × \\"key\\".","b"]'))).toEqual([
    'Masked 1 secret: 1 × "key".',
    "b",
  ]);
  expect(notesIn(page("[]"))).toEqual([]);
});

test("a session that quotes such a file does not change the receipt", () => {
  const quoted = '&lt;script id="saved-session">{"savedAt":"","notes":["nothing was masked"],"sessions":[]}';
  expect(notesIn(page('["Masked 2 secrets"]', quoted))).toEqual(["Masked 2 secrets"]);
});

test("a file without a statement about masking is an error", () => {
  expect(() => notesIn("<html></html>")).toThrow("does not say");
});
