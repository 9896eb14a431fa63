/** The name under which this person writes in channels. */

import { isName } from "@continuo/core/wire";
import type { Preferences } from "@continuo/core/wire/machine";
import { choiceInBrowser, isKept, keepChoice } from "../shell/choices.ts";
import { ask } from "../state/server.ts";

/** `null` if none was chosen. */
export async function keptName(): Promise<string | null> {
  const name = choiceInBrowser("channelName") ?? (await preferredName());
  return isName(name) ? name : null;
}

export function keepName(name: string): void {
  keepChoice("channelName", name);
}

/** A page may have no access to the machine. */
async function preferredName(): Promise<unknown> {
  if (!isKept) return null;
  const preferences = await ask<Preferences>("/v1/machine/preferences").catch(() => null);
  return preferences?.channelName;
}
