import type { Places } from "@continuo/agents";
import { type Texts, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SearchQuery, search } from "@continuo/agents/search";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { hasPhrase, type NaiveTurn, readNaively } from "./naive.ts";

const scratch = scratchFolder("search");
let places: Places;
let texts: Texts;
let turns: NaiveTurn[];

beforeAll(async () => {
  places = copyEveryCase(scratch);
  texts = await updateTexts({ places });
  turns = await readNaively(places);
});

async function find(
  text: string,
  regex?: RegExp,
  injected: SearchQuery["injected"] = "not searched",
): Promise<string[]> {
  const query = parseQuery(text, { toTime: (time) => time, isEmptyAllowed: regex !== undefined, injected });
  const used = await useIndex(indexPathOf(places), "read", (database) =>
    search(database, query, {
      sessions: texts.ready,
      nowMs: 0,
      ...(regex === undefined ? {} : { regex }),
    }),
  );
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  return used.value.results
    .flatMap(({ session, turns }) => turns.map(({ number }) => `${session.location} ${number}`))
    .sort();
}

function scan(matches: (turn: NaiveTurn) => boolean): string[] {
  return turns
    .filter(matches)
    .map(({ location, number }) => `${location} ${number}`)
    .sort();
}

const hasWord = (turn: NaiveTurn, word: string): boolean => hasPhrase(turn, [word]) || turn.parts.has(word);

test("a search for words, phrases and words that are not there equals a scan of every turn", async () => {
  const all = [...new Set(turns.flatMap((turn) => [...turn.texts.flat(), ...turn.parts]))];
  const lines = turns.flatMap((turn) => turn.texts).filter((words) => words.length > 1);
  const word = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...all) }, fc.constant("nowhere"));
  const phrase = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.integer({ min: 2, max: 4 }))
    .map(([words, at, length]) => words.slice(at % words.length, (at % words.length) + length));
  const pairs = turns.flatMap(({ texts }) =>
    texts.flatMap((words, at) => [[words.at(-1), texts[at + 1]?.[0]]]).filter(isPair),
  );
  const query = fc.record({
    words: fc.array(word, { maxLength: 2 }),
    phrases: fc.array(fc.oneof({ weight: 3, arbitrary: phrase }, fc.constantFrom(...pairs)), {
      maxLength: 1,
    }),
    not: fc.array(word, { maxLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(query, async ({ words, phrases, not }) => {
      fc.pre(words.length + phrases.length > 0);
      const text = [...words, ...phrases.map((one) => `"${one.join(" ")}"`), ...not.map((one) => `-${one}`)];
      const expected = scan(
        (turn) =>
          words.every((one) => hasWord(turn, one)) &&
          phrases.every((one) => hasPhrase(turn, one)) &&
          !not.some((one) => hasWord(turn, one)),
      );
      expect(await find(text.join(" "))).toEqual(expected);
    }),
    { numRuns: rounds(1_000) },
  );
});

/** Returns true for the end of one text and the start of the next one, which do not form a phrase. */
function isPair(words: readonly (string | undefined)[]): words is string[] {
  return words.every((word) => word !== undefined);
}

test("every session of the cases can be searched, and every turn has a number", () => {
  expect({ left: texts.left, unreadable: texts.unreadable }).toEqual({ left: 0, unreadable: [] });
  expect(texts.ready.size).toBe(new Set(turns.map(({ location }) => location)).size);
  expect(turns.length).toBeGreaterThan(60);
});

/** Fails unless at least one turn is found and one is not, because otherwise the filter would not be tested. */
async function expectFound(
  text: string,
  matches: (turn: NaiveTurn) => boolean,
  regex?: RegExp,
): Promise<number> {
  const expected = scan(matches);
  expect(await find(text, regex), `${text} ${regex}`).toEqual(expected);
  return expected.length;
}

test("branch: finds the turns of sessions whose git branch contains the text, and of no other", async () => {
  const branches = [...new Set(turns.flatMap(({ gitBranch }) => gitBranch ?? []))];
  expect(branches.length).toBeGreaterThan(0);
  for (const branch of [...branches, branches[0]?.slice(1, 3) ?? "", "no-such-branch"]) {
    const wanted = branch.toLowerCase();
    await expectFound(
      `branch:"${branch}"`,
      ({ gitBranch }) => gitBranch?.toLowerCase().includes(wanted) === true,
    );
  }
});

test("since: finds the turns at and after a time, each by the time of its last message", async () => {
  const times = [...new Set(turns.flatMap(({ at }) => at ?? []))].sort();
  expect(times.length).toBeGreaterThan(20);
  for (let at = 0; at < times.length; at += 7) {
    const time = times[at] ?? "";
    const found = await expectFound(`since:${time}`, (turn) => turn.at !== null && turn.at >= time);
    if (at > 0) expect(found).toBeLessThan(turns.length);
  }
  expect(await find("since:9999-01-01T00:00:00.000Z")).toEqual([]);
});

test("error: finds the turns in which something failed, and with a word those with this word in a result", async () => {
  const failed = await expectFound("error:", ({ hasError }) => hasError);
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(turns.length);
  const words = new Set(turns.flatMap(({ results, hasError }) => (hasError ? results.flat() : [])));
  expect(words.size).toBeGreaterThan(3);
  for (const word of [...words].slice(0, 40)) {
    await expectFound(
      `error:"${word}"`,
      (turn) => turn.hasError && turn.results.some((one) => one.includes(word)),
    );
  }
});

test("injected text is searched only with role:system, or where it is asked for", async () => {
  const spoken = new Set(turns.flatMap((turn) => [...turn.texts.flat(), ...turn.parts]));
  const injected = [...new Set(turns.flatMap((turn) => turn.injected.flat()))];
  const only = injected.filter((word) => !spoken.has(word));
  expect(only.length).toBeGreaterThan(20);
  for (const word of only.slice(0, 40)) expect(await find(`"${word}"`), word).toEqual([]);
  for (const word of injected.slice(0, 60)) {
    const isInjected = (turn: NaiveTurn): boolean => turn.injected.some((words) => words.includes(word));
    await expectFound(`role:system "${word}"`, isInjected);
    const expected = scan((turn) => isInjected(turn) || hasPhrase(turn, [word]));
    expect(await find(`"${word}"`, undefined, "searched"), word).toEqual(expected);
  }
});

test("a negated filter finds the turns that the filter does not find", async () => {
  const branch = turns.find(({ gitBranch }) => gitBranch !== null)?.gitBranch?.toLowerCase() ?? "";
  const time = turns.flatMap(({ at }) => at ?? []).sort()[20] ?? "";
  const word = "the";
  const wanted = (turn: NaiveTurn): boolean => hasWord(turn, word);
  const isOfBranch = ({ gitBranch }: NaiveTurn): boolean =>
    gitBranch?.toLowerCase().includes(branch) === true;
  for (const found of [
    await expectFound(`${word} -branch:"${branch}"`, (turn) => wanted(turn) && !isOfBranch(turn)),
    await expectFound(`${word} -since:${time}`, (turn) => wanted(turn) && turn.at !== null && turn.at < time),
    await expectFound(`${word} -error:`, (turn) => wanted(turn) && !turn.hasError),
  ]) {
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(scan(wanted).length);
  }
  // A filter is enough without a word.
  for (const filter of ["agent:claude", "tool:Bash", "file:."]) {
    const [all, found, others] = [
      await find("since:0"),
      await find(filter),
      await find(`since:0 -${filter}`),
    ];
    expect(found.length, filter).toBeGreaterThan(0);
    expect([...found, ...others].sort(), filter).toEqual(all);
  }
  expect(await find("the -role:tool -role:assistant")).toEqual(await find("the role:user"));
});

test("--regex finds every turn with a text that matches, and words and filters narrow it", async () => {
  for (const regex of [/\d{3,}/u, /[A-Z][a-z]+\.$/u, /^the\b/iu, /\p{Script=Han}/u, /x{40}/u]) {
    const matches = ({ raw }: NaiveTurn): boolean => raw.some((text) => regex.test(text));
    await expectFound("", matches, regex);
    await expectFound("the", (turn) => matches(turn) && hasWord(turn, "the"), regex);
    await expectFound("error:", (turn) => matches(turn) && turn.hasError, regex);
  }
});
