/** Reads the conversations with one version of an agent from the folder to which `make-fixtures --to` wrote them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Changes } from "./page.ts";
import { changesBetween, type Shape } from "./shape.ts";

/** Files next to a fixture that are used only for comparisons. */
export const HOME_SHAPES_FILE = "home-shapes.json";
export const SENT_SHAPE_FILE = "sent-shape.json";
export const FAILED_FILE = "failed.txt";
export const COMPARED_ALONE: readonly string[] = [HOME_SHAPES_FILE, SENT_SHAPE_FILE, FAILED_FILE];

export interface RecordingSummary {
  readonly cases: readonly string[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  /** Shapes by kind of file, over all conversations. */
  readonly home: Readonly<Record<string, Shape>>;
  readonly sent: Shape;
}

/** `folder` holds a folder for each conversation; only those in `names` are read, if `names` is given. */
export function readRecorded(
  folder: string,
  names: readonly string[] = readdirSync(folder).toSorted(),
): RecordingSummary {
  const failed = names.flatMap((name) => {
    const file = join(folder, name, FAILED_FILE);
    return existsSync(file) ? [{ name, reason: firstLine(readFileSync(file, "utf8")) }] : [];
  });
  const cases = names.filter((name) => !failed.some((one) => one.name === name));
  const homes = cases.map((name) => readJson<Record<string, Shape>>(join(folder, name, HOME_SHAPES_FILE)));
  const kinds = [...new Set(homes.flatMap((home) => Object.keys(home)))].toSorted();
  return {
    cases,
    failed,
    home: Object.fromEntries(kinds.map((kind) => [kind, merged(homes.map((home) => home[kind] ?? {}))])),
    sent: merged(cases.map((name) => readJson<Shape>(join(folder, name, SENT_SHAPE_FILE)))),
  };
}

/** The differences in files that both summaries have, by kind of file. */
export function writtenChanges(before: RecordingSummary, after: RecordingSummary): readonly Changes[] {
  return Object.entries(after.home).flatMap(([place, shape]) => {
    const old = before.home[place];
    return old === undefined ? [] : [{ place, changes: changesBetween(old, shape) }];
  });
}

function merged(shapes: readonly Shape[]): Shape {
  const kinds = new Map<string, Set<string>>();
  for (const [path, all] of shapes.flatMap((shape) => Object.entries(shape))) {
    kinds.set(path, new Set([...(kinds.get(path) ?? []), ...all]));
  }
  return Object.fromEntries([...kinds].map(([path, all]) => [path, [...all].toSorted()]));
}

function readJson<T>(path: string): T {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : ({} as T);
}

function firstLine(text: string): string {
  return text.split("\n")[0]?.slice(0, 300) ?? "";
}
