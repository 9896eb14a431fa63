/**
 * The actions on sessions while the picker stays open. Most of them run the command of the same name, and each results
 * in one message.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type LeftOutSession, nameOf } from "@continuo/agents/catalog";
import { type AgentName, isContinuoError } from "@continuo/core/model";
import { isFolder } from "@continuo/files";
import { handoffWork } from "../handoff/index.ts";
import {
  deleteWork,
  type ExportFormat,
  exportWork,
  forkWork,
  renameWork,
  restoreWork,
} from "../session/index.ts";
import { plural, type Shell } from "../terminal/index.ts";
import { bringBack } from "./bring-back.ts";
import { capture } from "./capture.ts";
import type { PickEntry } from "./filter.ts";
import type { FullScreen } from "./screen.ts";
import type { PerformEffect } from "./state.ts";

export interface ActResult {
  readonly message: string;
  /** The list has changed. */
  readonly isChanged: boolean;
  /** The location of the new session. */
  readonly chosen?: string;
}

export interface Performer {
  /** Never throws for an expected failure: the message says what failed. */
  perform(effect: PerformEffect): Promise<ActResult>;
}

/** @param hidden the sessions that their agents leave out, by location, as far as they are known */
export function createPerformer(
  screen: FullScreen,
  shell: Shell,
  hidden: () => ReadonlyMap<string, LeftOutSession>,
): Performer {
  /** For each deletion or change, the names of its sessions in the trash; the newest comes last. */
  const trashed: (readonly string[])[] = [];
  const all = {
    copy,
    export: exportAll,
    handoff,
    fork,
    rename,
    delete: remove,
    "bring back": back,
    undo,
  } as const;
  return {
    async perform(effect) {
      try {
        return await all[effect.action](effect, { screen, shell, trashed, hidden: hidden() });
      } catch (error) {
        if (!isContinuoError(error)) throw error;
        return { message: `cannot ${ACTION_WORDS[effect.action]}: ${error.message}`, isChanged: true };
      }
    },
  };
}

export const ACTION_WORDS: Readonly<Record<PerformEffect["action"], string>> = {
  copy: "copy the id",
  export: "export",
  handoff: "hand over",
  fork: "fork",
  rename: "rename",
  delete: "delete",
  "bring back": "bring back",
  undo: "undo",
};

interface Tools {
  readonly screen: FullScreen;
  readonly shell: Shell;
  readonly trashed: (readonly string[])[];
  readonly hidden: ReadonlyMap<string, LeftOutSession>;
}

type Act = (effect: PerformEffect, tools: Tools) => Promise<ActResult>;

const copy: Act = async ({ entries }, { screen }) => {
  const ids = entries.map(({ info }) => info.sessionId).join(" ");
  // OSC 52: the terminal puts it into the clipboard of the person in front of it, also through ssh.
  screen.send(`\u001b]52;c;${Buffer.from(ids).toString("base64")}\u0007`);
  const what = entries.length === 1 ? ids : plural(entries.length, "id");
  return { message: `copied ${what}, if the terminal allows it`, isChanged: false };
};

/**
 * Acts on one session after the other, until one fails. Errors: those of the act if the first one fails; then nothing
 * has changed.
 */
async function onEach<T>(
  entries: readonly PickEntry[],
  act: (entry: PickEntry) => Promise<T>,
): Promise<{ readonly made: readonly T[]; readonly failure: string }> {
  const made: T[] = [];
  for (const entry of entries) {
    try {
      made.push(await act(entry));
    } catch (error) {
      if (!isContinuoError(error) || made.length === 0) throw error;
      const failure = `; ${made.length} of ${entries.length}, then ${nameOf(entry.info)} failed: ${error.message}`;
      return { made, failure };
    }
  }
  return { made, failure: "" };
}

const exportAll: Act = async ({ entries, value }, { shell }) => {
  const { made: names, failure } = await onEach(entries, async ({ info }) => {
    const base = `${info.agent}-${info.sessionId.replace(/[^\w.-]/gu, "_").slice(0, 40)}`;
    const output = freeName(base, value, shell);
    await capture(shell, (quiet) =>
      exportWork(nameOf(info), { format: value as ExportFormat, output }, quiet),
    );
    return output;
  });
  const [only] = names;
  const what = names.length === 1 ? only : `${plural(names.length, "file")} of this folder`;
  return { message: `exported to ${what}${failure}`, isChanged: false };
};

/** Returns a file name that does not exist in the current folder. */
function freeName(base: string, ending: string, { cwd }: Shell): string {
  for (let number = 1; ; number++) {
    const name = `${base}${number === 1 ? "" : `-${number}`}.${ending}`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
}

/** A new session in the form of `--json`. */
interface NewSession {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
}

const handoff: Act = async ({ entries, value }, { shell }) => {
  const to = value as AgentName;
  let moved = 0;
  const { made, failure } = await onEach(entries, async ({ info }) => {
    const wish = hasFolder(info) ? { to } : { to, cwd: shell.cwd };
    const { text } = await capture(shell, (quiet) => handoffWork(nameOf(info), wish, quiet));
    if (wish.cwd !== undefined) moved += 1;
    return JSON.parse(text) as NewSession & { readonly receipt: { readonly dropped: number } };
  });
  const lost = made.reduce((sum, { receipt }) => sum + receipt.dropped, 0);
  const loss = lost === 0 ? "" : `; ${plural(lost, "part")} left out`;
  const place =
    moved === 0 ? "" : `; ${made.length === 1 ? "" : `${moved} `}in this folder, as the old one is gone`;
  return describeMade("handed over", made, `${place}${loss}${failure}`);
};

/** A session whose folder no longer exists cannot be continued there. */
export function hasFolder({ cwd }: PickEntry["info"]): boolean {
  return cwd !== null && isFolder(cwd);
}

const fork: Act = async ({ entries }, { shell }) => {
  const { made, failure } = await onEach(entries, async ({ info }) => {
    const { text } = await capture(shell, (quiet) => forkWork(nameOf(info), quiet));
    return JSON.parse(text) as NewSession;
  });
  return describeMade("forked", made, failure);
};

function describeMade(done: string, made: readonly NewSession[], more: string): ActResult {
  const [only] = made;
  if (only === undefined || made.length > 1) {
    return { message: `${done}: ${plural(made.length, "new session")}${more}`, isChanged: true };
  }
  return {
    message: `${done}: ${only.agent}:${only.sessionId} is selected, r resumes it${more}`,
    isChanged: true,
    chosen: only.location,
  };
}

const rename: Act = async ({ entries, value }, { shell }) => {
  const { failure } = await onEach(entries, ({ info }) =>
    capture(shell, (quiet) => renameWork(nameOf(info), value, quiet)),
  );
  return { message: `renamed to ${value}${failure}`, isChanged: true };
};

/** A session in the form of `session delete --json`. */
interface DeleteOutcome {
  readonly trashed: { readonly agent: string; readonly sessionId: string } | null;
  readonly deleted: unknown;
  readonly error: { readonly message: string } | null;
}

const remove: Act = async ({ entries }, { shell, trashed }) => {
  const names = entries.map(({ info }: PickEntry) => nameOf(info));
  const { text } = await capture(shell, (quiet) => deleteWork(names, quiet));
  const outcomes = JSON.parse(text) as readonly DeleteOutcome[];
  const moved = outcomes.flatMap((one) => one.trashed ?? []);
  const gone = outcomes.filter((one) => one.deleted !== null).length;
  const failed = outcomes.flatMap((one) => one.error ?? []);
  if (moved.length > 0) trashed.push(moved.map(({ agent, sessionId }) => `${agent}:${sessionId}`));
  const parts = [
    ...(moved.length === 0 ? [] : [`moved ${plural(moved.length, "session")} to the trash, u takes it back`]),
    ...(gone === 0 ? [] : [`deleted ${gone} of Continuo's own`]),
    ...failed.map(({ message }) => `not deleted: ${message}`),
  ];
  return { message: parts.join("; "), isChanged: true };
};

const back: Act = async ({ entries }, { shell, trashed, hidden }) => {
  const undone: string[] = [];
  try {
    const { made, failure } = await onEach(entries, async ({ info }) => {
      const { trashId, newLocation } = await bringBack(hidden.get(info.location), shell);
      undone.push(trashId);
      return newLocation;
    });
    const [only] = made;
    const message = `${plural(made.length, "session is", "sessions are")} in the agent's list, u takes it back${failure}`;
    return { message, isChanged: true, ...(made.length === 1 && only !== undefined ? { chosen: only } : {}) };
  } finally {
    if (undone.length > 0) trashed.push(undone);
  }
};

const undo: Act = async (_, { shell, trashed }) => {
  const names = trashed.pop();
  if (names === undefined) return { message: "nothing was deleted or brought back here", isChanged: false };
  const left = [...names];
  let chosen: string | undefined;
  while (left.length > 0) {
    const [name = ""] = left;
    try {
      const { text } = await capture(shell, (quiet) => restoreWork(name, quiet));
      chosen = (JSON.parse(text) as NewSession).location;
      left.shift();
    } catch (error) {
      // Another try undoes the rest.
      trashed.push(left);
      if (!isContinuoError(error) || chosen === undefined) throw error;
      const count = `restored ${names.length - left.length} of ${plural(names.length, "session")}`;
      return { message: `${count}, then ${name} failed: ${error.message}`, isChanged: true, chosen };
    }
  }
  const message = `restored ${plural(names.length, "session")}`;
  return chosen === undefined ? { message, isChanged: true } : { message, isChanged: true, chosen };
};
