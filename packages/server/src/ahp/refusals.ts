/** The commands of the protocol that this host does not support, with the code and the reason of each refusal. */

import { AhpError } from "./errors.ts";
import { AHP_ERRORS } from "./protocol.ts";

const ONE_CHAT = "a session of Continuo has one chat: a fork is a session of its own";
const NO_TERMINAL = "Continuo offers no terminal: a command runs within its agent";
const NO_CHANGESET = "Continuo has no changesets: the changes are in the calls that made them";
const NO_AUTOMATION = "Continuo has no automations";

const UNSUPPORTED: Readonly<Record<string, string>> = {
  createChat: ONE_CHAT,
  disposeChat: ONE_CHAT,
  moveChat: ONE_CHAT,
  createTerminal: NO_TERMINAL,
  disposeTerminal: NO_TERMINAL,
  invokeChangesetOperation: NO_CHANGESET,
  listAutomationTriggerDefinitions: NO_AUTOMATION,
  runAutomation: NO_AUTOMATION,
  fetchAutomationRuns: NO_AUTOMATION,
  authenticate: "no agent of Continuo takes a token from an editor: log in within the agent's own program",
  resolveSessionConfig: "a session of Continuo has no configuration: its agent's own program has one",
  sessionConfigCompletions: "a session of Continuo has no configuration to complete",
  completions: "Continuo completes nothing while a person writes",
};

/** Access to the person's files: the agents and the editor have that access themselves. */
const DENIED: ReadonlySet<string> = new Set([
  "resourceWrite",
  "resourceList",
  "resourceCopy",
  "resourceDelete",
  "resourceMove",
  "resourceResolve",
  "resourceMkdir",
  "resourceRequest",
  "createResourceWatch",
]);

export function refusalOf(method: string): AhpError {
  if (DENIED.has(method))
    return new AhpError(AHP_ERRORS.permissionDenied, "Continuo serves only the texts of its calls' edits");
  const reason = Object.hasOwn(UNSUPPORTED, method) ? UNSUPPORTED[method] : undefined;
  return new AhpError(
    AHP_ERRORS.methodNotFound,
    reason ?? `Continuo does not have the method ${method.slice(0, 100)}`,
  );
}
