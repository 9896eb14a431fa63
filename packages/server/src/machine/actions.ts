/** Actions on a session: the use cases of the commands, by keys. The next list shows what they made or changed. */

import {
  emptyOwnTrash,
  forkOwn,
  type LocatedSession,
  type LookUpHit,
  markSession,
  type OpenOwn,
  OWN,
  openOwnAgain,
  openReadable,
  renameOwn,
  restoreOwn,
  setArchived,
  trashOwn,
} from "@continuo/agents/catalog";
import { handOver } from "@continuo/agents/conversations";
import type { HandOff } from "@continuo/agents/handoff";
import { type AgentName, ContinuoError, isAgentName, present } from "@continuo/core/model";
import type {
  ForkAnswer,
  HandOffAnswer,
  HandOffRequest,
  MachineActions,
  MachineSession,
} from "@continuo/core/wire/machine";
import { type Places, placesOf } from "@continuo/files";
import {
  emptyTrash,
  forkNativeSession,
  refuseOpen,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
} from "@continuo/native/editing";
import { lockNative } from "@continuo/native/writing";
import { toPreview, toRepairAnswer } from "./answers.ts";
import { bringBack } from "./at-risk.ts";
import { createExportArchive, createExportFile } from "./export-file.ts";
import type { Machine } from "./machine-parts.ts";
import { resumeAnswer, resumeOf } from "./resume.ts";
import { findMade, type KeyedSession, locateNamed } from "./session-lookup.ts";
import { notInTrash, refuseTrashed } from "./trash-sessions.ts";

export function createActions(machine: Machine): MachineActions {
  const { options, source } = machine;
  const places = placesOf(options.places);
  const located = async (key: string, signal: AbortSignal): Promise<LookUpHit> =>
    await locateNamed(await machine.named(key, signal), options.places);
  /** A sub-agent is part of the session that started it, so it cannot be changed by itself. */
  const whole = async (key: string, signal: AbortSignal): Promise<KeyedSession> => {
    refuseTrashed(key);
    const named = await machine.named(key, signal);
    if (named.parentKey === null) return named;
    throw new ContinuoError("unsupported", "a sub-agent is a part of the session that started it", {
      hint: "Open the session that started it.",
    });
  };
  const changeable = async (key: string, signal: AbortSignal): Promise<LookUpHit> =>
    await locateNamed(await whole(key, signal), options.places);
  const rowNow = async (key: string): Promise<MachineSession> => {
    source.forget();
    return (await machine.named(key, new AbortController().signal)).shown;
  };
  const made = async (one: NewSessionRef): Promise<MachineSession | null> => await findMade(one, source);
  const handedOver = async (
    until: "receipt" | "written",
    key: string,
    { to, cwd, maxMessages }: HandOffRequest,
    signal: AbortSignal,
  ): Promise<HandOff> => {
    const part = maxMessages === undefined ? {} : { maxMessages };
    return await handOver(
      await located(key, signal),
      present({
        places: options.places,
        cwd,
        options: { ...part, to: toAgentName(to), places, until, signal },
      }),
    );
  };
  return {
    ...resumes(machine, changeable),
    ...trashActions(machine, { changeable, made }),
    async rename(key, { title }, signal) {
      const hit = await changeable(key, signal);
      if (hit.kind === "native") await renameNativeSession(hit.native.found, title, { places, signal });
      else await withOwn(machine, (own) => renameOwn(hit.row, title, own));
      return await rowNow(key);
    },
    async mark(key, request, signal) {
      const { row } = await whole(key, signal);
      await markSession(row, request, { places, signal });
      return await rowNow(key);
    },
    async archive(key, { archived }, signal) {
      await setArchived(await changeable(key, signal), archived, { places, signal });
      return await rowNow(key);
    },
    async fork(key, { at }, signal) {
      const fork = await forked(machine, await changeable(key, signal), at, signal);
      return { session: await made(fork.made), ...fork.answer };
    },
    async repair(key, write, signal) {
      const hit = await changeable(key, signal);
      if (hit.kind === "own") throw ownIsNotRepaired(hit.row.sessionId);
      const wish = write === "in place" ? { write } : {};
      const repair = await repairNativeSession(hit.native.found, { places, signal, ...wish });
      if (write !== "preview") source.forget();
      return toRepairAnswer(repair);
    },
    bringBack: (key, write, signal) => bringBack(machine, key, { write, signal }),
    export: async (key, wish, signal) => createExportFile(await located(key, signal), wish, options),
    exportAll: ({ keys, ...wish }, signal) => {
      const hits = async function* (): AsyncGenerator<LookUpHit, void, void> {
        for (const key of keys) yield await located(key, signal);
      };
      return createExportArchive(hits(), wish, options);
    },
    handOffPreview: async (key, wish, signal) => toPreview(await handedOver("receipt", key, wish, signal)),
    handOff: async (key, wish, signal) =>
      await toAnswer(await handedOver("written", key, wish, signal), made),
  };
}

function resumes(
  { options: { places, windows } }: Machine,
  changeable: (key: string, signal: AbortSignal) => Promise<LookUpHit>,
): Pick<MachineActions, "resume" | "openTerminal"> {
  return {
    resume: async (key, signal) => ({
      ...(await resumeOf(await changeable(key, signal), places)),
      terminal: windows.terminal(),
    }),
    openTerminal: async (key, signal) => {
      const hit = await changeable(key, signal);
      const command = await resumeOf(hit, places);
      // Each of the two agents would miss the messages of the other one. Commands on one of Continuo's own sessions
      // take turns.
      if (hit.kind === "native") await refuseElsewhere(hit.native, placesOf(places));
      return { terminal: await windows.open(command) };
    },
  };
}

/** Refuses a session that is open in its agent or in a conversation of Continuo. Errors: `session_live`. */
async function refuseElsewhere(native: LocatedSession, places: Places): Promise<void> {
  await refuseOpen(native);
  const { agent, sessionId } = native.found;
  (await lockNative({ agent, sessionId, places })).release();
}

interface TrashParts {
  readonly changeable: (key: string, signal: AbortSignal) => Promise<LookUpHit>;
  readonly made: (one: NewSessionRef) => Promise<MachineSession | null>;
}

function trashActions(
  machine: Machine,
  { changeable, made }: TrashParts,
): Pick<MachineActions, "delete" | "emptyTrash" | "restore"> {
  const { options, source } = machine;
  const places = placesOf(options.places);
  /** A change that fails may have moved a part: the next list is made again in any case. */
  const change = async <T>(make: () => Promise<T>): Promise<T> => {
    try {
      return await make();
    } finally {
      source.forget();
    }
  };
  return {
    async delete(key, signal) {
      const hit = await changeable(key, signal);
      const moving = { places, now: new Date(), signal };
      const { trashId } = await change(async () =>
        hit.kind === "native"
          ? await trashNativeSession(toRef(hit), moving)
          : await withOwn(machine, (own) => trashOwn(hit.row, own, moving)),
      );
      return { trashId };
    },
    async emptyTrash() {
      return await change(async () => {
        // If the store cannot be opened, the list reports it.
        await using own = (await openReadable(options.places)).store;
        // Own sessions are first, because the store can refuse: native ones then stay too.
        const { deleted, stayed } = own === null ? { deleted: [], stayed: [] } : await emptyOwnTrash(own);
        return { sessions: deleted.length + emptyTrash({ places }).length, stayed: stayed.length };
      });
    },
    async restore(trashId) {
      const row = (await source.rows()).trashed.find((one) => one.trashId === trashId);
      if (row === undefined) throw notInTrash(trashId);
      const moving = { places, now: new Date() };
      const { info } = await change(async () =>
        row.agent === OWN
          ? await withOwn(machine, (own) => restoreOwn(trashId, own, moving))
          : await restoreNativeSession(trashId, moving),
      );
      return await made(info);
    },
  };
}

interface NewSessionRef {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
}

/** Errors: `invalid`. */
function toAgentName(name: string): AgentName {
  if (isAgentName(name)) return name;
  throw new ContinuoError(
    "invalid",
    `there is no agent ${JSON.stringify(name)} for which Continuo can write sessions`,
  );
}

async function toAnswer(
  handOff: HandOff,
  made: (one: NewSessionRef) => Promise<MachineSession | null>,
): Promise<HandOffAnswer> {
  const { agent, sessionId, location, resumeCommand, cwd, verification } = handOff;
  if (sessionId === null || location === null || resumeCommand === null) {
    throw new Error("a session that was written has a place");
  }
  return {
    ...toPreview(handOff),
    session: await made({ agent, sessionId, location }),
    sessionId,
    location,
    verifiedBy: verification?.by ?? null,
    resume: resumeAnswer(cwd, resumeCommand),
  };
}

interface ForkResult {
  readonly made: NewSessionRef;
  readonly answer: Omit<ForkAnswer, "session">;
}

async function forked(
  machine: Machine,
  hit: LookUpHit,
  at: string | undefined,
  signal: AbortSignal,
): Promise<ForkResult> {
  const { places } = machine.options;
  if (hit.kind === "native") {
    const wish = at === undefined ? {} : { at };
    const fork = await forkNativeSession(hit.native.found, { places: placesOf(places), signal, ...wish });
    const { sessionId, messages, cwd, resumeCommand } = fork;
    return { made: fork, answer: { sessionId, messages, resume: resumeAnswer(cwd, resumeCommand) } };
  }
  const { agent } = hit.row;
  return await withOwn(machine, async (own) => {
    const { session, messages } = await forkOwn(hit.row, own, at);
    const { sessionId } = session;
    const resume = await resumeOf({ kind: "own", row: { ...hit.row, sessionId } }, places);
    const location = `${own.location}#${sessionId}`;
    return { made: { agent, sessionId, location }, answer: { sessionId, messages, resume } };
  });
}

async function withOwn<T>({ options }: Machine, use: (own: OpenOwn) => Promise<T>): Promise<T> {
  await using own = await openOwnAgain(options.places);
  return await use(own);
}

function toRef({ native }: Extract<LookUpHit, { kind: "native" }>): Parameters<typeof trashNativeSession>[0] {
  const { agent, sessionId, location } = native.found;
  return { agent, sessionId, location, cwd: null };
}

function ownIsNotRepaired(sessionId: string): ContinuoError {
  return new ContinuoError("unsupported", `cannot repair session ${sessionId}: it is Continuo's own`, {
    hint: "Run `continuo store restore` to restore a backup of the store.",
  });
}
