/**
 * Settings of Gemini CLI that decide what it deletes: `general.sessionRetention`. The administrator's file wins, then
 * the project's, then the person's, then the administrator's file of defaults. Gemini CLI ignores a project's settings
 * if it does not trust the folder, but here they count.
 */

import { join } from "node:path";
import { entryOf, isJson, type Json, type Places, parseCommented, readSmallFile } from "@continuo/files";

export interface Retention {
  readonly enabled: boolean;
  /** `null`: sessions are not deleted because of their age. */
  readonly maxAgeMs: number | null;
  /** The value in the settings: `30d`. */
  readonly maxAge: string;
  /** The number of newest sessions of a project that are kept; `null` for any number. */
  readonly maxCount: number | null;
}

const DEFAULT_MAX_AGE = "30d";
const DEFAULT_MIN_AGE = "1d";
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS };

/** @param cwd `null` if the project is not known. */
export function readRetention(config: string, cwd: string | null, env: Places["env"] = {}): Retention {
  const layers = [
    env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH ?? join(systemFolder(), "system-defaults.json"),
    personalSettings(config),
    ...(cwd === null ? [] : [join(cwd, ".gemini", "settings.json")]),
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? join(systemFolder(), "settings.json"),
  ];
  return toRetention(Object.assign({}, ...layers.map(retentionIn)));
}

export function personalSettings(config: string): string {
  return join(config, "settings.json");
}

function systemFolder(): string {
  return process.platform === "darwin" ? "/Library/Application Support/GeminiCli" : "/etc/gemini-cli";
}

/** With invalid settings, Gemini CLI deletes nothing (0.61.0). */
export function toRetention(settings: Json): Retention {
  const maxAge = typeof settings.maxAge === "string" ? settings.maxAge : DEFAULT_MAX_AGE;
  const minAge = typeof settings.minRetention === "string" ? settings.minRetention : DEFAULT_MIN_AGE;
  const maxAgeMs = periodOf(maxAge);
  const minAgeMs = periodOf(minAge) ?? DAY_MS;
  const maxCount = typeof settings.maxCount === "number" ? settings.maxCount : null;
  const makesSense = maxAgeMs !== null && maxAgeMs >= minAgeMs && (maxCount ?? 1) >= 1;
  return { enabled: settings.enabled !== false && makesSense, maxAgeMs, maxAge, maxCount };
}

function periodOf(text: string): number | null {
  const [, value, unit] = /^(\d+)([dhwm])$/u.exec(text) ?? [];
  const ms = Number(value) * (entryOf(UNIT_MS, unit ?? "") ?? Number.NaN);
  return ms > 0 ? ms : null;
}

function retentionIn(path: string): Json {
  const text = readSmallFile(path);
  const settings = text === null ? null : parseCommented(text);
  const general = settings === null ? null : settings.general;
  const retention = isJson(general) ? general.sessionRetention : null;
  return isJson(retention) ? retention : {};
}
