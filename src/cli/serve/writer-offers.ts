/**
 * The models and agents of this machine that a person can choose as note writers, and the choice, which is stored in a
 * file.
 */

import { join } from "node:path";
import { type AgentSettings, agentOptionsOf, type Configuration } from "@continuo/agents/config";
import { findAgentProgram } from "@continuo/agents/drivers";
import type { LocalServer } from "@continuo/agents/model-agent";
import { isContinuoError, messageOf } from "@continuo/core/model";
import { continuoHome, placesOf, recordFile } from "@continuo/files";
import { type NoteWriter, openAiWriter, type WriterOffers } from "@continuo/live";
import type { Shell } from "../terminal/index.ts";
import { writerOf } from "./live-settings.ts";

/** After this time since the end of a search, model servers are asked again. */
const FOUND_MS = 5_000;
const SEPARATOR = ": ";

export interface OffersOptions {
  readonly agents: Configuration["agents"];
  readonly shell: Shell;
  /** The model servers that are searched for on this machine. */
  readonly servers: readonly LocalServer[];
  readonly findServers: (
    servers: readonly LocalServer[],
  ) => Promise<readonly { readonly name: string; readonly models: readonly string[] }[]>;
}

export function writerOffers({ agents, shell, servers, findServers }: OffersOptions): WriterOffers {
  const file = recordFile(join(continuoHome(shell), "note-writer.json"), {
    what: "the chosen note writer",
    hint: "Delete the file, and choose again.",
  });
  const writers = new Map<string, NoteWriter | null>();
  const made = (name: string): NoteWriter | null => {
    const [server, ...model] = name.split(SEPARATOR);
    const port = servers.find((one) => one.name === server)?.port;
    // The writer is made only from its name, so a session keeps its writer when the server starts again.
    if (port !== undefined && model.length > 0) {
      return openAiWriter({ name, model: model.join(SEPARATOR), url: `http://127.0.0.1:${port}/v1` });
    }
    return Object.hasOwn(agents, name) ? writerOf(name, agents, shell) : null;
  };
  /** The models of the configuration, without those whose key is missing. */
  const configured = (): readonly string[] =>
    Object.values(agents).flatMap(({ name, endpoint }) => {
      if (endpoint === undefined) return [];
      try {
        return made(name) === null ? [] : [name];
      } catch (error) {
        if (isContinuoError(error, "not_found")) return [];
        throw error;
      }
    });
  const find = async (): ReturnType<WriterOffers["find"]> => {
    const [found, installed] = await Promise.all([findServers(servers), installedAgents(agents, shell)]);
    return [
      ...found.flatMap(({ name, models }) =>
        models.map((model) => ({ name: `${name}${SEPARATOR}${model}`, kind: "here" as const })),
      ),
      ...configured().map((name) => ({ name, kind: "named" as const })),
      ...installed.map((name) => ({ name, kind: "agent" as const })),
    ];
  };
  let known: { untilMs: number; readonly found: ReturnType<typeof find> } | null = null;
  const search = (): ReturnType<typeof find> => {
    const searching = { untilMs: Number.POSITIVE_INFINITY, found: find() };
    known = searching;
    const end = (): void => {
      searching.untilMs = performance.now() + FOUND_MS;
    };
    searching.found.then(end, end);
    return searching.found;
  };
  return {
    find: () => (known === null || known.untilMs < performance.now() ? search() : known.found),
    named: (name) => {
      const writer = writers.get(name) ?? made(name);
      if (writer !== null) writers.set(name, writer);
      return writer;
    },
    chosen: () => {
      try {
        const { noteWriter } = file.read();
        return typeof noteWriter === "string" ? noteWriter : null;
      } catch (error) {
        shell.stderr.write(`warning: the chosen note writer is not used: ${messageOf(error)}\n`);
        return null;
      }
    },
    choose: (name) => file.write({ ...file.read(), noteWriter: name }),
  };
}

async function installedAgents(agents: Configuration["agents"], shell: Shell): Promise<readonly string[]> {
  const programs = Object.values(agents).filter(({ endpoint }: AgentSettings) => endpoint === undefined);
  const places = placesOf(shell);
  const found = await Promise.all(
    programs.map((one) => findAgentProgram(one.name, { ...agentOptionsOf(one), places })),
  );
  return found.filter(({ command }) => command !== null).map(({ agent }) => agent);
}
