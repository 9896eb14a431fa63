/** `agents`: every known agent, and those that the configuration names. Nothing is started. */

import {
  agentOptionsOf,
  assertValid,
  type Configuration,
  readConfiguration,
  untrustedWarning,
} from "@continuo/agents/config";
import { type AgentProgram, findAgentProgram } from "@continuo/agents/drivers";
import type { LocalServer } from "@continuo/agents/model-agent";
import type { SessionCapabilities } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import {
  type Column,
  createOutput,
  layOut,
  paintFor,
  type Shell,
  type Style,
  screenOf,
  sentenceLines,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import { drawModels, toModelJson, toServerJson } from "./models.ts";

export async function runAgents(
  flags: { readonly json?: true },
  shell: Shell,
  servers?: readonly LocalServer[],
): Promise<number> {
  const configuration = await readConfiguration({ places: shell });
  assertValid(configuration);
  warnOfUntrusted(configuration, shell);
  const places = placesOf(shell);
  const settings = Object.values(configuration.agents);
  const named = settings.filter(({ endpoint }) => endpoint !== undefined);
  const { findLocalServers, LOCAL_SERVERS } = await import("@continuo/agents/model-agent");
  const asked = servers ?? LOCAL_SERVERS;
  const [programs, found] = await Promise.all([
    Promise.all(
      settings
        .filter(({ endpoint }) => endpoint === undefined)
        .map((one) => findAgentProgram(one.name, { ...agentOptionsOf(one), places })),
    ),
    findLocalServers(asked),
  ]);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    const rows = [...programs.map(toJson), ...named.map(toModelJson), ...found.map(toServerJson)];
    await output.write(`${toJsonText(rows, 2)}\n`);
  } else {
    await output.write(draw(programs, shell) + drawModels({ named, found, asked }, shell));
  }
  return 0;
}

function toJson(program: AgentProgram): Readonly<Record<string, unknown>> {
  const { agent, label, transport, command, install, version, versionFrom, capabilities } = program;
  const found = command !== null;
  return {
    agent,
    label,
    found,
    program: command?.[0] ?? null,
    command,
    version,
    versionFrom,
    transport,
    capabilities,
    missing: found ? null : program.program,
    install,
  };
}

const COLUMNS: readonly (Column & { readonly styles: readonly Style[] })[] = [
  { header: "agent", align: "left", ideal: 16, min: 8, styles: ["cyan"] },
  { header: "version", align: "left", ideal: 20, min: 8, styles: [] },
  { header: "driven by", align: "left", rank: 1, styles: ["dim"] },
  { header: "can", align: "left", ideal: 20, min: 8, rank: 2, styles: ["green"] },
  { header: "where", align: "left", ideal: 20, min: 8, wants: 12, cut: "start", styles: ["blue"] },
];

const NOT_ASKED = "not asked yet";

function draw(programs: readonly AgentProgram[], shell: Shell): string {
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const rows = programs.map((program) => [
    visibleLine(program.agent),
    visibleLine(program.command === null ? "" : (program.version ?? "unknown")),
    program.transport === "acp" ? "ACP" : "its own protocol",
    program.command === null ? "" : abilitiesOf(program.capabilities),
    visibleLine(program.command === null ? "not found" : tildePath(program.command[0] ?? "", shell.home)),
  ]);
  const table = layOut(COLUMNS, rows, screen.isTerminal ? { columns: screen.columns } : {});
  const lines = table.cells.map((cells, at) =>
    cells
      .map((cell, index) => {
        const styles = COLUMNS[table.columns[index] ?? 0]?.styles ?? [];
        const isDim = at === 0 || cell.trim() === NOT_ASKED || cell.trim() === "not found";
        return paint(cell, ...(isDim ? (["dim"] as const) : styles));
      })
      .join("  ")
      .trimEnd(),
  );
  const said = advice(programs).flatMap((text) => sentenceLines([{ text }], shell, shell.stdout));
  return `${[...lines, ...said].join("\n")}\n`;
}

/** Advice on agents that are not installed, and on agents that were not examined. */
function advice(programs: readonly AgentProgram[]): string[] {
  const missing = programs
    .filter(({ command }) => command === null)
    .map(({ agent, program, install }) =>
      visibleLine(`${agent}: there is no program ${program}${install === null ? "" : `; ${install}`}`),
    );
  const unknown = programs.find(({ command, capabilities }) => command !== null && capabilities === null);
  const ask =
    unknown === undefined ? [] : [visibleLine(`To ask one, run: continuo agents doctor ${unknown.agent}`)];
  const lines = [...missing, ...ask];
  return lines.length === 0 ? [] : ["", ...lines];
}

const ABILITIES: readonly (readonly [keyof SessionCapabilities, string])[] = [
  ["canList", "list"],
  ["canLoad", "load"],
  ["canResume", "resume"],
  ["canContinueLast", "continue"],
  ["canFork", "fork"],
  ["canClose", "close"],
  ["canDelete", "delete"],
];

function abilitiesOf(capabilities: SessionCapabilities | null): string {
  if (capabilities === null) return NOT_ASKED;
  const names = ABILITIES.filter(([key]) => capabilities[key]).map(([, name]) => name);
  return names.join(" ") || "only new sessions";
}

/**
 * Warns about the ignored part of a project's file that the person does not trust: for commands that start no agent.
 */
function warnOfUntrusted({ untrusted }: Pick<Configuration, "untrusted">, shell: Shell): void {
  if (untrusted === null) return;
  const text = untrustedWarning(untrusted, tildePath(untrusted.file, shell.home));
  const paint = paintFor(screenOf(shell, shell.stderr));
  shell.stderr.write(`${paint(visibleLine(text), "yellow")}\n`);
}
