/** `mcp install` and `mcp uninstall`: the change of each file is shown, and made after a question. */

import { type AgentName, ContinuoError, isContinuoError } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { ownCommand } from "../single/index.ts";
import { canAsk, confirm, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { InstallFlags } from "./flags.ts";
import {
  agentsFor,
  applyEdit,
  diffOf,
  type Edit,
  inverseOf,
  type Registration,
  readEditRecord,
  readSettings,
  registrationOf,
  removeEditRecord,
  type Settings,
  saveEditRecord,
  serverCommand,
  writeSettings,
} from "./registering/index.ts";

type Direction = "install" | "uninstall";

interface Plan {
  readonly registration: Registration;
  readonly settings: Settings;
  readonly edit: Edit | null;
  /** The text of the file afterwards; `null` for no file. */
  readonly after: string | null;
}

interface Failure {
  readonly agent: AgentName;
  readonly error: ContinuoError;
}

/** Errors: `usage`; of a single agent those of its file. */
export async function runInstall(
  direction: Direction,
  agent: string | null,
  { flags, shell }: { readonly flags: InstallFlags; readonly shell: Shell },
): Promise<number> {
  const { plans, failures } = plansFor(direction, agentsFor(agent, shell), shell);
  if (agent !== null && failures[0] !== undefined) throw failures[0].error;
  const changes = plans.filter(({ edit }) => edit !== null);
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(drawPlans(direction, plans, shell));
  for (const { agent: name, error } of failures)
    shell.stderr.write(`${name}: ${visibleLine(error.message)}\n`);
  if (changes.length > 0 && !flags.yes) {
    if (!canAsk(shell)) {
      throw new ContinuoError("usage", "nobody can be asked whether to make the change", {
        hint: "Give --yes to make it without a question.",
      });
    }
    const isWanted = await confirm(
      direction === "install" ? "Register Continuo?" : "Remove Continuo?",
      shell,
    );
    if (!isWanted) return 1;
  }
  for (const plan of changes) make(direction, plan, shell);
  if (flags.json) await output.write(`${toJsonText(plans.map(toJson), 2)}\n`);
  else if (changes.length > 0) await output.write(`${doneText(direction, changes)}\n`);
  return failures.length > 0 ? 1 : 0;
}

function plansFor(
  direction: Direction,
  agents: readonly AgentName[],
  shell: Shell,
): { readonly plans: readonly Plan[]; readonly failures: readonly Failure[] } {
  const plans: Plan[] = [];
  const failures: Failure[] = [];
  for (const agent of agents) {
    const registration = registrationOf(agent, shell);
    try {
      const settings = readSettings(registration.path, shell.home);
      plans.push(
        direction === "install"
          ? toInstall(registration, settings, shell)
          : toUninstall(registration, settings, shell),
      );
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      const message = error.message.includes(registration.path)
        ? error.message
        : `${registration.path}: ${error.message}`;
      const told = new ContinuoError(
        error.code,
        message,
        error.hint === undefined ? {} : { hint: error.hint },
      );
      failures.push({ agent, error: told });
    }
  }
  return { plans, failures };
}

function toInstall(registration: Registration, settings: Settings, shell: Shell): Plan {
  const text = settings.text ?? "";
  const edit = registration.add(text, serverCommand(shell, ownCommand(shell)));
  return { registration, settings, edit, after: edit === null ? settings.text : applyEdit(text, edit) };
}

/** Takes the edit of an installation back; from a file that changed since, only Continuo's entry is removed. */
function toUninstall(registration: Registration, settings: Settings, shell: Shell): Plan {
  const { text, path } = settings;
  if (text === null) return { registration, settings, edit: null, after: null };
  const kept = readEditRecord(shell, path, text);
  const edit = kept === null ? registration.remove(text) : inverseOf(kept.edit);
  if (edit === null) return { registration, settings, edit, after: text };
  return { registration, settings, edit, after: kept?.isNew ? null : applyEdit(text, edit) };
}

function make(direction: Direction, { settings, edit, after }: Plan, shell: Shell): void {
  if (edit === null) return;
  writeSettings(settings, after, shell.home);
  if (direction === "uninstall") removeEditRecord(shell, settings.path);
  else saveEditRecord(shell, settings.path, after ?? "", { edit, isNew: settings.text === null });
}

function drawPlans(direction: Direction, plans: readonly Plan[], shell: Shell): string {
  const nothing = direction === "install" ? "registered already" : "not registered";
  const blocks = plans.map(({ registration, settings, edit, after }) => {
    const heading = `${registration.agent}  ${tildePath(settings.path, shell.home)}`;
    if (edit === null) return [`${heading}: ${nothing}`];
    return [heading, ...diffOf(settings.text ?? "", after ?? "")];
  });
  // The lines around the change may hold a key.
  return blocks.map((lines) => `${maskSecrets(lines.map(visibleLine).join("\n")).value}\n`).join("\n");
}

function doneText(direction: Direction, changes: readonly Plan[]): string {
  const names = changes.map(({ registration }) => registration.agent).join(", ");
  if (direction === "uninstall") return `\nremoved from ${names}`;
  return `\nregistered with ${names}: the tools are there when the agent starts next`;
}

function toJson({ registration, settings, edit }: Plan): object {
  return { agent: registration.agent, path: settings.path, changed: edit !== null };
}
