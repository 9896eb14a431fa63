/** Hands over a session of an agent or of Continuo's own. */

import { cutText, handOffCommand, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { type CatalogSession, type LookUpHit, openCatalogSession } from "../catalog/index.ts";
import {
  folderNotNamed,
  type HandOff,
  type HandOffOptions,
  handOff,
  handOffMessages,
  isAbsoluteFolder,
} from "../handoff/index.ts";

export interface HandOverOptions {
  /** The folder in which it continues; the session's own folder by default. */
  readonly cwd?: string;
  /** The store of own sessions. */
  readonly places: PlacesAt;
  readonly options: Omit<HandOffOptions, "cwd">;
}

/** Errors: those of `handOff`; `usage` if no folder is known. */
export async function handOver(
  located: LookUpHit,
  { cwd, places, options }: HandOverOptions,
): Promise<HandOff> {
  if (located.kind === "native") {
    return await handOff(located.native.found, { ...options, ...present({ cwd }) });
  }
  using session = await openCatalogSession(located, places);
  const messages = await Array.fromAsync(session.history());
  const folder = cwd ?? folderOf(session, options.to);
  return await handOffMessages({ messages, title: titleOf(session), cwd: folder }, options);
}

const MAX_TITLE_CHARS = 120;

function titleOf({ details }: CatalogSession): string {
  return `from continuo: ${cutText(details.title ?? details.sessionId, MAX_TITLE_CHARS)}`;
}

/** Errors: `usage`. */
function folderOf({ details }: CatalogSession, to: string): string {
  if (isAbsoluteFolder(details.cwd)) return details.cwd;
  throw folderNotNamed(details.cwd, `Name a folder: ${handOffCommand(details, to)}.`);
}
