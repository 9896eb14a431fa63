/** The part of the person's editor that an agent may use: its requests for files, terminals and forms. */

import type { EditorPort, PermissionPolicy } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { ProtocolVersion } from "./initialize.ts";

export interface EditorAccess {
  /** The capabilities that `initialize` reports to the agent. */
  readonly capabilities: Json;
  /** The methods that the agent may call. */
  readonly methods: readonly string[];
  /** Returns the way to log in that the person chose; see `EditorPort`. */
  readonly login?: () => string | undefined;
}

export const NO_EDITOR: EditorAccess = { capabilities: {}, methods: [] };

/** A notification of the agent about a form that it asked for. */
const ELICITATION_COMPLETE = "elicitation/complete";
const ELICITATION_CREATE = "elicitation/create";
const TERMINALS = ["create", "output", "wait_for_exit", "kill", "release"].map((verb) => `terminal/${verb}`);

/** With `safe` the agent writes no file and starts no command. Version 2 of the protocol has only forms. */
export function editorAccess(
  editor: EditorPort | undefined,
  { policy, protocol }: { readonly policy: PermissionPolicy; readonly protocol: ProtocolVersion },
): EditorAccess {
  if (editor === undefined) return NO_EDITOR;
  const { fs, terminal, elicitation } = editor.capabilities;
  const files = isJson(fs) ? fs : {};
  const hasFiles = protocol === 1;
  const mayChange = hasFiles && policy !== "safe";
  const readTextFile = hasFiles && files.readTextFile === true;
  const writeTextFile = mayChange && files.writeTextFile === true;
  const hasTerminals = mayChange && terminal === true;
  const hasForms = isJson(elicitation);
  return {
    capabilities: {
      ...(readTextFile || writeTextFile ? { fs: { readTextFile, writeTextFile } } : {}),
      ...(hasTerminals ? { terminal: true } : {}),
      ...(hasForms ? { elicitation } : {}),
    },
    methods: [
      ...(readTextFile ? ["fs/read_text_file"] : []),
      ...(writeTextFile ? ["fs/write_text_file"] : []),
      ...(hasTerminals ? TERMINALS : []),
      ...(hasForms ? [ELICITATION_CREATE] : []),
    ],
  };
}

export interface EditorRequest {
  readonly method: string;
  readonly params: Json;
  /** Aborts when the agent withdraws its request. */
  readonly withdrawn: AbortSignal;
  /** Aborts when the turn is cancelled. */
  readonly ended: AbortSignal;
}

/**
 * A form ends with its turn. A command or a file of the editor does not, because an agent may clean up after a turn.
 */
export async function askEditor(
  editor: EditorPort | undefined,
  { method, params, withdrawn, ended }: EditorRequest,
): Promise<unknown> {
  if (editor === undefined) throw new Error("there is no editor");
  if (method !== ELICITATION_CREATE) return await editor.request(method, params, withdrawn);
  try {
    return await editor.request(method, params, AbortSignal.any([withdrawn, ended]));
  } catch (error) {
    if (ended.aborted) return { action: "cancel" };
    throw error;
  }
}

/** Passes a notification on to the editor. Returns false if the notification is not for an editor. */
export async function noteEditor(editor: EditorPort | undefined, odd: unknown): Promise<boolean> {
  if (editor === undefined || !isJson(odd) || odd.method !== ELICITATION_COMPLETE) return false;
  const { elicitationId } = isJson(odd.params) ? odd.params : {};
  if (typeof elicitationId === "string") await editor.completed(elicitationId);
  return true;
}
