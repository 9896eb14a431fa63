/** New conversations of pages: their folder, the agents that can answer in it, and the names of the folder's files. */

import { isAbsolute, join, normalize } from "node:path";
import { agentsAt, defaultAgent, readSettings } from "@continuo/agents/conversations";
import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import type { MachineChat } from "@continuo/core/wire/machine";
import { isFolder, type PlacesAt } from "@continuo/files";
import { createFolderListings } from "./folder-files.ts";
import type { ChatParts } from "./parts.ts";

export function createNewChats({
  options,
  chats,
  changes,
  named,
}: ChatParts): Pick<MachineChat, "begin" | "agentsIn" | "files"> {
  const { places } = options;
  const listings = createFolderListings();
  return {
    async begin({ agent, cwd, mode, text, pictures }) {
      const chat = await chats.begin({
        agent,
        cwd: folderAt(cwd, places),
        ...present({ permissions: mode }),
      });
      const runId = await chat.say(text, pictures);
      const key = await options.keyOfOwn(chat.sessionId);
      changes.tell();
      return { key, runId };
    },
    async agentsIn(given) {
      const cwd = folderAt(given, places);
      const agents = await agentsAt(places, cwd);
      const agent = await defaultAt(places, cwd);
      return { cwd, agents, agent: agent !== null && agents.includes(agent) ? agent : (agents[0] ?? null) };
    },
    async files({ cwd, key, words }, signal) {
      const given = key === undefined ? (cwd ?? "") : ((await named(key, signal)).row.cwd ?? "");
      const folder = folderAt(given, places);
      // A folder that is not trusted is not read.
      await readSettings(places, folder);
      return await listings.find(folder, words);
    },
  };
}

async function defaultAt(places: PlacesAt, cwd: string): Promise<string | null> {
  try {
    return defaultAgent(await readSettings(places, cwd), places);
  } catch (error) {
    if (isContinuoError(error, "agent_missing")) return null;
    throw error;
  }
}

/** A page has no folder of its own, so a path cannot be relative. Errors: `invalid`, `not_found`. */
function folderAt(given: string, { home }: PlacesAt): string {
  const path = /^~(?:\/|$)/u.test(given) ? join(home, given.slice(1)) : given;
  if (!isAbsolute(path)) {
    throw new ContinuoError("invalid", `${JSON.stringify(given.slice(0, 200))} is not a full path`, {
      hint: "Name the folder from the root, or from ~.",
    });
  }
  const folder = normalize(path);
  if (isFolder(folder)) return folder;
  throw new ContinuoError("not_found", `there is no folder ${folder}`, {
    hint: "Create it, or name another one.",
  });
}
