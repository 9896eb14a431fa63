/** One member of nested objects in a JSON file with comments: found, added, replaced or removed as text. Pure. */

import { ContinuoError } from "@continuo/core/model";
import type { Edit } from "./edit.ts";

/** The value of a name in a settings file, and the edits that change it. */
export interface JsonMember {
  /** The text of the existing value. */
  readonly text: string | null;
  set(value: unknown): Edit;
  /** `null` if there is nothing to remove. */
  remove(): Edit | null;
}

/**
 * @param keys those that lead to the value, from the outermost object
 * Errors: `invalid` for a file that is not an object of JSON, or has a name twice.
 */
export function placeInJson(text: string, keys: readonly string[]): JsonMember {
  if (text.trim() === "") return emptyPlace(text, keys);
  const way: [ScannedObject, Member][] = [];
  let object = scanObject(text, skipSpace(text, text.startsWith("\ufeff") ? 1 : 0));
  for (const [at, key] of keys.entries()) {
    const member = memberOf(object, key);
    if (member === null) {
      const [here, rest] = [object, keys.slice(at + 1)];
      const set = (value: unknown): Edit => insertInto(text, here, key, nested(rest, value));
      return { text: null, set, remove: () => null };
    }
    way.push([object, member]);
    if (at < keys.length - 1) object = scanObject(text, member.valueAt);
  }
  const [holder, member] = way.at(-1) ?? [object, null];
  if (member === null) throw new Error("a key is needed");
  const old = text.slice(member.valueAt, member.end);
  return {
    text: old,
    set: (value) => {
      const indent = indentOf(text, member.at) ?? null;
      const inserted = printed(value, indent, unitOf(text, holder), lineEndOf(text));
      return { at: member.valueAt, deleted: old, inserted };
    },
    remove: () => removalOf(text, emptiedBy(way)),
  };
}

/** An object that would become empty is removed with its member; the outermost object stays. */
function emptiedBy(way: readonly [ScannedObject, Member][]): readonly [ScannedObject, Member] {
  let at = way.length - 1;
  while (at > 0 && way[at]?.[0].members.length === 1) at -= 1;
  const found = way[at];
  if (found === undefined) throw new Error("a key is needed");
  return found;
}

function nested(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function emptyPlace(text: string, keys: readonly string[]): JsonMember {
  const set = (value: unknown): Edit => ({
    at: 0,
    deleted: text,
    inserted: `${JSON.stringify(nested(keys, value), null, 2)}\n`,
  });
  return { text: null, set, remove: () => null };
}

interface Member {
  readonly name: string;
  readonly at: number;
  readonly valueAt: number;
  readonly end: number;
}

interface ScannedObject {
  /** The offset of the opening brace. */
  readonly at: number;
  readonly members: readonly Member[];
}

function memberOf({ members }: ScannedObject, name: string): Member | null {
  const named = members.filter((member) => member.name === name);
  if (named.length > 1) throw invalid(`the name ${JSON.stringify(name)} is there twice`);
  return named[0] ?? null;
}

function scanObject(text: string, at: number): ScannedObject {
  if (text[at] !== "{") throw invalid("an object was expected");
  const members: Member[] = [];
  for (let next = skipSpace(text, at + 1); text[next] !== "}"; ) {
    const end = skipString(text, next);
    const name: unknown = JSON.parse(text.slice(next, end));
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") throw invalid("a colon was expected");
    const valueAt = skipSpace(text, colon + 1);
    const valueEnd = skipValue(text, valueAt);
    members.push({ name: String(name), at: next, valueAt, end: valueEnd });
    next = skipSpace(text, valueEnd);
    if (text[next] === ",") next = skipSpace(text, next + 1);
    else if (text[next] !== "}") throw invalid("a comma was expected");
  }
  return { at, members };
}

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/uy;
const STRING = /"(?:[^"\\\n]|\\.)*"/uy;
const WORD = /[^\s,{}[\]"/:]+/uy;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function skipString(text: string, at: number): number {
  STRING.lastIndex = at;
  if (STRING.exec(text) === null) throw invalid("a string was expected");
  return STRING.lastIndex;
}

function skipValue(text: string, from: number): number {
  let [at, depth] = [from, 0];
  do {
    const character = text[at];
    if (character === "{" || character === "[") {
      depth += 1;
      at += 1;
    } else if (character === "}" || character === "]") {
      depth -= 1;
      at += 1;
    } else if (character === '"') at = skipString(text, at);
    else if ((character === "," || character === ":") && depth > 0) at += 1;
    else {
      WORD.lastIndex = at;
      if (WORD.exec(text) === null) throw invalid("a value was expected");
      at = WORD.lastIndex;
    }
    if (depth > 0) at = skipSpace(text, at);
  } while (depth > 0);
  return at;
}

/** Inserts a member after the last one, in the same form as the others. */
function insertInto(text: string, { at, members }: ScannedObject, name: string, value: unknown): Edit {
  const lineEnd = lineEndOf(text);
  const last = members.at(-1);
  const outer = indentOf(text, at);
  const indent = last === undefined ? (outer ?? "") + unitOf(text, { at, members }) : indentOf(text, last.at);
  const member = `${JSON.stringify(name)}: ${printed(value, indent, unitOf(text, { at, members }), lineEnd)}`;
  if (last !== undefined) {
    const before = indent === null ? ", " : `,${lineEnd}${indent}`;
    return { at: last.end, deleted: "", inserted: `${before}${member}` };
  }
  const isClosed = text[at + 1] === "}";
  const inserted = `${lineEnd}${indent ?? ""}${member}${isClosed ? `${lineEnd}${outer ?? lineIndentOf(text, at)}` : ""}`;
  return { at: at + 1, deleted: "", inserted };
}

/** Removes a member, together with the comma that separates it from its neighbour. */
function removalOf(text: string, [object, member]: readonly [ScannedObject, Member]): Edit {
  const index = object.members.indexOf(member);
  const [before, after] = [object.members[index - 1], object.members[index + 1]];
  const [from, to] =
    before !== undefined
      ? [before.end, member.end]
      : after !== undefined
        ? [member.at, after.at]
        : [object.at + 1, closedAfter(text, member.end)];
  return { at: from, deleted: text.slice(from, to), inserted: "" };
}

/** The only member of an object is removed with the comma and the space after it. */
function closedAfter(text: string, end: number): number {
  const comma = skipSpace(text, end);
  const at = text[comma] === "," ? comma + 1 : end;
  return /^\s*\}/u.test(text.slice(at)) ? at + (/^\s*/u.exec(text.slice(at))?.[0].length ?? 0) : at;
}

/** The white space at the beginning of a line before a member; `null` if the member does not begin its line. */
function indentOf(text: string, at: number): string | null {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return at > 0 && /^[ \t]*$/u.test(before) && text.lastIndexOf("\n", at - 1) !== -1 ? before : null;
}

function lineIndentOf(text: string, at: number): string {
  return /^[ \t]*/u.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
}

/** One step of indentation. */
function unitOf(text: string, { at, members }: ScannedObject): string {
  const [first] = members;
  const inner = first === undefined ? null : indentOf(text, first.at);
  const outer = lineIndentOf(text, at);
  if (inner?.startsWith(outer) && inner.length > outer.length) return inner.slice(outer.length);
  return /\n(\t| {2,8})"/u.exec(text)?.[1] ?? "  ";
}

function printed(value: unknown, indent: string | null, unit: string, lineEnd: string): string {
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", `${lineEnd}${indent}`);
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function invalid(what: string): ContinuoError {
  return new ContinuoError("invalid", `the file cannot be edited: ${what}`);
}
