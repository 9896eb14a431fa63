/** Converts `live` of continuo.yaml to the settings with which a server runs continuous sessions. */

import {
  type AgentSettings,
  type Configuration,
  type ModelSettings,
  openDriver,
} from "@continuo/agents/config";
import { ContinuoError, present } from "@continuo/core/model";
import {
  agentWriter,
  anthropicWriter,
  extractiveWriter,
  type LiveOptions,
  type NoteWriter,
  openAiEmbedder,
  openAiTranscriber,
  openAiWriter,
} from "@continuo/live";
import type { Shell } from "../terminal/index.ts";
import { keptAgent, turnAgent } from "./note-agents.ts";

/** Errors: `usage` for an agent that no file names, `not_found` for a variable that is not set. */
export function liveSettings(
  { live, agents }: Pick<Configuration, "live" | "agents">,
  shell: Shell,
): Omit<LiveOptions, "store" | "report"> {
  const { noteWriter, embedder, transcriber, ...plain } = live;
  const writers = noteWriter === undefined ? [] : [writerOf(noteWriter, agents, shell)];
  return {
    ...plain,
    noteWriters: [...writers, extractiveWriter()],
    // A model costs money, even one that is chosen later: a default limit protects people who set none.
    budget: plain.budget ?? DEFAULT_BUDGET,
    ...present({
      embedder: embedder === undefined ? undefined : openAiEmbedder(withKey(embedder, shell)),
      transcriber: transcriber === undefined ? undefined : openAiTranscriber(withKey(transcriber, shell)),
    }),
  };
}

function withKey<Endpoint extends { readonly apiKeyEnv?: string }>(
  { apiKeyEnv, ...endpoint }: Endpoint,
  { env }: Shell,
): Omit<Endpoint, "apiKeyEnv"> & { readonly apiKey?: string } {
  if (apiKeyEnv === undefined) return endpoint;
  const apiKey = env[apiKeyEnv];
  if (apiKey !== undefined && apiKey !== "") return { ...endpoint, apiKey };
  throw new ContinuoError("not_found", `the variable ${apiKeyEnv} is not set`, {
    hint: "Set it for `continuo serve`, or change `live` in continuo.yaml.",
  });
}

/** The budget of each session, if the file has none. */
const DEFAULT_BUDGET = { maxTokens: 2_000_000, maxCostUsd: 2 };

export function writerOf(
  name: NonNullable<Configuration["live"]["noteWriter"]>,
  agents: Configuration["agents"],
  shell: Shell,
): NoteWriter {
  if (typeof name === "object") return modelWriter(name, shell);
  const settings = agents[name];
  if (settings?.endpoint !== undefined) return modelWriter({ ...settings.endpoint, name }, shell);
  if (settings !== undefined) return agentNotes(settings, name, shell);
  throw new ContinuoError("usage", `no agent is named ${JSON.stringify(name)}`, {
    hint: "Name an agent of `agents` or a model of `models` as `live.note_writer` in continuo.yaml.",
  });
}

type WriterModel = Exclude<Configuration["live"]["noteWriter"], string | undefined> | ModelSettings;

function modelWriter(settings: WriterModel & { readonly name?: string }, shell: Shell): NoteWriter {
  const { name, model, keyEnv = settings.type === "anthropic" ? "ANTHROPIC_API_KEY" : undefined } = settings;
  const { apiKey } = withKey(present({ apiKeyEnv: keyEnv }), shell);
  const options = { model, ...present({ name, apiKey }) };
  return settings.type === "anthropic"
    ? anthropicWriter({ ...options, ...("url" in settings ? present({ url: settings.url }) : {}) })
    : openAiWriter({ ...options, url: settings.url });
}

function agentNotes(settings: AgentSettings, name: string, shell: Shell): NoteWriter {
  const options = {
    name: settings.name,
    cwd: shell.home,
    openDriver: () => openDriver(settings, shell),
    ...present({ model: settings.model ?? undefined }),
  };
  return agentWriter({ agent: turnAgent(options), kept: keptAgent(options), name });
}
