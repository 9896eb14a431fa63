/** A conversation in the form of ShareGPT data sets, with the roles for tools that LLaMA-Factory reads. Pure. */

import { assertKnownOptions, type Message } from "../../model/index.ts";
import { FORM_OPTIONS, type FormOptions, formTools } from "./calls.ts";
import { leave, type OmittedCounts, resultText, turnsOf } from "./omitted-blocks.ts";

/** Calls keep the names that they have in the session. */
const WORDS = { name: (name: string): string => name };

export interface ShareGptConversation {
  /** JSON text, as LLaMA-Factory reads it: a list of `{ name, description, parameters }`. Left out without definitions. */
  readonly tools?: string;
  readonly conversations: readonly ShareGptTurn[];
  /** Blocks that this form cannot hold: their kind and number; `notification` counts notices to the person. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface ShareGptTurn {
  readonly from: "system" | "human" | "gpt" | "function_call" | "observation";
  readonly value: string;
}

const FROM = { system: "system", user: "human", assistant: "gpt" } as const;

/** A call is JSON text `{ name, arguments }`. */
export function toShareGpt(messages: readonly Message[], options: FormOptions = {}): ShareGptConversation {
  assertKnownOptions("toShareGpt", options, FORM_OPTIONS);
  const leftOut: OmittedCounts = {};
  const conversations: ShareGptTurn[] = [];
  for (const { role, content } of turnsOf(messages, leftOut)) {
    for (const block of content) {
      if (block.type === "tool_call") {
        const value = JSON.stringify({ name: block.name, arguments: block.args });
        conversations.push({ from: "function_call", value });
      } else if (block.type === "tool_result") {
        conversations.push({ from: "observation", value: resultText(block.content, leftOut) });
      } else if (block.type === "text" && role !== "tool") addText(conversations, FROM[role], block.text);
      else leave(block, leftOut);
    }
  }
  const tools = formTools(options, WORDS).map(({ schema, ...tool }) => ({ ...tool, parameters: schema }));
  return { ...(tools.length === 0 ? {} : { tools: JSON.stringify(tools) }), conversations, leftOut };
}

/** Consecutive texts of the same side become one turn. */
function addText(turns: ShareGptTurn[], from: ShareGptTurn["from"], value: string): void {
  if (value === "") return;
  const last = turns.at(-1);
  if (last?.from === from) turns[turns.length - 1] = { from, value: `${last.value}\n\n${value}` };
  else turns.push({ from, value });
}
