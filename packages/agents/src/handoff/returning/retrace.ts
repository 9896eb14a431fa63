/**
 * Matches the messages of a copied session with the messages of its original. Only the content is compared, block by
 * block; the positions may differ. Pure.
 *
 * Blocks whose text occurs exactly once on each side are matched first. From these, and then from the beginning and the
 * end, the neighbouring blocks are matched, as long as they are equal.
 */

import type { AgentName, Message } from "@continuo/core/model";
import { comparedPart, convertMessages, type SpokenMessage } from "../converting/index.ts";

/**
 * Returns the originals of each message of `copy`: an empty list if they already belong to an earlier message of the
 * copy, `null` if the message comes from elsewhere or was changed.
 *
 * @param agent the agent of the copy
 */
export function retrace(
  copy: readonly Message[],
  originals: readonly Message[],
  agent: AgentName,
): readonly (readonly Message[] | null)[] {
  const { messages, sources } = convertMessages(originals, agent);
  const position = new Map(originals.map((message, at) => [message, at]));
  const ownerOf = (source: Message | null): number | null =>
    source === null ? null : (position.get(source) ?? null);
  const theirs = wordsIn(messages, (at) => ownerOf(sources[at] ?? null));
  const ours = wordsIn(copy, (at) => at);
  const groups = groupsOf(theirs, ours, pairsOf(theirs, ours));
  const withSilent = besideThem(originals, new Set(theirs.map(({ owner }) => owner)), groups);
  const found: (readonly Message[] | null)[] = copy.map(() => null);
  for (const group of groups) {
    const [first] = group.ours;
    for (const at of group.ours) found[at] = [];
    if (first === undefined) continue;
    found[first] = group.theirs.flatMap(withSilent).flatMap((at) => originals[at] ?? []);
  }
  return found;
}

/** The words of one block, and the message that it is a part of. */
interface Words {
  readonly key: string;
  readonly owner: number;
}

function wordsIn(messages: readonly SpokenMessage[], ownerAt: (at: number) => number | null): Words[] {
  return messages.flatMap(({ role, content }, at) => {
    const owner = ownerAt(at);
    if (owner === null) return [];
    return content.flatMap((block): Words[] => {
      const told = comparedPart(block);
      return told === null ? [] : [{ key: `${role} ${told.kind} ${told.words}`, owner }];
    });
  });
}

/** Returns a map from each matched position in `theirs` to its position in `ours`. */
function pairsOf(theirs: readonly Words[], ours: readonly Words[]): ReadonlyMap<number, number> {
  const once = onceIn(ours);
  const anchors = [...onceIn(theirs)].flatMap(([key, at]) => {
    const other = once.get(key);
    return other === undefined ? [] : [[at, other] as const];
  });
  const pairs = new Map(anchors);
  const taken = new Set(pairs.values());
  const extend = (from: number, to: number, step: 1 | -1): void => {
    for (let [at, other] = [from + step, to + step]; ; at += step, other += step) {
      const [one, two] = [theirs[at], ours[other]];
      if (one === undefined || one.key !== two?.key || pairs.has(at) || taken.has(other)) return;
      pairs.set(at, other);
      taken.add(other);
    }
  };
  for (const [at, other] of anchors) extend(at, other, 1);
  for (const [at, other] of anchors) extend(at, other, -1);
  extend(-1, -1, 1);
  extend(theirs.length, ours.length, -1);
  return pairs;
}

function onceIn(words: readonly Words[]): Map<string, number> {
  const all = Map.groupBy(words.keys(), (at) => words[at]?.key ?? "");
  return new Map(
    [...all].flatMap(([key, [at, another]]) =>
      at === undefined || another !== undefined ? [] : [[key, at]],
    ),
  );
}

/** Some messages of one side, and the messages of the other side that together have the same content, in order. */
interface Group {
  readonly theirs: readonly number[];
  readonly ours: readonly number[];
}

function groupsOf(
  theirs: readonly Words[],
  ours: readonly Words[],
  pairs: ReadonlyMap<number, number>,
): Group[] {
  const groups = createGroups();
  for (const [at, other] of pairs) {
    const [one, two] = [theirs[at], ours[other]];
    if (one !== undefined && two !== undefined) groups.join(`t${one.owner}`, `o${two.owner}`);
  }
  const paired = new Set(pairs.values());
  const broken = new Set([
    ...theirs.flatMap(({ owner }, at) => (pairs.has(at) ? [] : [groups.rootOf(`t${owner}`)])),
    ...ours.flatMap(({ owner }, at) => (paired.has(at) ? [] : [groups.rootOf(`o${owner}`)])),
  ]);
  const owners = new Set([
    ...theirs.map(({ owner }) => `t${owner}`),
    ...ours.map(({ owner }) => `o${owner}`),
  ]);
  const whole = Map.groupBy(owners, groups.rootOf);
  for (const root of broken) whole.delete(root);
  return [...whole.values()].map((names) => ({ theirs: numbersOf(names, "t"), ours: numbersOf(names, "o") }));
}

function numbersOf(names: readonly string[], side: "t" | "o"): number[] {
  return names
    .filter((name) => name.startsWith(side))
    .map((name) => Number(name.slice(1)))
    .sort((a, b) => a - b);
}

interface Groups {
  join(one: string, other: string): void;
  readonly rootOf: (name: string) => string;
}

function createGroups(): Groups {
  const above = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let next = above.get(root); next !== undefined; next = above.get(root)) root = next;
    if (root !== name) above.set(name, root);
    return root;
  };
  const join = (one: string, other: string): void => {
    const [a, b] = [rootOf(one), rootOf(other)];
    if (a !== b) above.set(a, b);
  };
  return { rootOf, join };
}

/**
 * Adds originals that have no content in the copy, such as encrypted thinking, to the match of the next original that
 * has content. Messages of the assistant are always added; other messages only if the previous original with content is
 * matched too. Originals without content at the end belong to the match of the last original with content.
 */
function besideThem(
  originals: readonly Message[],
  speaking: ReadonlySet<number>,
  groups: readonly Group[],
): (at: number) => number[] {
  const found = new Set(groups.flatMap(({ theirs }) => theirs));
  const last = speaking.values().reduce((greatest, at) => Math.max(greatest, at), -1);
  return (at) => {
    let from = at;
    while (from > 0 && !speaking.has(from - 1)) from--;
    const isInside = from > 0 && found.has(from - 1);
    const before = Array.from({ length: at - from }, (_, each) => from + each).filter(
      (each) => isInside || originals[each]?.role === "assistant",
    );
    const behind = at === last ? Array.from(originals.keys().drop(at + 1)) : [];
    return [...before, at, ...behind];
  };
}
