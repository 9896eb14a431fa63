/** Every error has one form: what failed, and then why. Every hint has one form: what to do now. */

import { describe, expect, test } from "vitest";
import { type ErrorText, errorTextsOf } from "./error-texts.ts";
import { readSource } from "./imports.ts";

const texts = errorTextsOf(readSource().filter((file) => !file.path.endsWith(".test.ts")));
/** A text without a space is a part of a message, or the argument of another function of the same name. */
const messages = texts.filter(({ role, text }) => role === "message" && text.includes(" "));
const hints = texts.filter(({ role, text }) => role === "hint" && text !== "");

/** Names that have a capital letter wherever they stand. */
const NAMES = /^(Claude|Codex|Gemini|Continuo|Postgres|SQLite|CONTINUO_|Content-Type|Producer-|Stream-)/u;

/** Verbs that a hint begins with. */
const VERBS = new Set(
  `Acquire Add Append Ask Await Check Choose Claim Close Complete Connect Continue Copy Correct Create Cut Delete Fork Free Give
  Free Grant Install Keep Leave Log Let Look Name Omit Open Put Raise Read Redact Rename Repair Reply Report Restore Resume Retry Run Send Set
  Begin Commit Compare Finish Make Move Pack Remove Show Confirm Start Stop Store Undo Try Type Update Upgrade Use Wait Write See`.split(
    /\s+/u,
  ),
);

/** Phrases that readers have to read twice, from STYLE and the reviews of the texts. */
const OLD_VOICE =
  /\b(is|was|are|were) (told|said)\b|\balone\b|\bso many\b|\bnot there\b|\bgo(es)? on\b|\bmeanwhile\b|\banew\b|\bPlease\b/u;

const placesOf = (found: readonly ErrorText[]): string[] =>
  found.map(({ place, text }) => `${place} ${text}`);

describe("errors have one voice", () => {
  test("the texts of errors are found, also through the functions that pass them on", () => {
    expect(messages.length).toBeGreaterThan(400);
    expect(hints.length).toBeGreaterThan(150);
    expect(texts.some(({ place }) => place.startsWith("packages/store/src/store/rules/append.ts"))).toBe(
      true,
    );
  });

  test("a message begins in lower case", () => {
    expect(placesOf(messages.filter(({ text }) => /^[A-Z][a-z]/u.test(text) && !NAMES.test(text)))).toEqual(
      [],
    );
  });

  test("a message has no full stop", () => {
    expect(placesOf(messages.filter(({ text }) => /\.$|\.\s/u.test(text)))).toEqual([]);
  });

  test("a message or a hint is never empty", () => {
    expect(placesOf(texts.filter(({ text }) => text === ""))).toEqual([]);
  });

  test("a hint is an imperative sentence", () => {
    const wrong = hints.filter(({ text }) => {
      if (text.startsWith("…")) return false;
      const [verb = ""] = text.split(/[\s:]/u);
      return !VERBS.has(verb) && !text.startsWith("Did you mean ");
    });
    expect(placesOf(wrong)).toEqual([]);
  });

  test("a hint ends as a sentence does, or with what is computed", () => {
    expect(placesOf(hints.filter(({ text }) => !/[.?…`]$/u.test(text)))).toEqual([]);
  });

  test("no text has a phrase that readers have to read twice", () => {
    expect(placesOf([...messages, ...hints].filter(({ text }) => OLD_VOICE.test(text)))).toEqual([]);
  });

  test("a command prints its own form of an error, because the form for remote clients leaves out hints", () => {
    const commands = readSource().filter(({ file }) => file.startsWith("src/cli/"));
    expect(commands.filter(({ text }) => text.includes("errorToJson(")).length).toBeGreaterThan(4);
    expect(commands.filter(({ text }) => text.includes("toWireError")).map(({ file }) => file)).toEqual([]);
  });
});
