/**
 * Keys that a project's file may not set before the person trusts it: they start programs, or decide which variables
 * these inherit and what agents may do. Pure.
 */

import type { FileAgent, FileContent } from "./schema.ts";

const GUARDED_KEYS: readonly (keyof FileAgent)[] = ["command", "args", "env", "transport", "permissions"];

export interface GuardedValue {
  readonly key: string;
  readonly value: unknown;
}

/** The guarded keys that a file sets, as paths, with their values. */
export function guardedIn({ env, agents = {} }: FileContent): readonly GuardedValue[] {
  const inherited = env === undefined ? [] : [{ key: "env", value: env }];
  const ofAgents = Object.entries(agents).flatMap(([name, settings]) =>
    GUARDED_KEYS.filter((key) => settings[key] !== undefined).map((key) => ({
      key: `agents.${name}.${key}`,
      value: settings[key],
    })),
  );
  return [...inherited, ...ofAgents];
}

export function withoutGuarded({ env: _, ...content }: FileContent): FileContent {
  if (content.agents === undefined) return content;
  const agents = Object.entries(content.agents).map(([name, settings]) => {
    const { command: _c, args: _a, env: _e, transport: _t, permissions: _p, ...harmless } = settings;
    return [name, harmless] as const;
  });
  return { ...content, agents: Object.fromEntries(agents) };
}
