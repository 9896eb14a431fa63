/**
 * A shape has the fields of values, their kinds, and their words, so that two versions of an agent can be compared.
 * Ids, times, numbers, sentences and the random names of Claude Code (`slug`) differ from run to run and are left out.
 * Pure.
 */

/** Kinds by path, such as `line<user>.message.content[]<text>.text` → `string`; a word is `"such"`. Sorted. */
export type Shape = Readonly<Record<string, readonly string[]>>;

/** Deeper values are `…`. */
const MAX_DEPTH = 24;
/**
 * If a field has more different words than this in both shapes together, its words are names and not states, and only
 * their kind is compared.
 */
const MAX_WORDS = 8;

export class ShapeBuilder {
  readonly #kinds = new Map<string, Set<string>>();

  add(path: string, value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) {
      this.#note(path, "…");
    } else if (Array.isArray(value)) {
      this.#note(path, "list");
      for (const item of value) this.add(`${path}[]`, item, depth + 1);
    } else if (typeof value === "object" && value !== null) {
      const place = `${path}${markOf(value)}`;
      this.#note(place, "object");
      for (const [key, field] of Object.entries(value))
        this.add(`${place}.${stableName(key)}`, field, depth + 1);
    } else {
      this.#note(path, path.endsWith(".slug") ? typeof value : kindOf(value));
    }
  }

  shape(): Shape {
    const sorted = [...this.#kinds].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([path, kinds]) => [path, [...kinds].toSorted()]));
  }

  #note(path: string, kind: string): void {
    const kinds = this.#kinds.get(path);
    if (kinds === undefined) this.#kinds.set(path, new Set([kind]));
    else kinds.add(kind);
  }
}

/** Records of one file have different meanings by their `type`, and so do objects within them. */
function markOf(value: object): string {
  const { type, role } = value as { type?: unknown; role?: unknown };
  const mark = isWord(type) ? type : isWord(role) ? role : undefined;
  return mark === undefined ? "" : `<${mark}>`;
}

/** The name of a file, folder or key, with `*` for parts that differ from run to run. */
export function stableName(name: string): string {
  return name
    .replaceAll(/(continuo-agents-)[A-Za-z0-9]{6}/gu, "$1*")
    .replaceAll(/(snapshot-[a-z]+-\d+-)[a-z0-9]+/gu, "$1*")
    .replaceAll(/(codex-arg\d)[A-Za-z0-9]+/gu, "$1*")
    .replaceAll(/(?:ses|msg|prt|evt|toolu|call|fc|rs)_[A-Za-z0-9]+/gu, "*")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/giu, "*")
    .replaceAll(/[0-9a-f]{7,}/giu, "*")
    .replaceAll(/\d+/gu, "*")
    .replaceAll(/\*(?:[-_.:TZ]*\*)+/gu, "*");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return isWord(value) ? `"${value}"` : typeof value;
}

/** True for a state, a tool or a model; false for a sentence or an id. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z]+(?:[-_/][A-Za-z]+)*$/u.test(value) && value.length <= 40;
}

/** A difference at one path; an empty list means that one side does not have the path. */
export interface Change {
  readonly path: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** In the order of the paths. If a whole path is new or gone, only that path is listed, and nothing below it. */
export function changesBetween(before: Shape, after: Shape): readonly Change[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const changes = paths
    .map((path) => withFewWords({ path, before: before[path] ?? [], after: after[path] ?? [] }))
    .filter((change) => change.before.join() !== change.after.join());
  const whole = changes.filter(isNewOrGone);
  return changes.filter(
    (change) => !whole.some((above) => isBelow(change.path, above.path) && isSameWay(change, above)),
  );
}

function withFewWords({ path, before, after }: Change): Change {
  const words = new Set([...before, ...after].filter((kind) => kind.startsWith('"')));
  if (words.size <= MAX_WORDS) return { path, before, after };
  const asNames = (kinds: readonly string[]) => [
    ...new Set(kinds.map((kind) => (kind.startsWith('"') ? "string" : kind))),
  ];
  return { path, before: asNames(before), after: asNames(after) };
}

function isNewOrGone({ before, after }: Change): boolean {
  return before.length === 0 || after.length === 0;
}

function isSameWay(change: Change, above: Change): boolean {
  return change.before.length === 0 ? above.before.length === 0 : above.after.length === 0;
}

function isBelow(path: string, above: string): boolean {
  return path !== above && path.startsWith(above) && /^[.[<]/u.test(path.slice(above.length));
}
