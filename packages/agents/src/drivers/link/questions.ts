/**
 * The open questions to a person, by the agent's own ids: permissions, and forms in the person's editor. The agent's next lines
 * are read while a question is open.
 */

import { type EditorPort, messageOf, type PermissionDecision } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { askPermission, type PermissionInTurn } from "./permissions.ts";
import type { AgentTurn } from "./turn.ts";

export interface Question extends Omit<PermissionInTurn, "signal"> {
  /** Sends the answer to the agent. The signal is aborted if the question was withdrawn; some agents wait even then. */
  readonly answer: (decision: PermissionDecision, takenBack: AbortSignal) => void | Promise<void>;
}

/** The parameters of `elicitation/create` in version 1 of the Agent Client Protocol, without the session. */
export interface Form extends Json {
  readonly mode: "form" | "url";
  readonly message: string;
}

/** The content is empty unless the person accepted a form with fields. */
export interface FormAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content: Json;
}

export interface FormQuestion extends Pick<Question, "turn"> {
  readonly form: Form;
  readonly editor: EditorPort;
  /** Sends the answer to the agent, as `Question.answer` does. */
  readonly answer: (answer: FormAnswer, takenBack: AbortSignal) => void | Promise<void>;
}

/** Returns true if the editor shows forms of this kind. */
export function showsForm(editor: EditorPort | undefined, { mode }: Form): editor is EditorPort {
  const elicitation = editor?.capabilities.elicitation;
  return isJson(elicitation) && isJson(elicitation[mode]);
}

const CANCELLED: FormAnswer = { action: "cancel", content: {} };

export class Questions {
  readonly #asked = new Map<unknown, AbortController>();
  readonly #open = new Set<Promise<void>>();

  /** Returns at once. A failure of the handler fails the turn. */
  ask(id: unknown, question: Question): void {
    const { answer, ...asked } = question;
    this.#keep(id, question.turn, async (signal) => {
      const decision = await askPermission({ ...asked, signal });
      await answer(decision, signal);
    });
  }

  /**
   * Shows a form in the person's editor. Returns at once. The form is cancelled for the agent if it is withdrawn, if the
   * turn ends, or if the editor fails to show it.
   */
  show(id: unknown, question: FormQuestion): void {
    this.#keep(id, question.turn, async (signal) => {
      await question.answer(await showForm(question, signal), signal);
    });
  }

  /** The agent withdraws a question; an unknown id is ignored. */
  takeBack(id: unknown): void {
    this.#asked.get(id)?.abort();
  }

  takeBackAll(): void {
    for (const one of this.#asked.values()) one.abort();
  }

  /** Withdraws open questions. Resolves when the outcome of each is reported. */
  async end(): Promise<void> {
    this.takeBackAll();
    await Promise.all(this.#open);
  }

  #keep(id: unknown, turn: AgentTurn, ask: (takenBack: AbortSignal) => Promise<void>): void {
    const takenBack = new AbortController();
    this.#asked.set(id, takenBack);
    const open = ask(takenBack.signal)
      .catch((error: Error) => turn.fail(error))
      .finally(() => {
        this.#asked.delete(id);
        this.#open.delete(open);
      });
    this.#open.add(open);
  }
}

async function showForm({ turn, form, editor }: FormQuestion, signal: AbortSignal): Promise<FormAnswer> {
  const resume = turn.pause();
  const takenBack = Promise.withResolvers<FormAnswer>();
  const stop = (): void => takenBack.resolve(CANCELLED);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const shown = editor.request("elicitation/create", form, signal);
    // After a withdrawal nobody waits for the answer, which may still fail.
    shown.catch(() => undefined);
    return await Promise.race([takenBack.promise, shown.then(toFormAnswer)]);
  } catch (error) {
    void turn.push({ type: "diagnostics", message: `The form could not be shown: ${messageOf(error)}` });
    return CANCELLED;
  } finally {
    signal.removeEventListener("abort", stop);
    resume();
  }
}

/** An action that is not known cancels the form. */
function toFormAnswer(answer: unknown): FormAnswer {
  if (!isJson(answer)) return CANCELLED;
  if (answer.action === "decline") return { action: "decline", content: {} };
  if (answer.action !== "accept") return CANCELLED;
  return { action: "accept", content: isJson(answer.content) ? answer.content : {} };
}

export interface FormField {
  /** The name of the field in the form's content. */
  readonly key: string;
  readonly title: string;
  readonly question: string;
  /** Without choices, the person writes a text. */
  readonly choices: readonly { readonly label: string; readonly description: string }[];
  readonly isMultiple: boolean;
  /** True if the person may write something other than the choices, in a field of its own. */
  readonly takesOther: boolean;
}

/** Reads the choices of a question, which agents write as objects with a label and a description. */
export function choicesIn(options: unknown): FormField["choices"] {
  return (Array.isArray(options) ? options : []).filter(isJson).map((option) => ({
    label: textField(option, "label") ?? "",
    description: textField(option, "description") ?? "",
  }));
}

/** Makes a form of an agent's own questions. No field is required, because a person may leave a question open. */
export function formOf(message: string, fields: readonly FormField[]): Form {
  const properties = Object.fromEntries(fields.flatMap(propertiesOf));
  return { mode: "form", message, requestedSchema: { type: "object", properties } };
}

/** Returns the person's answers to one question of `formOf`. */
export function answersTo({ key }: FormField, content: Json): readonly string[] {
  const chosen = content[key];
  return [...(Array.isArray(chosen) ? chosen : [chosen]), content[otherOf(key)]].filter(
    (one) => typeof one === "string" && one !== "",
  );
}

const otherOf = (key: string): string => `${key}_other`;

function propertiesOf({
  key,
  title,
  question,
  choices,
  isMultiple,
  takesOther,
}: FormField): [string, Json][] {
  const shown = { title, description: question };
  if (choices.length === 0) return [[key, { type: "string", ...shown }]];
  const options = choices.map(({ label, description }) => ({ const: label, title: label, description }));
  const field = isMultiple
    ? { type: "array", ...shown, items: { anyOf: options } }
    : { type: "string", ...shown, oneOf: options };
  const other = { type: "string", title: `${title}: another answer` };
  return [[key, field], ...(takesOther ? [[otherOf(key), other] as [string, Json]] : [])];
}
