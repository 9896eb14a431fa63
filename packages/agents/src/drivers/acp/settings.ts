/**
 * Requests the model, the mode and the effort that a session should have, in the way in which the agent offers them, in
 * both versions of ACP.
 */

import { ContinuoError, present } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { AcpConnection, AcpRequestOptions } from "./connection.ts";

export interface Settings {
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly effort?: string | undefined;
  readonly sessionId: string;
  /** The answer to the opening of the session, which names its options. */
  readonly answer: Json;
  readonly asking: AcpRequestOptions;
}

type Category = "model" | "mode" | "effort";

/** The protocol's names of the categories. */
const NAMES: Readonly<Record<Category, string>> = { model: "model", mode: "mode", effort: "thought_level" };

/** The call that chooses a value of one category. */
interface Choice {
  readonly category: Category;
  readonly method: string;
  readonly params: Json;
  /** The id of the session's option, whose value is in the answer of the call; `null` if the session has no option. */
  readonly optionId: string | null;
  readonly before: unknown;
  /** The values that the agent names; agents accept more than these. */
  readonly offered: readonly string[];
}

/** The number of values that an error names. */
const MAX_NAMED = 30;

/**
 * Errors: `unsupported` if the agent offers no such choice, or not this one (`details.offered`): Continuo never uses
 * another model without saying so.
 */
export async function chooseSettings(connection: AcpConnection, settings: Settings): Promise<void> {
  for (const category of ["model", "mode", "effort"] as const) {
    const value = settings[category];
    if (value !== undefined) await choose(connection, category, { value, ...settings });
  }
}

async function choose(
  connection: AcpConnection,
  category: Category,
  settings: Settings & { readonly value: string },
): Promise<void> {
  const { value, asking } = settings;
  const { label } = connection;
  const choice = choiceOf(category, settings);
  if (choice === null) throw new ContinuoError("unsupported", `${label} has no setting for its ${category}`);
  const isOffered = choice.offered.includes(value);
  let answer: Json;
  try {
    answer = await connection.call(choice.method, choice.params, asking);
  } catch (error) {
    // The agent itself explains why it refuses a value that it offers.
    if (isOffered || !(error instanceof ContinuoError) || error.details.answer === undefined) throw error;
    throw noSuch(label, { ...choice, value, cause: error });
  }
  if (choice.optionId === null) return;
  const now = optionsIn(answer).find(({ id }) => id === choice.optionId)?.current;
  // The agent may replace a short name by a longer one; if the option did not change, the agent did not accept the
  // value.
  const isTaken = now === undefined || now === value || (!isOffered && now !== choice.before);
  if (!isTaken) throw noSuch(label, { ...choice, value, cause: undefined });
}

/** Chooses with the session's options if it has them, otherwise with the older methods. */
function choiceOf(
  category: Category,
  { answer, sessionId, value }: Settings & { readonly value: string },
): Choice | null {
  const option =
    optionsIn(answer).find((one) => one.category === NAMES[category]) ??
    optionsIn(answer).find((one) => one.id === category);
  if (option !== undefined) {
    const { id, type, current: before, offered } = option;
    const params = { sessionId, configId: id, ...type, value };
    return { category, method: "session/set_config_option", params, optionId: id, before, offered };
  }
  if (category === "effort") return null;
  const older = category === "mode" ? answer.modes : answer.models;
  if (!isJson(older)) return null;
  const key = category === "mode" ? "modeId" : "modelId";
  const listed = category === "mode" ? older.availableModes : older.availableModels;
  const ids = Array.isArray(listed)
    ? listed.map((one) => (isJson(one) ? (one[category === "mode" ? "id" : "modelId"] ?? null) : null))
    : [];
  return {
    category,
    method: category === "mode" ? "session/set_mode" : "session/set_model",
    params: { sessionId, [key]: value },
    optionId: null,
    before: undefined,
    offered: ids.filter((id) => typeof id === "string"),
  };
}

interface Option {
  readonly id: string;
  readonly category: unknown;
  readonly current: unknown;
  readonly offered: readonly string[];
  /** The type of the value, which version 2 requires. */
  readonly type: Json;
}

/** Version 1 calls an option's name `id`, version 2 `configId`. */
function optionsIn({ configOptions }: Json): readonly Option[] {
  return (Array.isArray(configOptions) ? configOptions : []).filter(isJson).flatMap((one) => {
    const id = one.id ?? one.configId;
    if (typeof id !== "string") return [];
    const type = one.id === undefined ? { type: "id" } : {};
    return [{ id, category: one.category, current: one.currentValue, offered: valuesIn(one.options), type }];
  });
}

/** Options may be in groups. */
function valuesIn(options: unknown): readonly string[] {
  return (Array.isArray(options) ? options : [])
    .filter(isJson)
    .flatMap((one) => (typeof one.value === "string" ? [one.value] : valuesIn(one.options)));
}

interface SettingRefusal extends Choice {
  readonly value: string;
  readonly cause: unknown;
}

function noSuch(label: string, { category, value, offered, cause }: SettingRefusal): ContinuoError {
  const named = offered.slice(0, MAX_NAMED).join(", ");
  const more = offered.length > MAX_NAMED ? `, and ${offered.length - MAX_NAMED} more` : "";
  return new ContinuoError("unsupported", `${label} has no ${category} ${JSON.stringify(value)}`, {
    ...(offered.length === 0 ? {} : { hint: `Choose one of ${named}${more}.` }),
    details: { category, value, offered },
    ...present({ cause }),
  });
}
