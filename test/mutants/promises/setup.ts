/** The promises of `continuo setup`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const SETUP = { file: "src/cli/setup/setup.ts", test: "test/cli/setup.test.ts" };
const WIRED = { file: "src/cli/setup/pieces.ts", test: "test/cli/setup.test.ts" };

export const SETUP_PROMISES: readonly PromiseOfRoom[] = [
  {
    ...SETUP,
    promise: "A dry run changes nothing.",
    text: "plan.files.length > 0 && !flags.dryRun && (flags.yes",
    mistake: "plan.files.length > 0 && (flags.yes",
  },
  {
    ...SETUP,
    promise: "The guard is turned on with its hooks.",
    text: "changeGuardSettings(places, { on: true });",
    mistake: "",
  },
  {
    ...SETUP,
    promise: "The guard is not turned on by taking things back.",
    text: 'isWanted && direction === "add" && switchGuardOn(plan, shell)',
    mistake: "isWanted && switchGuardOn(plan, shell)",
  },
  {
    ...SETUP,
    promise: "An agent that gets no hook turns no guard on.",
    text: "if (!isHooked || readGuardSettings(places).on) return false;",
    mistake: "if (readGuardSettings(places).on) return false;",
  },
  {
    ...SETUP,
    promise: "The exit code reports that a piece could not be set up.",
    text: 'plan.steps.some(({ state }) => state === "not possible") ? 1 : 0',
    mistake: "false ? 1 : 0",
  },
  {
    ...SETUP,
    promise: "A key beside a change is not shown.",
    text: 'maskSecrets([...columns(rowsOf(plan, flags, shell)), ...diffs].map(visibleLine).join("\\n")).value',
    mistake: '[...columns(rowsOf(plan, flags, shell)), ...diffs].map(visibleLine).join("\\n")',
  },
  {
    ...SETUP,
    promise: "Folders that setup made do not stay when it is taken back.",
    text: "if (file.after === null) removeEmptyFolders(",
    mistake: "if (file.after === undefined) removeEmptyFolders(",
  },
  {
    ...SETUP,
    promise: "Without a person to ask, nothing is changed.",
    text: "  if (!canAsk(shell)) {",
    mistake: "  if (!canAsk(shell)) return true;\n  if (shell === null) {",
  },
  {
    ...WIRED,
    promise: "A file of a person with the name of ours is not overwritten.",
    text: 'if (text.trim() !== "" && !isOurs(text))',
    mistake: 'if (text.trim() === "?" && !isOurs(text))',
  },
  {
    ...WIRED,
    promise: "A file of a person with the name of ours is not removed.",
    text: 'remove: (text) => (isOurs(text) ? { at: 0, deleted: text, inserted: "" } : null),',
    mistake: 'remove: (text) => ({ at: 0, deleted: text, inserted: "" }),',
  },
  {
    ...WIRED,
    promise: "A person's own hooks at an event stay.",
    text: "set([...entries.filter((one) => !isHook(one)), entry])",
    mistake: "set([entry])",
  },
  {
    ...WIRED,
    promise: "A hook of an older version is replaced, not doubled.",
    text: "set([...entries.filter((one) => !isHook(one)), entry])",
    mistake: "set([...entries, entry])",
  },
  {
    ...WIRED,
    promise: "A person's own hooks stay when ours are taken back.",
    text: "return others.length === 0 ? place(text).remove() : place(text).set(others);",
    mistake: "return place(text).remove();",
  },
  {
    ...WIRED,
    promise: "A status line of a person is not replaced.",
    text: 'if (!isLine(place.text)) throw taken(path, "a status line of your own");',
    mistake: "",
  },
  {
    ...WIRED,
    promise: "A status line of a person is not removed.",
    text: "return place.text !== null && isLine(place.text) ? place.remove() : null;",
    mistake: "return place.text !== null ? place.remove() : null;",
  },
];
