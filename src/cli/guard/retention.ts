/** `guard retention`: the agent's own setting, changed after the person agreed, and taken back. */

import { AGENT_NAMES, ContinuoError, isAgentName } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { formatOf } from "@continuo/native";
import type { RetentionSetting } from "@continuo/native/kit";
import {
  applyEdit,
  diffOf,
  type Edit,
  inverseOf,
  placeInJson,
  readEditRecord,
  readSettings,
  removeEditRecord,
  type Settings,
  saveEditRecord,
  writeSettings,
} from "../mcp/registering/index.ts";
import { canAsk, confirm, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { RetentionFlags } from "./flags.ts";

/** Errors: `usage`; `unsupported` for an agent that deletes nothing; those of its settings file. */
export async function runRetention(agent: string, flags: RetentionFlags, shell: Shell): Promise<number> {
  const setting = await settingOf(agent, shell);
  const settings = readSettings(setting.path, shell.home);
  const change = flags.undo ? undoing(setting, settings, shell) : keeping(setting, settings);
  const output = createOutput(shell.stdout);
  const shown = tildePath(settings.path, shell.home);
  if (change === null) {
    const words = flags.undo ? "nothing of it is Continuo's" : "it keeps all sessions already";
    await output.write(
      flags.json ? `${toJsonText({ path: settings.path, changed: false }, 2)}\n` : `${shown}: ${words}\n`,
    );
    return 0;
  }
  const after = change.removesFile ? null : applyEdit(settings.text ?? "", change.edit);
  if (!flags.json) {
    const lines = [shown, ...diffOf(settings.text ?? "", after ?? "")].map(visibleLine).join("\n");
    await output.write(`${maskSecrets(lines).value}\n`);
  }
  if (!flags.yes) {
    if (!canAsk(shell)) {
      throw new ContinuoError("usage", "nobody can be asked whether to make the change", {
        hint: "Give --yes to make it without a question.",
      });
    }
    if (!(await confirm(flags.undo ? "Take the change back?" : "Change the setting?", shell))) return 1;
  }
  writeSettings(settings, after, shell.home);
  if (flags.undo) removeEditRecord(shell, recordKey(setting));
  else
    saveEditRecord(shell, recordKey(setting), after ?? "", {
      edit: change.edit,
      isNew: settings.text === null,
    });
  if (flags.json) await output.write(`${toJsonText({ path: settings.path, changed: true }, 2)}\n`);
  return 0;
}

async function settingOf(agent: string, shell: Shell): Promise<RetentionSetting> {
  if (!isAgentName(agent)) {
    throw new ContinuoError("usage", `no agent ${JSON.stringify(agent)}`, {
      hint: `Name one of ${AGENT_NAMES.join(", ")}.`,
    });
  }
  const retention = await (await formatOf(agent)).retention?.();
  if (retention === undefined)
    throw new ContinuoError("unsupported", `${agent} deletes no session by itself`);
  return retention.setting(shell);
}

interface Change {
  readonly edit: Edit;
  readonly removesFile: boolean;
}

function keeping({ keys, keepsAll }: RetentionSetting, { text }: Settings): Change | null {
  const place = placeInJson(text ?? "", keys);
  return place.text === JSON.stringify(keepsAll) ? null : { edit: place.set(keepsAll), removesFile: false };
}

/** Byte for byte where the file is as it was left; else the value alone goes, if it is still the one that was set. */
function undoing(setting: RetentionSetting, { text }: Settings, shell: Shell): Change | null {
  if (text === null) return null;
  const kept = readEditRecord(shell, recordKey(setting), text);
  if (kept !== null) return { edit: inverseOf(kept.edit), removesFile: kept.isNew };
  const place = placeInJson(text, setting.keys);
  const edit = place.text === JSON.stringify(setting.keepsAll) ? place.remove() : null;
  return edit === null ? null : { edit, removesFile: false };
}

/** Another change of Continuo's in the same file has a record of its own. */
function recordKey({ path }: RetentionSetting): string {
  return `${path}#retention`;
}
