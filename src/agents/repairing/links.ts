/** Records that name the one before them: links that lead nowhere, or in a circle, are mended. */

import { cutCircles, type Json, textField } from "../reader/index.ts";
import { change, type Draft, present, type RecordLine, remove } from "./draft.ts";

export interface LinkNames {
  readonly id: string;
  readonly parent: string;
  /** Where the parent is `null`. */
  readonly otherParent?: string;
  /** Whether a record is one of those that are linked. */
  isLinked(record: Json): boolean;
  /** Records of different kinds are not linked to each other where a link is lost. */
  kindOf(record: Json): string;
  /** What a record says of its parent beside the link. */
  hintOf(record: Json): string | null;
  newId(): string;
}

export interface Links {
  /** Removes a record; what followed it follows the one before it. */
  drop(line: RecordLine, reason: string): void;
  /** Gives ids and parents to records that lack them, and removes the earlier of two with one id. */
  complete(): void;
  /** Mends links that lead nowhere, or in a circle. */
  relink(): void;
  /** The records that follow one of these, and are none of them. */
  followers(lines: readonly RecordLine[]): readonly RecordLine[];
}

export function createLinks(draft: Draft, names: LinkNames): Links {
  const { id: idKey, parent: parentKey, otherParent } = names;
  /** By id of what was removed: what stood before it. */
  const before = new Map<string, string | null>();
  const linked = (): RecordLine[] => present(draft).filter(({ value }) => names.isLinked(value));
  const idOf = ({ value }: RecordLine): string | null => textField(value, idKey) || null;
  const keyOf = ({ value }: RecordLine): string => {
    const isOther = otherParent !== undefined && !value[parentKey] && typeof value[otherParent] === "string";
    return isOther ? otherParent : parentKey;
  };
  const parentOf = (line: RecordLine): string | null => textField(line.value, keyOf(line)) || null;
  const setParent = (line: RecordLine, parent: string | null, reason: string): void => {
    change(line, { ...line.value, [keyOf(line)]: parent }, reason);
  };

  function complete(): void {
    const last = new Map<string, string>();
    let isFirst = true;
    for (const line of linked()) {
      const kind = names.kindOf(line.value);
      const lacksId = idOf(line) === null;
      if (line.value[parentKey] === undefined) {
        const parent = isFirst ? null : (last.get(kind) ?? null);
        change(line, { ...line.value, [parentKey]: parent }, "it names no parent");
      }
      if (lacksId) change(line, { ...line.value, [idKey]: names.newId() }, "it has no id");
      last.set(kind, idOf(line) ?? "");
      isFirst = false;
    }
    const seen = new Set<string>();
    for (const line of linked().reverse()) {
      const id = idOf(line) ?? "";
      if (seen.has(id)) remove(line, "a later record has the same id, and counts");
      seen.add(id);
    }
  }

  function relink(): void {
    const lines = linked();
    const at = new Map(lines.map((line, position) => [idOf(line) ?? "", position]));
    const up = new Int32Array(lines.length).fill(-1);
    const lost = new Set<number>();
    for (const [position, line] of lines.entries()) {
      let parent = parentOf(line);
      const isNamed = parent !== null;
      while (parent !== null && !at.has(parent) && before.has(parent)) parent = before.get(parent) ?? null;
      const found = parent === null ? -1 : (at.get(parent) ?? -1);
      up[position] = found;
      if (isNamed && found === -1 && parent !== null) lost.add(position);
      else if (parent !== parentOf(line)) setParent(line, parent, "what it followed is removed");
    }
    const circles = new Set(cutCircles(up));
    for (const position of [...lost, ...circles].sort((a, b) => a - b)) {
      const line = lines[position];
      if (line === undefined) continue;
      const parent = substituteFor(lines, up, { position, names });
      up[position] = parent;
      const other = lines[parent];
      const reason = circles.has(position) ? "its parents led back to it" : "its parent is not in the file";
      setParent(line, other === undefined ? null : idOf(other), reason);
    }
  }

  return {
    drop(line, reason) {
      const id = idOf(line);
      if (id !== null) before.set(id, parentOf(line));
      remove(line, reason);
    },
    complete,
    relink,
    followers(lines) {
      const ids = new Set(lines.map(idOf));
      return linked().filter((line) => !lines.includes(line) && ids.has(parentOf(line)));
    },
  };
}

interface Lost {
  readonly position: number;
  readonly names: LinkNames;
}

/** What the record itself says, else the one of its kind that stands before it. */
function substituteFor(lines: readonly RecordLine[], up: Int32Array, { position, names }: Lost): number {
  const line = lines[position];
  if (line === undefined) return -1;
  const hint = names.hintOf(line.value);
  const hinted = hint === null ? -1 : lines.findIndex(({ value }) => value[names.id] === hint);
  if (hinted !== -1 && !descends(up, hinted, position)) return hinted;
  const kind = names.kindOf(line.value);
  for (let other = position - 1; other >= 0; other--) {
    const candidate = lines[other];
    if (candidate === undefined || names.kindOf(candidate.value) !== kind) continue;
    if (!descends(up, other, position)) return other;
  }
  return -1;
}

function descends(up: Int32Array, start: number, ancestor: number): boolean {
  let steps = 0;
  for (let at = start; at !== -1 && steps <= up.length; at = up[at] ?? -1) {
    if (at === ancestor) return true;
    steps += 1;
  }
  return false;
}
