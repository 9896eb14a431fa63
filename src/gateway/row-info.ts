/** Rows of the list, with the ids by which editors know them, and the facts that the protocol reports about each. */

import type { SessionInfo } from "@agentclientprotocol/sdk/unstable";
import {
  isOwn,
  type ListedSession,
  nativeKey,
  type OwnRow,
  ownersByName,
  type Prices,
  type RowFigures,
  readRowFigures,
} from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { canonicalFolder, type PlacesAt, placesOf } from "@continuo/files";
import { ownId } from "./ids.ts";

export interface NamedRow {
  readonly row: ListedSession;
  readonly id: string;
  /** The id of the session that this one was forked from, if that is a session of Continuo's. */
  readonly ownSourceId?: string;
}

/** `_meta.continuo` of a row. A fact that is not known without reading the session is left out. */
export interface RowMeta {
  /** The agent that answered last; `null` if no record names it. */
  readonly agent: string | null;
  /** The folder that the session itself names. */
  readonly cwd: string | null;
  readonly gitBranch?: string;
  /** True if the session is open in its agent. */
  readonly live?: boolean;
  readonly health?: RowHealth;
  /** The cost of all branches, as the agent reports it or else by list prices. */
  readonly costUsd?: number;
  /** The id of the session that this one was forked from, as in this list. */
  readonly forkedFrom?: string;
}

export interface RowHealth {
  /** Codes of the known problems. An empty list means that the whole session was read, and has no problem. */
  readonly problems?: readonly string[];
  /** The machine on which the session continues since it was moved there: `ssh://HOST`. */
  readonly movedTo?: string;
}

/** One row for each conversation, with an id that no other row has. */
export function namedRows(rows: readonly ListedSession[], own: readonly OwnRow[]): readonly NamedRow[] {
  const owners = ownersByName(own);
  const ids = new Map(own.map((row) => [row.sessionId, idOfOwn(row, owners)]));
  return rows.flatMap((row): NamedRow[] => {
    if (isOwn(row)) {
      const id = ids.get(row.sessionId) ?? idOfOwn(row, owners);
      return [{ row, id, ...present({ ownSourceId: ids.get(row.forkedFrom ?? "") }) }];
    }
    const key = nativeKey(row);
    // The conversation that was imported from this native session already has a row.
    return owners.has(key) ? [] : [{ row, id: key }];
  });
}

function idOfOwn({ importedFrom, sessionId }: OwnRow, owners: ReadonlyMap<string, OwnRow>): string {
  const key = importedFrom === null ? null : nativeKey(importedFrom);
  return key !== null && owners.get(key)?.sessionId === sessionId ? key : ownId(sessionId);
}

export interface InfoSources {
  readonly places: PlacesAt;
  /** `null` if they cannot be read: no row has a cost then. */
  readonly prices: Prices | null;
}

/** Called only for the rows of a page, because it looks at the files and folders of each. */
export async function infosOf(
  rows: readonly NamedRow[],
  { places, prices }: InfoSources,
): Promise<readonly SessionInfo[]> {
  const sources = { places: placesOf(places), prices };
  const figures = await readRowFigures(
    rows.map(({ row }) => row),
    sources,
  );
  return rows.map((one, at) => infoOf(one, figures[at] ?? {}, places));
}

function infoOf(named: NamedRow, figures: RowFigures, { home }: PlacesAt): SessionInfo {
  const { title, updatedAt, archived, cwd } = named.row;
  return {
    sessionId: named.id,
    // The protocol requires a folder. If the session names none, this is the home, and `_meta` has `null`.
    cwd: cwd === null ? home : canonicalFolder(cwd),
    ...present({ title: title ?? undefined, updatedAt: updatedAt ?? undefined }),
    archived,
    _meta: { continuo: metaOf(named, figures) },
  };
}

function metaOf({ row, ownSourceId }: NamedRow, { costUsd, problems, forkOrigin }: RowFigures): RowMeta {
  const { gitBranch, live, cwd, movedTo } = row;
  const health: RowHealth = present({ problems, movedTo: movedTo?.machine });
  return {
    agent: isOwn(row) ? row.lastAgent : row.agent,
    cwd,
    ...present({
      gitBranch: gitBranch ?? undefined,
      live: live ?? undefined,
      health: Object.keys(health).length === 0 ? undefined : health,
      costUsd,
      forkedFrom: ownSourceId ?? (forkOrigin === undefined ? undefined : nativeKey(forkOrigin)),
    }),
  };
}
