/** Records that name the one before them: broken and circular links are repaired. */

import { type Json, textField } from "@continuo/files";
import { cutCircles } from "../kit/index.ts";
import { change, type RecordLine, type RepairDraft, remainingLines, remove } from "./draft.ts";

export interface LinkNames {
  readonly id: string;
  readonly parent: string;
  /** The key of another parent, for a record whose parent is `null`. */
  readonly otherParent?: string;
  /** Returns true if the record is one of those that are linked. */
  isLinked(record: Json): boolean;
  /** Records of different kinds are not linked to each other where a link is lost. */
  kindOf(record: Json): string;
  /** Returns the record's further information about its parent, in addition to the link. */
  hintOf(record: Json): string | null;
  newId(): string;
}

export interface Links {
  /** Removes a record; what followed it follows the one before it. */
  drop(line: RecordLine, reason: string): void;
  /** Gives ids and parents to records that lack them, and removes the earlier of two with one id. */
  complete(): void;
  /** Repairs broken and circular links. */
  relink(): void;
  /**
   * Returns the records that follow one of these lines, without the lines themselves. Call it after the links are
   * repaired; records that were added after the first call are left out.
   */
  followers(lines: readonly RecordLine[]): readonly RecordLine[];
}

export function createLinks(draft: RepairDraft, names: LinkNames): Links {
  const { id: idKey, parent: parentKey, otherParent } = names;
  /** The keys are ids of removed records; the values are the ids of the records before them. */
  const before = new Map<string, string | null>();
  let children: Map<string | null, RecordLine[]> | null = null;
  const linked = (): RecordLine[] => remainingLines(draft).filter(({ value }) => names.isLinked(value));
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
      const named = line.value[parentKey];
      if (named !== null && typeof named !== "string") {
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
      const named = parentOf(line);
      const isNamed = named !== null;
      const parent = named === null ? null : nearest(named, before, at);
      const found = parent === null ? -1 : (at.get(parent) ?? -1);
      up[position] = found;
      if (isNamed && found === -1 && parent !== null) lost.add(position);
      else if (parent !== named) setParent(line, parent, "what it followed is removed");
    }
    const circles = new Set(cutCircles(up));
    const search = createSearch(lines, up, names);
    for (const position of [...lost, ...circles].sort((a, b) => a - b)) {
      const line = lines[position];
      if (line === undefined) continue;
      const parent = search.substituteFor(position, line);
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
      children ??= Map.groupBy(linked(), parentOf);
      const known = new Set(lines);
      return lines.flatMap((line) => {
        const id = idOf(line);
        const following = id === null ? [] : (children?.get(id) ?? []);
        // The parent may have changed since the map was made.
        return following.filter((each) => !known.has(each) && parentOf(each) === id);
      });
    },
  };
}

/**
 * Follows removed records upwards, and returns the id of the first record that is present; `null` if the chain ends at
 * a record without a parent. If the chain ends at a missing record, or leads in a circle, the returned id belongs to no
 * record.
 */
function nearest(
  named: string,
  before: Map<string, string | null>,
  at: ReadonlyMap<string, number>,
): string | null {
  const passed = new Set<string>();
  let parent: string | null = named;
  while (parent !== null && !at.has(parent) && !passed.has(parent)) {
    const next = before.get(parent);
    if (next === undefined) break;
    passed.add(parent);
    parent = next;
  }
  // A later search from one of these records needs only one step. A chain that leads in a circle stays a circle.
  for (const id of passed) before.set(id, parent);
  return parent;
}

interface Search {
  /** Returns the position of a parent, and marks it as a parent; -1 if there is none. */
  substituteFor(position: number, line: RecordLine): number;
}

/** @param up the parent of each record; -1 for a record whose parent is lost */
function createSearch(lines: readonly RecordLine[], up: Int32Array, names: LinkNames): Search {
  const kinds = lines.map(({ value }) => names.kindOf(value));
  const positions = new Map<unknown, number>();
  for (const [at, { value }] of lines.entries())
    if (!positions.has(value[names.id])) positions.set(value[names.id], at);
  /**
   * For each record, a record above it, or -1. Each walk shortens the path that it takes, because the same paths are
   * walked for every candidate.
   */
  const above = up.slice();
  const rootOf = (start: number): number => {
    let root = start;
    for (let next = above[root] ?? -1; next !== -1; next = above[root] ?? -1) root = next;
    for (let at = start; at !== root; ) {
      const next = above[at] ?? -1;
      above[at] = root;
      at = next;
    }
    return root;
  };
  const isFree = (other: number, position: number): boolean => rootOf(other) !== position;

  /** Finds the parent that the record itself names, else the one of its kind that comes before it. */
  function find(position: number, line: RecordLine): number {
    const hint = names.hintOf(line.value);
    const hinted = hint === null ? undefined : positions.get(hint);
    if (hinted !== undefined && isFree(hinted, position)) return hinted;
    for (let other = position - 1; other >= 0; other--) {
      if (kinds[other] === kinds[position] && isFree(other, position)) return other;
    }
    return -1;
  }

  return {
    substituteFor(position, line) {
      const parent = find(position, line);
      up[position] = parent;
      above[position] = parent;
      return parent;
    },
  };
}
