/** The machine: its parts as one service. */

import type { Prices } from "../catalog/index.ts";
import type { ListQuery, MachineService } from "../wire/machine/index.ts";
import { createActions } from "./actions.ts";
import { changesOf } from "./changed.ts";
import { createChat } from "./chat/index.ts";
import { findByText } from "./found.ts";
import { growthOf } from "./growth.ts";
import { toHead } from "./head.ts";
import { healthOf } from "./health.ts";
import {
  changedFiles,
  changesOfFile,
  createHistories,
  outlineOf,
  tipWindow,
  windowOf,
} from "./history/index.ts";
import { pageOf, toFilter } from "./list.ts";
import type { Machine } from "./machine-parts.ts";
import { findNamed, locateNamed, ownKey } from "./named.ts";
import type { MachineOptions } from "./options.ts";
import { imageIn, textIn } from "./parts.ts";
import { createRowUsages, withUsage } from "./row-usage.ts";
import { createRowSource, type RowSource } from "./rows.ts";
import { seenFrom } from "./seen.ts";

export function createMachine(options: MachineOptions): MachineService {
  const machine = createParts(options);
  const { source, histories } = machine;
  const usages = createRowUsages(options);
  const chat = createChat({
    places: options.places,
    openStore: options.openStore,
    named: machine.named,
    keyOfOwn: (sessionId) => ownKey(sessionId, source),
  });
  return {
    async sessions(query) {
      const { rows, isWhole } = await rowsFor(query, source);
      const filter = toFilter(query);
      if (query.deleted === "only") return pageOf(rows.trashed.filter(filter), query, rows.notices);
      const found =
        query.text === undefined
          ? { sessions: [...rows.byKey.values()].map(({ shown }) => shown), notices: [] }
          : await findByText(query.text, rows, options);
      const page = pageOf(found.sessions.filter(filter), query, [...rows.notices, ...found.notices]);
      if (!isWhole) return { ...page, nextCursor: null, projects: [], agents: [], partial: true };
      return { ...page, sessions: withUsage(page.sessions, rows, usages) };
    },
    changed: (signal) => changesOf(source, usages, signal),
    async session(key, signal) {
      const named = await machine.named(key, signal);
      const prices = await options.prices();
      return await machine.withWhole({ key }, signal, (whole) => toHead(named, whole, prices));
    },
    async history(query, signal) {
      const asked = await machine.asked(query, signal);
      const tip = await histories.tip(asked);
      const window = tip === null ? null : tipWindow(tip, asked, query);
      return window ?? (await histories.withWhole(asked, signal, ({ kept }) => windowOf(kept, query, query)));
    },
    text: (query, signal) => machine.withWhole(query, signal, ({ kept }) => textIn(kept, query)),
    image: (query, signal) => machine.withWhole(query, signal, ({ kept }) => imageIn(kept, query)),
    growth: (query, signal) => growthOf(machine, query, signal),
    async outline(query, signal) {
      const seen = await seenFrom(machine, query, signal);
      return await machine.withWhole(query, signal, ({ kept }) => outlineOf(kept, query, seen));
    },
    changes: (query, signal) => machine.withWhole(query, signal, ({ kept }) => changedFiles(kept)),
    fileChanges: (query, signal) =>
      machine.withWhole(query, signal, ({ kept }) => changesOfFile(kept, query.path, query.after)),
    health: () => healthOf(machine, chat),
    actions: createActions(machine),
    chat,
    close: async () => {
      await chat.close();
      usages.close();
      histories.close();
    },
  };
}

/** All rows, but for a first answer that may do with the newest. */
async function rowsFor(
  { partial, cursor, text, deleted }: ListQuery,
  source: RowSource,
): ReturnType<RowSource["soon"]> {
  const isFirst = partial === "allow" && cursor === undefined && text === undefined && deleted !== "only";
  return isFirst ? await source.soon() : { rows: await source.rows(), isWhole: true };
}

function createParts(options: MachineOptions): Machine {
  const source = createRowSource(options.places);
  const histories = createHistories();
  const machine: Machine = {
    ...{ options, source, histories },
    named: (key, signal) =>
      findNamed(key, source, (parent) =>
        machine.withWhole({ key: parent }, signal, ({ details }) => details.subagents),
      ),
    async asked({ key, view = "history", branch }, signal) {
      const named = await machine.named(key, signal);
      const prices: Prices = await options.prices();
      return {
        ...{ key, view, prices, places: options.places },
        ...(branch === undefined ? {} : { branch }),
        locate: async () => await locateNamed(named, options.places),
      };
    },
    withWhole: async (name, signal, use) =>
      await histories.withWhole(await machine.asked(name, signal), signal, use),
  };
  return machine;
}
