/**
 * Dialogs of pi's extensions. pi itself asks nobody before it uses a tool; an extension may, by `confirm` or
 * `select`. Pure. (docs of 1.5.2)
 */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { type Json, textField } from "@continuo/files";
import { optionFor } from "../link/index.ts";

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

/** True for a dialog, which waits for an answer; everything else that extensions show does not wait. */
export function isWaiting({ method }: Json): boolean {
  return ["select", "confirm", "input", "editor"].includes(String(method));
}
