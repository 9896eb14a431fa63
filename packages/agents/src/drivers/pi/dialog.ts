/**
 * Dialogs of pi's extensions. pi itself asks nobody before it uses a tool; an extension may, by `confirm` or
 * `select`. A text (`input`, `editor`) is a form. Pure. (docs of 1.6.0)
 */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { type Json, optional, textField } from "@continuo/files";
import { type Form, type FormAnswer, optionFor } from "../link/index.ts";

export interface Dialog {
  readonly request: PermissionRequest;
  /** Returns the fields that are sent in addition to the dialog's id. */
  answer(decision: PermissionDecision): Json;
}

const CANCEL: PermissionOption = { id: "cancel", name: "Cancel", kind: "reject_once" };

/** `null` for a request that is not a choice. */
export function toDialog(record: Json): Dialog | null {
  const approvalId = String(record.id);
  const title = [textField(record, "title"), textField(record, "message")]
    .filter((part) => part !== null)
    .join(": ");
  const asked = { approvalId, title, readOnly: null };
  if (record.method === "confirm") {
    const options: readonly PermissionOption[] = [
      { id: "yes", name: "Yes", kind: "allow_once" },
      { id: "no", name: "No", kind: "reject_once" },
    ];
    return {
      request: { ...asked, options },
      answer: ({ outcome }) =>
        outcome === "cancelled" ? { cancelled: true } : { confirmed: outcome === "granted" },
    };
  }
  if (record.method !== "select" || !Array.isArray(record.options)) return null;
  // pi does not say which choice allows the call: a person sees it, and a policy takes the first one.
  const choices = record.options.map(String);
  const options = choices.map((name, at): PermissionOption => ({ id: String(at), name, kind: "allow_once" }));
  const request = { ...asked, options: [...options, CANCEL] };
  return {
    request,
    answer(decision) {
      const option = optionFor(decision, request.options);
      return option === null || option.id === CANCEL.id ? { cancelled: true } : { value: option.name };
    },
  };
}

export interface TextDialog {
  readonly form: Form;
  /** Returns the fields that are sent in addition to the dialog's id. */
  answer(answer: FormAnswer): Json;
}

/** `null` for a request that does not ask for a text. */
export function toTextDialog(record: Json): TextDialog | null {
  const { method } = record;
  if (method !== "input" && method !== "editor") return null;
  const message = textField(record, "title") ?? "";
  const value = {
    type: "string",
    title: message,
    ...optional("description", textField(record, "placeholder")),
    ...optional("default", textField(record, "prefill")),
  };
  return {
    form: { mode: "form", message, requestedSchema: { type: "object", properties: { value } } },
    answer: ({ action, content }) =>
      action === "accept" ? { value: textField(content, "value") ?? "" } : { cancelled: true },
  };
}

/** True for a dialog, which waits for an answer; everything else that extensions show does not wait. */
export function isWaiting({ method }: Json): boolean {
  return ["select", "confirm", "input", "editor"].includes(String(method));
}
