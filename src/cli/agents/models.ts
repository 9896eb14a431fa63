/** The models that Continuo calls itself, and the model servers of this machine, in the output of `agents`. */

import type { AgentSettings } from "@continuo/agents/config";
import type { FoundServer, LocalServer } from "@continuo/agents/model-agent";
import { visibleLine } from "@continuo/core/transcript";
import { paintFor, type Shell, screenOf, sentenceLines } from "../terminal/index.ts";

type Json = Readonly<Record<string, unknown>>;

export function toModelJson({ name, endpoint }: AgentSettings): Json {
  const { type = null, model = null, url = null, keyEnv = null } = endpoint ?? {};
  return { agent: name, label: name, found: true, transport: "api", api: type, model, url, keyEnv };
}

/** A server that no configuration file names is not an agent yet. */
export function toServerJson({ name, url, models }: FoundServer): Json {
  return { agent: null, label: name, found: true, transport: "api", api: "openai", url, models };
}

export interface ShownModels {
  /** The models that the configuration names. */
  readonly named: readonly AgentSettings[];
  readonly found: readonly FoundServer[];
  /** The servers that were asked. */
  readonly asked: readonly LocalServer[];
}

/** Models of one server that are listed; the others are counted. */
const LISTED = 8;

export function drawModels({ named, found, asked }: ShownModels, shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const width = Math.max(0, ...named.map(({ name }) => name.length));
  const rows = named.map(({ name, endpoint }) => {
    const place = endpoint?.url ?? "Anthropic";
    return `${paint(name.padEnd(width), "cyan")}  ${visibleLine(endpoint?.model ?? "")}  ${paint(visibleLine(place), "dim")}`;
  });
  const lines = sentences(found, asked).flatMap((text) => sentenceLines([{ text }], shell, shell.stdout));
  const table = rows.length === 0 ? [] : ["", paint("models of continuo.yaml", "dim"), ...rows];
  return `${[...table, "", ...lines].join("\n")}\n`;
}

function sentences(found: readonly FoundServer[], asked: readonly LocalServer[]): readonly string[] {
  const silent = asked.filter(({ name }) => found.every((server) => server.name !== name));
  const places = silent.map(({ name, port }) => `${name} (port ${port})`).join(", ");
  return [
    ...found.map(({ name, url, models }) => `${name} answers at ${url}: ${listed(models)}.`),
    ...(silent.length === 0 ? [] : [`No model server answers on this machine for ${places}.`]),
    ...found
      .filter(({ models }) => models.length > 0)
      .slice(0, 1)
      .map(({ url, models: [model] }) =>
        visibleLine(
          `To talk to one: models: { local: { url: "${url}", model: "${model}" } } in ~/.continuo/continuo.yaml, then continuo chat -a local`,
        ),
      ),
  ];
}

function listed(models: readonly string[]): string {
  if (models.length === 0) return "it has no model yet";
  const more = models.length - LISTED;
  const names = models.slice(0, LISTED).map(visibleLine).join(", ");
  return more > 0 ? `${names} and ${more} more` : names;
}
