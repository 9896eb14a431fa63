/** `agents doctor`: starts one agent in a scratch home, and finds out what it really does. */

import {
  type AgentSettings,
  agentOptionsOf,
  assertRunnable,
  readConfiguration,
} from "@continuo/agents/config";
import { type AgentProgram, findAgentProgram, keepCapabilities } from "@continuo/agents/drivers";
import { ContinuoError, exitCodeOf, isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import {
  createOutput,
  type Paint,
  paintFor,
  type Shell,
  type Style,
  screenOf,
  tildePath,
  toJsonText,
  wrap,
} from "../terminal/index.ts";
import { type ExaminedStep, examine } from "./examine.ts";
import { makeScratch } from "./scratch.ts";

/** With the time for ending a program that hangs, a step takes less than ten seconds. */
const DEFAULT_LIMIT_MS = 7_000;

export interface DoctorFlags {
  readonly json?: true;
  /** Milliseconds for each answer. */
  readonly timeout?: number;
}

/** Exit code 7 if a feature fails that is advertised, or that every agent must have. */
export async function runDoctor(name: string, flags: DoctorFlags, shell: Shell): Promise<number> {
  const configuration = await readConfiguration({ places: shell, flags: { agent: name } });
  assertRunnable(configuration);
  const driving = agentOptionsOf(settingsOf(configuration.agents[name]));
  const places = placesOf(shell);
  const program = await findAgentProgram(name, { ...driving, places });
  const { command } = program;
  if (command === null) throw missing(program);
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(heading(program, shell));
  const pen = penOf(shell);
  using scratch = makeScratch(shell.env.PATH ?? "");
  using _cleanUp = shell.onExit(() => scratch[Symbol.dispose]());
  const lines: Promise<void>[] = [];
  const { capabilities, steps } = await examine({
    program,
    driving,
    scratch,
    limitMs: flags.timeout ?? DEFAULT_LIMIT_MS,
    onStep: (step) => {
      if (!flags.json) lines.push(output.write(drawStep(step, pen)));
    },
  }).catch((error: unknown) => {
    throw withAdvice(error, program);
  });
  await Promise.all(lines);
  await keepCapabilities(program, { from: scratch.places, to: places });
  const { version } = await findAgentProgram(name, { ...driving, places });
  const { transport } = program;
  if (flags.json) {
    await output.write(
      `${toJsonText({ agent: name, command, version, transport, capabilities, steps }, 2)}\n`,
    );
  }
  return steps.some(({ outcome }) => outcome === "fails") ? exitCodeOf("verification_failed") : 0;
}

/** Advice for a program that does not start, after its output. */
function withAdvice(error: unknown, { install }: AgentProgram): unknown {
  if (!isContinuoError(error)) return error;
  const { code, message, hint, details } = error;
  const advice = ADVICE[String(details.fault)]?.(install);
  if (advice === undefined) return error;
  const lines = [...(hint === undefined ? [] : [hint]), advice];
  return new ContinuoError(code, message, { hint: lines.join("\n"), details, cause: error });
}

const ADVICE: Readonly<Record<string, (install: string | null) => string | undefined>> = {
  hangs: () => "Start it once by itself. If this machine is slow, give it more time: --timeout 60s",
  "other text": () => "Check the command of this agent in continuo.yaml.",
  "too old": (install) => (install === null ? "Update it." : `Update it: ${install}`),
};

/** Errors: `usage` for a model, which has no program. An unknown name was already refused with the configuration. */
function settingsOf(settings: AgentSettings | undefined): AgentSettings {
  if (settings?.endpoint !== undefined) {
    throw new ContinuoError("usage", `${settings.name} is a model, which has no program to examine`);
  }
  if (settings !== undefined) return settings;
  throw new ContinuoError("usage", "there is no agent of this name");
}

function missing({ label, program, install }: AgentProgram): ContinuoError {
  return new ContinuoError("agent_missing", `${label} is not installed: there is no program ${program}`, {
    hint: install === null ? "Name its program in continuo.yaml." : `Install it: ${install}`,
  });
}

function heading({ label, version, transport, command }: AgentProgram, shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const how = transport === "acp" ? "ACP" : "its own protocol";
  const facts = [version ?? "version unknown", how, tildePath(command?.join(" ") ?? "", shell.home)];
  return `${paint(visibleLine(label), "bold")}  ${paint(visibleLine(facts.join(" · ")), "dim")}\n\n`;
}

interface Pen {
  readonly paint: Paint;
  readonly columns: number | null;
}

function penOf(shell: Shell): Pen {
  const screen = screenOf(shell, shell.stdout);
  return { paint: paintFor(screen), columns: screen.isTerminal ? screen.columns : null };
}

const STYLES: Readonly<Record<ExaminedStep["outcome"], readonly Style[]>> = {
  works: ["green"],
  fails: ["red"],
  "not offered": ["dim"],
  "not tried": ["dim"],
};

const INDENT = 10;

function drawStep({ step, advertised, outcome, reason }: ExaminedStep, { paint, columns }: Pen): string {
  const said =
    outcome === "fails" && advertised === true ? ", although the agent says that it supports it" : "";
  const first = `${step.padEnd(INDENT - 1)} ${paint(`${outcome}${said}`, ...STYLES[outcome])}\n`;
  if (reason === null) return first;
  const text = visibleLine(reason);
  const lines = columns === null ? [text] : wrap([{ text, styles: ["dim"] }], columns - INDENT, paint);
  return first + lines.map((line) => `${" ".repeat(INDENT)}${line}\n`).join("");
}
