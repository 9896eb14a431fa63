/** `guard retention`: changes the agent's own setting after the person agreed, and takes the change back. */

import { AGENT_NAMES, ContinuoError, isAgentName } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { formatOf } from "@continuo/native";
import {
  changeFile,
  diffOf,
  type FilePlan,
  type Piece,
  placeInJson,
  planOf,
} from "../mcp/registering/index.ts";
import { canAsk, confirm, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { RetentionFlags } from "./flags.ts";

/** Errors: `usage`; `unsupported` for an agent that deletes nothing; those of its settings file. */
export async function runRetention(agent: string, flags: RetentionFlags, shell: Shell): Promise<number> {
  const direction = flags.undo ? "remove" : "add";
  const piece = await pieceOf(agent, shell);
  const { files, steps } = planOf(direction, [piece], shell);
  for (const { error } of steps) if (error !== null) throw error;
  const [file] = files;
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(drawChange(file, { piece, flags, shell }));
  if (file !== undefined && !flags.yes && !(await isWanted(flags, shell))) return 1;
  if (file !== undefined) changeFile(direction, file, shell);
  if (flags.json) {
    const path = steps[0]?.path ?? piece.path;
    await output.write(`${toJsonText({ path, changed: file !== undefined }, 2)}\n`);
  }
  return 0;
}

async function pieceOf(agent: string, shell: Shell): Promise<Piece> {
  if (!isAgentName(agent)) {
    throw new ContinuoError("usage", `no agent ${JSON.stringify(agent)}`, {
      hint: `Name one of ${AGENT_NAMES.join(", ")}.`,
    });
  }
  const retention = await (await formatOf(agent)).retention?.();
  if (retention === undefined)
    throw new ContinuoError("unsupported", `${agent} deletes no session by itself`);
  const { path, keys, keepsAll } = await retention.setting(shell);
  const isSet = (value: string | null): boolean => value === JSON.stringify(keepsAll);
  return {
    agents: [agent],
    what: "retention",
    path,
    add(text) {
      const place = placeInJson(text, keys);
      return isSet(place.text) ? null : place.set(keepsAll);
    },
    // A value that somebody chose since then stays.
    remove(text) {
      const place = placeInJson(text, keys);
      return isSet(place.text) ? place.remove() : null;
    },
  };
}

interface ShownChange {
  readonly piece: Piece;
  readonly flags: RetentionFlags;
  readonly shell: Shell;
}

function drawChange(file: FilePlan | undefined, { piece, flags, shell }: ShownChange): string {
  if (file === undefined) {
    const words = flags.undo ? "nothing of it is Continuo's" : "it keeps all sessions already";
    return `${tildePath(piece.path, shell.home)}: ${words}\n`;
  }
  const { settings, after } = file;
  const lines = [tildePath(settings.path, shell.home), ...diffOf(settings.text ?? "", after ?? "")];
  return `${maskSecrets(lines.map(visibleLine).join("\n")).value}\n`;
}

async function isWanted({ undo }: RetentionFlags, shell: Shell): Promise<boolean> {
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", "nobody can be asked whether to make the change", {
      hint: "Give --yes to make it without a question.",
    });
  }
  return await confirm(undo ? "Take the change back?" : "Change the setting?", shell);
}
