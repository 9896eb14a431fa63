/** The choices of a new conversation, as the query of its address. Pure. */

import { CHAT_MODES, type ChatMode } from "@continuo/core/wire/machine";

export interface NewChoices {
  /** The folder as the person typed it; empty for the home folder. */
  readonly cwd: string;
  /** `null` for the agent of the configuration. */
  readonly agent: string | null;
  readonly mode: ChatMode | null;
}

/** Anybody can have written the address. */
export function newChoicesIn(hash: string): NewChoices {
  const query = new URLSearchParams(hash.split("?").slice(1).join("?"));
  return {
    cwd: query.get("cwd") ?? "",
    agent: query.get("agent"),
    mode: CHAT_MODES.find((mode) => mode === query.get("mode")) ?? null,
  };
}

export function newLink({ cwd, agent, mode }: NewChoices): string {
  const query = new URLSearchParams([
    ...(cwd === "" ? [] : [["cwd", cwd]]),
    ...(agent === null ? [] : [["agent", agent]]),
    ...(mode === null ? [] : [["mode", mode]]),
  ]);
  return query.size === 0 ? "#/new" : `#/new?${query}`;
}
