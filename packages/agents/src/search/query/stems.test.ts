import { expect, test } from "vitest";
import { otherFormsOf, stemOf } from "./stems.ts";

function finds(word: string, other: string): boolean {
  const stem = stemOf(word);
  return word === other || (stem.length >= 3 && other.startsWith(stem)) || otherFormsOf(word).includes(other);
}

test.each([
  "migrate migrates migrated migrating migration migrations",
  "configure configures configured configuration",
  "review reviews reviewer reviewing",
  "library libraries",
  "snapshot snapshots",
  "plan plans planned planning planner",
  "stop stopped stopping",
  "copy copies copied copying copier",
  "try tries tried trying",
  "retry retries retried retrying",
  "supply supplies supplied supplying supplier suppliers",
  "worry worries worried worrying",
  "carry carries carried carrying carrier",
  "reply replies replied replying",
  "query queries queried querying",
  "family families",
  "deploy deploys deployed deploying deployment deployments",
  "delay delays delayed",
  "movies movie",
  "matter matters mattered",
  "better betterment",
  "letter letters",
  "trigger triggers triggered triggering",
  "cancel cancels cancelled cancelling canceled cancellation",
  "label labels labelled labelling labeled",
  "control controls controlled controller",
  "call calls called calling caller",
  "install installs installed installer installation",
  "occur occurs occurred occurring",
  "add adds added adding",
])("each form finds every other one: %s", (words) => {
  const forms = words.split(" ");
  const missing = forms.flatMap((word) =>
    forms.filter((other) => !finds(word, other)).map((other) => `${word} does not find ${other}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["supply", "support"],
  ["supplies", "support"],
  ["worry", "work"],
  ["carry", "card"],
  ["carried", "carbon"],
  ["better", "between"],
  ["matter", "material"],
  ["matters", "math"],
  ["letters", "letting"],
  ["trigger", "trigonometry"],
  ["dinner", "dinosaur"],
  ["tried", "trigger"],
  ["copies", "cope"],
  ["reply", "replace"],
  ["apply", "apple"],
  ["retries", "retrieve"],
  ["deploy", "deplore"],
  ["array", "arrange"],
  ["delay", "delaware"],
  ["called", "calendar"],
  ["installed", "instance"],
  ["recalled", "recalculate"],
])("%s does not find %s", (word, other) => {
  expect(finds(word, other)).toBe(false);
});

test("a short word, a word in -ss and a word of another script are their own stems", () => {
  for (const word of ["pass", "key", "日本語", "x86_64"]) expect(stemOf(word)).toBe(word);
  expect(otherFormsOf("paid")).toEqual(["pay"]);
  expect(otherFormsOf("key")).toEqual([]);
});
