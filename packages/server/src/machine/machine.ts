/** The machine: its parts as one service. */

import { createKeptTexts, type KeptTexts, type ListedSession, type Prices } from "@continuo/agents/catalog";
import { tipWindow } from "@continuo/agents/pages";
import { present } from "@continuo/core/model";
import {
  isTrashKey,
  type MachineInbox,
  type MachineService,
  type MachineSession,
  type SessionHead,
} from "@continuo/core/wire/machine";
import { createActions } from "./actions.ts";
import { sessionsAtRisk } from "./at-risk.ts";
import { changesOf } from "./changed-files.ts";
import { type Chat, createChat } from "./chat/index.ts";
import { fileBlameOf } from "./file-blame.ts";
import { growthOf } from "./growth-events.ts";
import { sourceKeyOf } from "./hand-off-source.ts";
import { healthOf } from "./health.ts";
import { createInbox } from "./inbox/index.ts";
import { createKnownFacts } from "./known-facts.ts";
import type { Machine } from "./machine-parts.ts";
import { takeMirror } from "./mirror.ts";
import type { MachineOptions } from "./options.ts";
import { createHistoryReader } from "./read-history.ts";
import { createRowUsages, type RowUsages } from "./row-usage.ts";
import { createRowSource } from "./rows.ts";
import { ownKey, resolveSession } from "./session-lookup.ts";
import { sessionsPage } from "./sessions-page.ts";
import { createTextSearches } from "./text-searches.ts";
import { createTrashedSessions } from "./trash-sessions.ts";

export function createMachine(options: MachineOptions): MachineService {
  const kept = createKeptTexts(options.places);
  const machine = createParts(options, kept);
  const { source, reading } = machine;
  const facts = createKnownFacts(options.places);
  const usages = createRowUsages(options, facts);
  const searches = createTextSearches(options, { kept });
  const chat = createChat({
    places: options.places,
    openStore: options.openStore,
    named: machine.named,
    keyOfOwn: (sessionId) => ownKey(sessionId, source),
  });
  return {
    sessions: (query, signal, figures = "read") =>
      sessionsPage(query, { source, searches, usages, figures, ...present({ signal }) }),
    changed: (signal) => changesOf(source, usages, signal),
    async session(key, signal) {
      const named = await machine.named(key, signal);
      const args = { named, prices: await options.prices() };
      const head = await withSpent(await machine.ask("head", { key }, args, signal), named.row, usages);
      facts.keep(named.row, { head });
      return { ...head, handedOverFrom: await sourceKeyOf(machine, named.row, signal) };
    },
    async known(key, signal) {
      const { row, shown } = await machine.named(key, signal);
      const { head, outline } = await facts.of(row);
      const session = { ...shown, ...usages.of(row) };
      return { session, head: head === null ? null : withRow(head, shown), outline };
    },
    branches: (key, signal) => machine.ask("branches", { key }, null, signal),
    async history(query, signal) {
      const asked = await machine.asked(query, signal);
      const tip = await reading.tip(asked, query.before);
      const window = tip === null ? null : tipWindow(tip, asked, query);
      return window ?? (await reading.ask("window", asked, query, signal));
    },
    text: (query, signal) => machine.ask("text", query, query, signal),
    image: (query, signal) => machine.ask("image", query, query, signal),
    growth: (query, signal) => growthOf(machine, query, signal),
    async outline(query, signal) {
      const outline = await machine.ask("outline", query, query, signal);
      if (isNewest(query)) facts.keep((await machine.named(query.key, signal)).row, { outline });
      return outline;
    },
    facts: (query, signal) => machine.ask("facts", query, null, signal),
    find: (query, signal) => machine.ask("find", query, query, signal),
    changes: (query, signal) => machine.ask("changes", query, null, signal),
    fileChanges: (query, signal) => machine.ask("fileChanges", query, query, signal),
    fileBlame: (path, signal) => fileBlameOf(path, { source, options, signal }),
    health: () => healthOf(machine, chat),
    atRisk: (signal) => sessionsAtRisk(machine, signal),
    usage: ({ since }) => options.usage(since),
    mirror: (connection) => takeMirror(connection, options.places),
    actions: createActions(machine),
    chat,
    inbox: inboxOf(machine, chat, usages),
    close: async () => {
      await machine.trashed.close();
      await searches.close();
      await chat.close();
      usages.close();
      await facts.settled();
      await reading.close();
    },
  };
}

function inboxOf({ options, source }: Machine, chat: Chat, usages: RowUsages): MachineInbox {
  return createInbox({
    places: options.places,
    chat,
    rows: async () => (await source.rows()).byKey,
    lastWords: (rows) => {
      usages.want(rows, "read");
      return rows.map((row) => usages.of(row).facts?.lastWords ?? null);
    },
  });
}

/** Returns true for the outline that the next server shows before it has read the session. */
function isNewest({ before, branch, view, prints }: Parameters<MachineService["outline"]>[0]): boolean {
  return [before, branch, prints].every((one) => one === undefined) && view !== "model";
}

/** The usage of a session covers all of its branches, as in its row of the list. */
async function withSpent(head: SessionHead, row: ListedSession, usages: RowUsages): Promise<SessionHead> {
  if (head.branches.length < 2 && head.forkedFrom === null) return head;
  const { turns, tokens, costUsd } = await usages.read(row);
  if (turns === null) return head;
  return { ...head, session: { ...head.session, turns, tokens, costUsd }, costUsd };
}

/** Returns the head of the last read with the present row. The row lacks the facts of that read, so they stay. */
function withRow(head: SessionHead, shown: MachineSession): SessionHead {
  const { model, turns, tokens, costUsd, facts } = head.session;
  return { ...head, session: { ...shown, model, turns, tokens, costUsd, facts } };
}

function createParts(options: MachineOptions, kept: KeptTexts): Machine {
  const source = createRowSource(options.places, kept.forget);
  const reading = createHistoryReader();
  const machine: Machine = {
    options,
    source,
    reading,
    trashed: createTrashedSessions(source, options.places),
    named: async (key, signal) =>
      isTrashKey(key)
        ? await machine.trashed.named(key)
        : await resolveSession(key, source, (parent) =>
            machine.ask("subagents", { key: parent }, null, signal),
          ),
    async asked({ key, view = "history", branch }, signal) {
      const named = await machine.named(key, signal);
      const prices: Prices = await options.prices();
      return { key, row: named.row, view, places: options.places, prices, ...present({ branch }) };
    },
    ask: async (question, name, args, signal) =>
      await reading.ask(question, await machine.asked(name, signal), args, signal),
  };
  return machine;
}
