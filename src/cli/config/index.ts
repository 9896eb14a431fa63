/**
 * Configuration: `continuo.yaml` in `CONTINUO_HOME`, then in the project, then flags; later wins.
 *
 * `readConfiguration({ shell, flags })` gives the settings of every agent, defaults filled in. Who runs an agent
 * calls `assertRunnable` with it, whoever else uses it `assertValid`, and may `warnOfUntrusted`.
 *
 * Promises: what a project says about programs is used only after `continuo trust`, for this content of the
 * file; a wrong key is told with its line; reading writes nothing but what it knows of files that were right, so
 * that zod and yaml are loaded only for a file that is new.
 * Does not know: how an agent is started.
 */

export { assertRunnable, assertValid, warnOfUntrusted } from "./asserts.ts";
export { drivingOf } from "./driving.ts";
export { findProjectFile, type RawFile, readFile } from "./files.ts";
export { type Guarded, guardedIn } from "./guarded.ts";
export { everyKey, type JsonSchema, toJsonSchema } from "./json-schema.ts";
export { type ParsedFile, parseFile } from "./parse.ts";
export { type ReadConfigurationOptions, readConfiguration } from "./read.ts";
export type {
  AgentFlags,
  AgentSettings,
  BudgetSettings,
  Configuration,
  ConfigurationFile,
  ConfigurationFlags,
  ConfigurationProblem,
  ContinuationMode,
  PermissionPolicy,
  PermissionSettings,
  SessionSettings,
  Transport,
  UntrustedFile,
} from "./settings.ts";
export { DEFAULTS, FILE_NAME, isKnownAgent } from "./settings.ts";
export { readTrusted, type TrustedFile, trustStateOf, writeTrusted } from "./trust.ts";
