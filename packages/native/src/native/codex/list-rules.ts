/** The settings and the names by which Codex's own list chooses files. */

import { join, sep } from "node:path";
import { type Places, readSmallFile } from "@continuo/files";
import { providerIn } from "./own-list.ts";
import { codexHome } from "./places.ts";

export interface ListRules {
  /** The folder of sessions. */
  readonly folder: string;
  readonly provider: string;
}

export function rulesOf(places: Places): ListRules {
  const home = codexHome(places);
  return {
    folder: join(home, "sessions"),
    provider: providerIn(readSmallFile(join(home, "config.toml")) ?? ""),
  };
}

const LISTED_NAME =
  /^rollout-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_[0-9a-f-]{36})?\.jsonl(?:\.zst)?$/iu;

export function isListedName(name: string): boolean {
  return LISTED_NAME.test(name);
}

export function isDayFolder(path: string): boolean {
  const parts = path.split(sep);
  return parts.length === 4 && parts.slice(0, 3).every((part) => /^\d+$/u.test(part));
}
