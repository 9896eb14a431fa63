/** The changes in a session between the call that showed an error and the one that ended well. Pure. */

import {
  type Message,
  type ToolCallBlock,
  type ToolResultBlock,
  textOf,
  typedTextOf,
} from "../../model/index.ts";
import { messageKind } from "../render/index.ts";
import { commandOf, exitCodeOf, type FileEdit, fileEditsOf, outputOf } from "../work/index.ts";
import { commandKey, commandParts } from "./command-parts.ts";
import { type ErrorPattern, type SameError, sameErrorIn } from "./error-pattern.ts";

export interface Repair extends SameError {
  /** The turn in which the error was last seen. */
  readonly turn: number;
  readonly at: string | null;
  /** The id of the call, or of the message, that showed the error. */
  readonly id: string;
  /** The command or the tool that showed the error; `null` if a person reported it. */
  readonly failed: string | null;
  /** The changes after the error was last seen, and before the call that succeeded. */
  readonly edits: readonly FileEdit[];
  readonly commands: readonly string[];
  /** The number of times that the error was seen again after a change or a command. */
  readonly attempts: number;
  /**
   * - `solved`: the same command succeeded afterwards
   * - `not confirmed`: something was changed, and nobody ran the command again
   * - `not solved`: nothing was changed, or the error was still there
   */
  readonly outcome: "solved" | "not confirmed" | "not solved";
  /** The last words of the agent about the error; for a solved error, the last ones before a person writes again. */
  readonly said: string | null;
}

export interface RepairTurn {
  readonly number: number;
  readonly at: string | null;
  readonly messages: readonly Message[];
}

export interface RepairFold {
  add(turn: RepairTurn): void;
  finish(): readonly Repair[];
}

const MAX_REPAIRS = 50;
const MAX_STEPS = 40;
/** The number of turns after which changes no longer count as attempts to solve the error. */
const MAX_TURNS = 3;
const MAX_OPEN = 1_000;

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] };

/** An error that was seen and is not gone yet. */
interface OpenError extends Writable<Omit<Repair, "outcome">> {
  readonly keys: ReadonlySet<string>;
}

type Sighting = Pick<OpenError, "keys" | "failed" | "id" | keyof SameError>;

export function createRepairFold(pattern: ErrorPattern): RepairFold {
  const repairs: Writable<Repair>[] = [];
  const calls = new Map<string, ToolCallBlock>();
  let open: OpenError | null = null;
  // The last closed error waits for the agent's words about it, which come after the successful call.
  let last: Writable<Repair> | null = null;

  const close = (outcome: Repair["outcome"]): void => {
    if (open === null) return;
    const { keys: _, ...facts } = open;
    last = { ...facts, outcome };
    if (repairs.length < MAX_REPAIRS) repairs.push(last);
    open = null;
  };
  const see = (sighting: Sighting, turn: RepairTurn): void => {
    const isTried = open !== null && open.edits.length + open.commands.length > 0;
    open = {
      ...sighting,
      keys: new Set([...(open?.keys ?? []), ...sighting.keys]),
      failed: sighting.failed ?? open?.failed ?? null,
      turn: turn.number,
      at: turn.at,
      edits: [],
      commands: [],
      attempts: (open?.attempts ?? 0) + (isTried ? 1 : 0),
      said: null,
    };
  };
  const addResult = (call: ToolCallBlock, result: ToolResultBlock, turn: RepairTurn): void => {
    const command = commandOf(call);
    const same = sameErrorIn(outputOf(result), pattern);
    const keys = keysOf(call, command);
    const isFailed = result.isError || (exitCodeOf(result) ?? 0) !== 0 || command !== null;
    if (same !== null && isFailed && keys.size > 0) {
      see({ ...same, keys, failed: command ?? call.name, id: call.id }, turn);
      return;
    }
    if (open === null) return;
    if (same === null && shares(open.keys, keys) && exitCodeOf(result) === 0) {
      close("solved");
      return;
    }
    if (result.isError) return;
    if (open.edits.length < MAX_STEPS) open.edits.push(...fileEditsOf(call, result).slice(0, MAX_STEPS));
    if (command !== null && keys.size > 0 && open.commands.length < MAX_STEPS) open.commands.push(command);
  };

  return {
    add(turn) {
      for (const message of turn.messages) {
        const kind = messageKind(message);
        if (kind === "person") {
          const same = sameErrorIn(typedTextOf(message.content), pattern);
          if (same !== null) see({ ...same, keys: new Set(), failed: null, id: message.id }, turn);
          else if (open !== null && isOver(open, turn)) close(outcomeOf(open));
          last = null;
        }
        for (const block of message.content) {
          if (block.type === "tool_call") {
            if (calls.size < MAX_OPEN) calls.set(block.id, block);
          } else if (block.type === "tool_result") {
            const call = calls.get(block.toolCallId);
            calls.delete(block.toolCallId);
            if (call !== undefined) addResult(call, block, turn);
          }
        }
        const said = kind === "agent" ? textOf(message.content).trim() : "";
        if (said === "") continue;
        if (open !== null) (open as OpenError).said = said;
        else if (last !== null) last.said = said;
      }
    },
    finish() {
      if (open !== null) close(outcomeOf(open));
      return repairs;
    },
  };
}

/**
 * Returns true if an error is given up because a person writes about something else: after `MAX_TURNS` turns, or if
 * only a person reported the error, as soon as the agent has changed something.
 */
function isOver({ keys, edits, turn }: OpenError, now: RepairTurn): boolean {
  return now.number - turn > MAX_TURNS || (keys.size === 0 && edits.length > 0);
}

function outcomeOf({ edits }: OpenError): Repair["outcome"] {
  return edits.length > 0 ? "not confirmed" : "not solved";
}

function keysOf({ name }: ToolCallBlock, command: string | null): ReadonlySet<string> {
  if (command === null) return new Set([name]);
  return new Set(commandParts(command).flatMap((part) => commandKey(part) ?? []));
}

function shares(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return !a.isDisjointFrom(b);
}
