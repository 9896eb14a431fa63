import { expect, test } from "vitest";
import { parseQuery } from "./query.ts";
import type { SearchQuery } from "./search-query.ts";

const parse = (text: string): SearchQuery => parseQuery(text, { toTime: (time) => `time ${time}` });

function failureOf(text: string): { readonly message: string; readonly hint: string } {
  try {
    parse(text);
  } catch (error) {
    return error as { readonly message: string; readonly hint: string };
  }
  throw new Error(`no error: ${text}`);
}

test("a minus before a filter excludes what the filter asks for", () => {
  const query = parse(
    "word -agent:Codex -project:shop -branch:main -role:tool -tool:Bash -file:a.ts -since:1w -error:",
  );
  expect(query.not).toEqual({
    agents: ["codex"],
    projects: ["shop"],
    branches: ["main"],
    roles: ["tool"],
    tools: ["bash"],
    files: ["a.ts"],
    since: "time 1w",
    error: "any",
  });
  expect(query).toMatchObject({
    agents: [],
    projects: [],
    roles: [],
    tools: [],
    files: [],
    since: null,
    error: null,
  });
});

test("a name that is nearly the name of a filter is an error that suggests the filter", () => {
  expect(failureOf("agnet:claude")).toMatchObject({
    message: "there is no filter agnet:",
    hint: "Did you mean agent:claude? Put the text in quotes to search for its words.",
  });
  expect(failureOf("x -roles:tool").hint).toContain("Did you mean -role:tool?");
  expect(failureOf('projct:"my shop"').hint).toContain("project:my shop");
});

test("a time filter of other search boxes is an error that says how to write it, and classes of CSS are words", () => {
  expect(failureOf("naive after:2026-09-01")).toMatchObject({
    message: "there is no filter after:",
    hint: "Write since:2026-09-01.",
  });
  expect(failureOf("x before:yesterday").hint).toBe("Write -since:yesterday.");
  for (const text of ["before:absolute", "after:content-none", '"after:2026"']) {
    expect(parse(text).all, text).toMatchObject([{ exact: true }]);
  }
});

test("an agent that Continuo does not know is an error that suggests a similar agent", () => {
  expect(failureOf("agent:cladue x")).toMatchObject({
    message: 'no agent "cladue"',
    hint: "Did you mean agent:claude?",
  });
  expect(failureOf("x -agent:nobody").hint).toContain("Use one of claude, codex,");
  expect(parse("agent:Continuo x").agents).toEqual(["continuo"]);
  const typing = parseQuery("x agent:cla", { toTime: String, isTyping: true });
  expect(typing.agents).toEqual(["cla"]);
});

test("words with a colon that are near no filter, and everything in quotes, are words", () => {
  for (const text of [
    "localhost:3000",
    "https://example.com",
    "npm:zod",
    "node:fs",
    '"agnet:claude"',
    "LATER:on",
  ]) {
    expect(parse(text).all, text).toMatchObject([{ exact: true }]);
  }
});

test("a query that excludes every role, and a negated `error:` with a word, are errors that say what to write", () => {
  expect(failureOf("word role:tool -role:tool").hint).toContain("-role:tool");
  expect(failureOf("word -role:user -role:assistant -role:tool").message).toContain("every role is excluded");
  expect(failureOf("word -error:timeout").hint).toContain("-timeout");
  expect(failureOf("-agent:codex").message).toBe("nothing to search for");
});

test("words that are still being typed are no question, so that each of them narrows the search", () => {
  const isQuestion = (isTyping: boolean) =>
    parseQuery("which port is it", { toTime: String, isTyping }).isQuestion;
  expect([isQuestion(false), isQuestion(true)]).toEqual([true, false]);
});
