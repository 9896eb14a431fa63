/** Words of the glossary that had several meanings in the code: each names one type or one function. */

import { expect, test } from "vitest";
import { readSource } from "./imports.ts";

/** The files that may declare each word. The steps of a scripted agent and of a scripted model are the same thing. */
const DECLARED_IN: Readonly<Record<string, readonly string[]>> = {
  Draft: ["packages/live/src/kit/types.ts"],
  Step: ["packages/store/src/testing/agents/script.ts", "test/model-servers/script.ts"],
  Part: ["packages/core/src/transcript/render/parts.ts"],
  Turn: ["packages/native/src/index-file/turns.ts"],
  Place: [],
  SessionRow: ["packages/core/src/model/messages/session.ts"],
  Entry: ["packages/core/src/model/messages/session.ts"],
  foldLive: ["packages/core/src/wire/live-fold.ts"],
  openSession: ["packages/store/src/sessions/start.ts"],
};

const WORDS = Object.keys(DECLARED_IN).join("|");
const DECLARATION = new RegExp(
  `\\b(?:(?:interface|class|function) (${WORDS})\\b|type (${WORDS})(?:<[^>]*>)?\\s*=|const (${WORDS})\\s*[:=])`,
  "gu",
);

function declarationsIn(text: string): readonly string[] {
  return [...text.matchAll(DECLARATION)].map(
    ([, ...names]) => names.find((name) => name !== undefined) ?? "",
  );
}

test("a word of the glossary that had several meanings has one meaning in the code", () => {
  const files = [undefined, "web", "extension", "bench", "scripts", "test", "frameworks"]
    .flatMap((folder) => readSource(folder))
    .filter(({ file }) => file !== "test/house/glossary.test.ts");
  const declared = files.flatMap(({ file, text }) =>
    declarationsIn(text).map((name) => [name, file] as const),
  );
  const expected = Object.entries(DECLARED_IN).flatMap(([name, paths]) => paths.map((path) => [name, path]));
  expect(declared.toSorted()).toEqual(expected.toSorted());
});

test("a word that is declared in any form is found, and an import of it is not", () => {
  expect(
    declarationsIn(`interface Draft {}
type Step<T> = T;
export class Part {}
const Turn: number = 1;
export async function openSession(): Promise<void> {}
import { type Place, openSession } from "./a.ts";`),
  ).toEqual(["Draft", "Step", "Part", "Turn", "openSession"]);
});
